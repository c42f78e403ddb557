//! `HELP`: what can be typed. The texts are in `help.txt`, one topic after another.

use super::describe::in_columns;

const TEXTS: &str = include_str!("help.txt");

/// What a topic begins with.
const MARK: &str = "== ";

/// The names of all topics.
pub(super) fn topics() -> impl Iterator<Item = &'static str> {
    TEXTS.lines().filter_map(|line| line.strip_prefix(MARK))
}

/// The list of topics.
pub(super) fn overview() -> String {
    let all: Vec<&str> = topics().collect();
    format!(
        "Statements end with a semicolon and may go over many lines.\n\
         HELP and one of these words shows how something is written:\n\n{}",
        in_columns(&all, 80)
    )
}

/// The text of a topic, or of all that begin with a word. The name is in upper case.
pub(super) fn topic(name: &str) -> Option<String> {
    let name = match name {
        "DESC" => "DESCRIBE",
        "QUIT" => "EXIT",
        "CLS" => "CLEAR",
        "SERIAL" => "SERIAL CONSISTENCY",
        other => other,
    };
    let is_exact = topics().any(|topic| topic == name);
    let is_wanted = |topic: &str| {
        let rest = topic.strip_prefix(name);
        topic == name || !is_exact && rest.is_some_and(|rest| rest.starts_with(' '))
    };
    let mut text = String::new();
    let mut is_shown = false;
    for line in TEXTS.lines() {
        match line.strip_prefix(MARK) {
            Some(topic) => is_shown = is_wanted(topic),
            None if is_shown => text.push_str(&format!("{line}\n")),
            None => {}
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_a_text() {
        for name in topics() {
            assert!(topic(name).is_some(), "{name}");
        }
        assert!(overview().contains("CREATE TABLE"));
        assert_eq!(topic("NOTHING"), None);
    }

    #[test]
    fn a_first_word_shows_all_that_begin_with_it() {
        let text = topic("CREATE").unwrap();
        assert!(text.contains("CREATE TABLE") && text.contains("CREATE INDEX"));
        assert!(topic("QUIT").unwrap().contains("EXIT"));
    }

    /// What is shown as an example is CQL.
    #[test]
    fn examples_are_statements() {
        let examples = TEXTS
            .lines()
            .filter_map(|line| line.strip_prefix("  e.g. "));
        let mut count = 0;
        for example in examples {
            if super::super::command::parse(example).is_none() {
                let parsed = stoa_cql::parse(example);
                assert!(parsed.is_ok(), "{example}: {parsed:?}");
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }
}
