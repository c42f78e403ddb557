//! What happened, as one line of a digest.

use crate::model::HappeningKind;

/// How much of a detail stands in a line, in characters.
const MOST_DETAIL: usize = 100;

/// A line about something that happened, parted by tabs: its kind, the title of its policy, which may
/// be empty, and the first words about it. It is one line, whatever people wrote; whoever sends it
/// says it in words.
#[must_use]
pub fn news_line(kind: HappeningKind, title: &str, detail: &str) -> String {
    let one_line = |text: &str| text.replace(['\r', '\n', '\t'], " ");
    let words: String = detail.chars().take(MOST_DETAIL).collect();
    format!("{}\t{}\t{}", kind.name(), one_line(title), one_line(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_three_parts_and_stays_one_line() {
        let line = news_line(HappeningKind::Edited, "Trees", "typing\nerrors");
        assert_eq!(line, "edited\tTrees\ttyping errors");
        assert_eq!(
            news_line(HappeningKind::RoleChanged, "", ""),
            "role_changed\t\t"
        );
        for (kind, _) in HappeningKind::NAMES {
            let line = news_line(kind, "a\tb\nc", &"x\n".repeat(1_000));
            assert_eq!(line.split('\t').count(), 3);
            assert!(!line.contains('\n') && line.chars().count() < 200, "{line}");
        }
    }
}
