//! What happened, as one line of a digest.

use crate::model::HappeningKind;

/// How much of a detail stands in a line, in characters.
const MOST_DETAIL: usize = 100;

/// A line about something that happened: the title of its policy, which may be empty, what it was,
/// and the first words about it. It is one line, whatever people wrote.
#[must_use]
pub fn news_line(kind: HappeningKind, title: &str, detail: &str) -> String {
    let what = match kind {
        HappeningKind::Created => "it was created",
        HappeningKind::Edited => "its text was changed",
        HappeningKind::Commented => "a new comment",
        HappeningKind::Replied => "an answer to your comment",
        HappeningKind::Tagged => "its tags were changed",
        HappeningKind::Responded => "an official response",
        HappeningKind::Milestone => "news of its progress",
        HappeningKind::MergeProposed => "merging it is proposed",
        HappeningKind::MergeObjected => "an owner objects to the merge that you proposed",
        HappeningKind::Merged => "it was merged",
        HappeningKind::Retired => "it was closed",
        HappeningKind::Hidden => "it was hidden until somebody has looked at it",
        HappeningKind::Shown => "it is shown again",
        HappeningKind::Deleted => "it was taken away",
        HappeningKind::RankMoved => "its rank changed by much",
        HappeningKind::ReportDecided => "your report was decided",
        HappeningKind::RoleChanged => "your role was changed",
    };
    let mut line = match title.is_empty() {
        true => what.to_owned(),
        false => format!("{}: {what}", title.replace(['\r', '\n', '\t'], " ")),
    };
    if !detail.is_empty() {
        let words: String = detail.chars().take(MOST_DETAIL).collect();
        line = format!("{line} ({})", words.replace(['\r', '\n', '\t'], " "));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_policy_and_stays_one_line() {
        let line = news_line(HappeningKind::Edited, "Trees", "typing\nerrors");
        assert_eq!(line, "Trees: its text was changed (typing errors)");
        assert_eq!(
            news_line(HappeningKind::RoleChanged, "", ""),
            "your role was changed"
        );
        for (kind, _) in HappeningKind::NAMES {
            let line = news_line(kind, "a\nb", &"x\n".repeat(1_000));
            assert!(!line.contains('\n') && line.chars().count() < 200, "{line}");
        }
    }
}
