//! Texts as words that are compared, whatever the language.
//!
//! A word is a run of letters and digits with the marks on them. Scripts that put no spaces between
//! words give a word for each character. What is compared is a word without case and without
//! accents, so `Élan`, `elan` and `ELAN` are the same.
//!
//! Invariants:
//! 1. Words come in the order of the text, do not overlap, and lie on boundaries of characters.
//! 2. What is compared is not empty and has at most [`MOST_WORD_BYTES`] bytes.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How many bytes of a word are compared.
pub const MOST_WORD_BYTES: usize = 64;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What is compared.
    pub folded: String,
}

/// The words of a text, in order.
pub fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, first) = rest.find(|(_, it)| it.is_alphanumeric())?;
            let mut end = start + first.len_utf8();
            while let Some((at, next)) = rest.next_if(|(_, it)| continues(first, *it)) {
                end = at + next.len_utf8();
            }
            let folded = fold(text.get(start..end)?);
            if !folded.is_empty() {
                let range = start..end;
                return Some(Word { range, folded });
            }
        }
    })
}

/// A text as what is compared of its words, with spaces between.
#[must_use]
pub fn folded_text(text: &str) -> String {
    let words: Vec<String> = words(text).map(|word| word.folded).collect();
    words.join(" ")
}

fn continues(first: char, next: char) -> bool {
    if stands_alone(first) || stands_alone(next) {
        return is_combining_mark(next);
    }
    next.is_alphanumeric() || is_combining_mark(next)
}

/// Scripts without spaces between words.
fn stands_alone(it: char) -> bool {
    matches!(
        u32::from(it),
        // Thai, Lao; Burmese; Khmer; kana; Han and its extensions.
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF
    )
}

fn fold(word: &str) -> String {
    let plain = word.nfkd().flat_map(char::to_lowercase).nfkd();
    let mut folded = String::with_capacity(word.len());
    for it in plain.filter(|it| !is_accent(*it)) {
        if !it.is_alphanumeric() && !is_combining_mark(it) {
            continue;
        }
        let before = folded.len();
        match spelled_out(it) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(it),
        }
        if folded.len() > MOST_WORD_BYTES {
            folded.truncate(before);
            break;
        }
    }
    folded
}

/// Marks that people leave out when they type. Other marks are vowels, or join letters.
fn is_accent(it: char) -> bool {
    matches!(
        u32::from(it),
        0x0300..=0x036F | 0x0591..=0x05C7 | 0x064B..=0x065F | 0x1AB0..=0x1AFF
        | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F
    )
}

/// Latin letters that Unicode does not take apart.
fn spelled_out(it: char) -> Option<&'static str> {
    Some(match it {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_and_accents_make_no_difference() {
        for (text, expected) in [
            ("Plant TREES, now!", "plant trees now"),
            ("Élan élan e\u{301}lan", "elan elan elan"),
            ("Straße Øre Łódź İstanbul", "strasse ore lodz istanbul"),
            ("don't 42nd ½", "don t 42nd 12"),
            ("ﬁne ＦＵＬＬ", "fine full"),
            ("Ёлка й", "елка и"),
            ("東京タワー", "東 京 タ ワ ー"),
            ("हिन्दी", "हिन्दी"),
            ("\u{301}\u{301} -- \0", ""),
        ] {
            assert_eq!(folded_text(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_word_is_compared_by_its_beginning() {
        let word: String = "ä".repeat(500);
        assert_eq!(folded_text(&word), "a".repeat(MOST_WORD_BYTES));
    }

    proptest! {
        #[test]
        fn words_lie_in_the_text_in_order(text in ".{0,80}") {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(word.range.start >= end);
                prop_assert!(text.get(word.range.clone()).is_some());
                prop_assert!(!word.folded.is_empty() && word.folded.len() <= MOST_WORD_BYTES);
                end = word.range.end;
            }
        }

        #[test]
        fn folding_again_changes_nothing(text in "[a-zA-ZäöüßéÉøŁжЁ0-9 ]{0,40}") {
            let once = folded_text(&text);
            prop_assert_eq!(folded_text(&once), once);
        }
    }
}
