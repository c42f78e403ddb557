//! Finding words in text, by line.

/// Byte offsets where `needle` stands as a word: where it starts or ends with a letter, digit
/// or underscore, no other such character touches it there.
pub(crate) fn words<'t>(text: &'t str, needle: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(needle)
        .map(|(at, _)| at)
        .filter(move |&at| {
            starts_free(text, needle, at) && {
                let after = text
                    .get(at + needle.len()..)
                    .and_then(|rest| rest.chars().next());
                !(ends_in_word(needle) && after.is_some_and(is_word))
            }
        })
}

/// Like [`words`], but the word may go on: `Uuid::new_v` finds `Uuid::new_v4`.
pub(crate) fn prefixes<'t>(text: &'t str, needle: &'t str) -> impl Iterator<Item = usize> + 't {
    let offsets = text.match_indices(needle).map(|(at, _)| at);
    offsets.filter(move |&at| starts_free(text, needle, at))
}

/// The line of a byte offset, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// The first line that satisfies a test, from 1; 1 if none does.
pub(crate) fn first_line(text: &str, test: impl Fn(&str) -> bool) -> usize {
    text.lines().position(test).map_or(1, |index| index + 1)
}

fn starts_free(text: &str, needle: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    !(needle.starts_with(is_word) && before.is_some_and(is_word))
}

fn ends_in_word(needle: &str) -> bool {
    needle.chars().next_back().is_some_and(is_word)
}

/// Whether a character can be part of an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_edges() {
        assert_eq!(
            words("rand strand rand_core rand::x", "rand").collect::<Vec<_>>(),
            [0, 22]
        );
        assert_eq!(words("a.unwrap() b", ".unwrap()").count(), 1);
        assert_eq!(
            prefixes("Uuid::new_v4 MyUuid::new_v4", "Uuid::new_v").count(),
            1
        );
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!(line_of("a\nb\nc", 0), 1);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
