//! Where the words of a query stand in a text. It is text and ranges, never HTML: whoever shows it
//! escapes it.

use std::ops::Range;

use crate::matching::{Precision, Wanted};
use crate::words::{Word, words};

/// How many bytes of a text are shown.
const SHOWN_BYTES: usize = 240;
/// How much of that comes before the first word that matches.
const BEFORE_BYTES: usize = 60;

/// A part of a text, and what of it matched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The part.
    pub text: String,
    /// What matched, in bytes of the part: in order, without overlaps, on boundaries of characters.
    pub marks: Vec<Range<usize>>,
    /// Whether something comes before it.
    pub is_cut_before: bool,
    /// Whether something comes after it.
    pub is_cut_after: bool,
}

/// The whole text with its marks.
pub(crate) fn whole(text: &str, wanted: &Wanted, precision: Precision) -> Snippet {
    part(text, 0..text.len(), &matching(text, wanted, precision))
}

/// The part of a text where most of it matches; its beginning, if nothing does.
pub(crate) fn best(text: &str, wanted: &Wanted, precision: Precision) -> Snippet {
    let matching = matching(text, wanted, precision);
    let start = start(text, densest(&matching));
    let end = text.floor_char_boundary(start.saturating_add(SHOWN_BYTES));
    part(text, start..end, &matching)
}

fn matching(text: &str, wanted: &Wanted, precision: Precision) -> Vec<Word> {
    let matches = |word: &Word| wanted.matches(&word.folded, precision);
    words(text).filter(matches).collect()
}

/// Where the first word stands of those that most others follow closely.
fn densest(matching: &[Word]) -> Option<usize> {
    let count_from = |(index, word): (usize, &Word)| {
        let end = word.range.start + SHOWN_BYTES - BEFORE_BYTES;
        let near = matching.iter().skip(index);
        let count = near.take_while(|it| it.range.end <= end).count();
        (count, word.range.start)
    };
    let counts = matching.iter().enumerate().map(count_from);
    let best = counts.max_by_key(|(count, start)| (*count, std::cmp::Reverse(*start)));
    best.map(|(_, start)| start)
}

/// Where to begin, so that a word is seen with what comes before it.
fn start(text: &str, word: Option<usize>) -> usize {
    let Some(word) = word.filter(|word| *word > BEFORE_BYTES) else {
        return 0;
    };
    let from = text.floor_char_boundary(word - BEFORE_BYTES);
    let before = text.get(from..word).unwrap_or_default();
    // Not in the middle of a word, if there is a gap.
    let gap = before.char_indices().find(|(_, it)| it.is_whitespace());
    gap.map_or(from, |(at, space)| from + at + space.len_utf8())
}

fn part(text: &str, range: Range<usize>, matching: &[Word]) -> Snippet {
    let within = |word: &&Word| word.range.start >= range.start && word.range.end <= range.end;
    let moved = |word: &Word| word.range.start - range.start..word.range.end - range.start;
    Snippet {
        marks: matching.iter().filter(within).map(moved).collect(),
        text: text.get(range.clone()).unwrap_or_default().to_owned(),
        is_cut_before: range.start > 0,
        is_cut_after: range.end < text.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marked(snippet: &Snippet) -> Vec<&str> {
        let marks = snippet.marks.iter().cloned();
        marks.map(|mark| snippet.text.get(mark).unwrap()).collect()
    }

    #[test]
    fn a_title_is_shown_whole() {
        let wanted = Wanted::of("TREES street");
        let title = "Plänt trees: each Street, <b>trees</b>";
        let snippet = whole(title, &wanted, Precision::Exact);
        assert_eq!(snippet.text, title);
        assert_eq!(marked(&snippet), ["trees", "Street", "trees"]);
        assert!(!snippet.is_cut_before && !snippet.is_cut_after);
    }

    #[test]
    fn the_part_with_most_matches_is_shown() {
        let filler = "ünd so weiter ".repeat(60);
        let text = format!("trees {filler}where trees line the streets{filler}");
        let snippet = best(&text, &Wanted::of("trees streets"), Precision::Exact);
        assert_eq!(marked(&snippet), ["trees"]);
        let text = format!("trees {filler}where trees line the streets {filler}");
        let snippet = best(&text, &Wanted::of("trees streets"), Precision::Exact);
        assert_eq!(marked(&snippet), ["trees", "streets"]);
        assert!(snippet.is_cut_before && snippet.is_cut_after);
        assert!(snippet.text.len() <= SHOWN_BYTES);
        assert!(snippet.text.starts_with(|it: char| it.is_alphanumeric()));
    }

    proptest! {
        #[test]
        fn marks_lie_in_the_part(text in "(\\PC| |tre){0,300}", query in "\\PC{0,10}") {
            let snippet = best(&text, &Wanted::of(&query), Precision::Typing);
            let mut end = 0;
            for mark in &snippet.marks {
                prop_assert!(mark.start >= end);
                prop_assert!(snippet.text.get(mark.clone()).is_some());
                end = mark.end;
            }
        }
    }
}
