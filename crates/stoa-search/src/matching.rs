//! Which words match which: pure, so that a snippet marks what the index found.

use crate::words::words;

/// How many bytes of a query are looked at.
pub(crate) const MOST_QUERY_BYTES: usize = 1_000;
/// How many words of a query count.
pub(crate) const MOST_QUERY_WORDS: usize = 24;
/// From how many letters on a word may be misspelled.
const LEAST_NEAR_LETTERS: usize = 5;
/// From how many letters on the beginning of a word finds it.
const LEAST_BEGINNING_LETTERS: usize = 2;

/// How words of a query match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// As they are.
    Exact,
    /// Longer ones with one mistake.
    Near,
    /// As `Near`; and what begins with the last one, which is being typed.
    Typing,
}

/// The words of a query, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) words: Vec<String>,
    /// What is being typed: the last word, unless something follows it.
    pub(crate) typed: Option<String>,
}

impl Wanted {
    /// The words of what somebody typed. What is too long is cut.
    pub(crate) fn of(text: &str) -> Self {
        let text = cut(text, MOST_QUERY_BYTES);
        let mut wanted: Vec<String> = Vec::new();
        let mut typed = None;
        for word in words(text) {
            typed = (word.range.end == text.len()).then(|| word.folded.clone());
            if wanted.len() < MOST_QUERY_WORDS && !wanted.contains(&word.folded) {
                wanted.push(word.folded);
            }
        }
        let typed = typed.filter(|it| it.chars().count() >= LEAST_BEGINNING_LETTERS);
        Self {
            words: wanted,
            typed,
        }
    }

    /// Whether a word of a document is among them.
    pub(crate) fn matches(&self, word: &str, precision: Precision) -> bool {
        let is_near = |wanted: &String| {
            wanted == word
                || (precision != Precision::Exact && may_be_near(wanted) && is_near(wanted, word))
        };
        let begins = || match &self.typed {
            Some(typed) if precision == Precision::Typing => word.starts_with(typed.as_str()),
            _ => false,
        };
        self.words.iter().any(is_near) || begins()
    }
}

/// Whether a word is long enough to be misspelled.
pub(crate) fn may_be_near(word: &str) -> bool {
    word.chars().count() >= LEAST_NEAR_LETTERS
}

/// Whether two words differ by one letter: another, one more, one less, or two swapped.
fn is_near(one: &str, other: &str) -> bool {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let same = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let (short, long) = (
        short.get(same..).unwrap_or_default(),
        long.get(same..).unwrap_or_default(),
    );
    match (short, long) {
        ([], []) => true,
        (rest, [_, longer @ ..]) if rest == longer => true,
        ([_, rest @ ..], [_, other @ ..]) if rest == other => true,
        ([a, b, rest @ ..], [c, d, other @ ..]) => a == d && b == c && rest == other,
        _ => false,
    }
}

/// The beginning of a text, of so many bytes or a few less.
pub(crate) fn cut(text: &str, most_bytes: usize) -> &str {
    let end = text.floor_char_boundary(most_bytes);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_is_near_and_two_are_not() {
        for (one, other, expected) in [
            ("trees", "trees", true),
            ("trees", "tress", true),
            ("trees", "tres", true),
            ("trees", "treees", true),
            ("trees", "rtees", true),
            ("trees", "strees", true),
            ("trees", "trse", false),
            ("trees", "tre", false),
            ("", "a", true),
            ("", "", true),
        ] {
            assert_eq!(is_near(one, other), expected, "{one} {other}");
            assert_eq!(is_near(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn a_query_has_each_word_once_and_no_more_than_the_limit() {
        let wanted = Wanted::of("Trees, trees and TREES pa");
        assert_eq!(wanted.words, ["trees", "and", "pa"]);
        assert_eq!(wanted.typed.as_deref(), Some("pa"));
        assert_eq!(Wanted::of("parks ").typed, None);
        assert_eq!(Wanted::of("p").typed, None);
        let many: String = (0..5_000).map(|it| format!("w{it} ")).collect();
        assert_eq!(Wanted::of(&many).words.len(), MOST_QUERY_WORDS);
        assert!(Wanted::of("*:* \"( AND").words.contains(&"and".to_owned()));
    }

    #[test]
    fn precision_says_what_matches() {
        let wanted = Wanted::of("trees par");
        for (word, exact, near, typing) in [
            ("trees", true, true, true),
            ("treess", false, true, true),
            ("park", false, false, true),
            ("par", true, true, true),
            ("pax", false, false, false),
        ] {
            assert_eq!(wanted.matches(word, Precision::Exact), exact, "{word}");
            assert_eq!(wanted.matches(word, Precision::Near), near, "{word}");
            assert_eq!(wanted.matches(word, Precision::Typing), typing, "{word}");
        }
    }
}
