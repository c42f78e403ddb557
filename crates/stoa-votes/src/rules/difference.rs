//! What changed between two texts, word by word.
//!
//! The shortest edit is found by Myers' algorithm, whose work grows with the number of differences;
//! beyond a limit of those the texts are taken as wholly different between their common beginning
//! and end.
//!
//! Invariant: the kept and removed pieces in their order are the old text, the kept and added ones
//! the new.

/// How many differences are looked for at most.
const MOST_EDITS: usize = 1_000;

/// A piece of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// In both.
    Kept(String),
    /// In the old one.
    Removed(String),
    /// In the new one.
    Added(String),
}

/// What changed from one text to another.
#[must_use]
pub fn difference(old: &str, new: &str) -> Vec<Piece> {
    let (old, new) = (words(old), words(new));
    let same = |(one, other): &(&&str, &&str)| one == other;
    let start = old.iter().zip(new.iter()).take_while(same).count();
    let (old_rest, new_rest) = (tail(&old, start), tail(&new, start));
    let pairs = old_rest.iter().rev().zip(new_rest.iter().rev());
    let end = pairs.take_while(same).count();
    let old_middle = head(old_rest, old_rest.len() - end);
    let new_middle = head(new_rest, new_rest.len() - end);
    let mut pieces = Pieces::default();
    head(&old, start).iter().for_each(|word| pieces.kept(word));
    match edits(old_middle, new_middle) {
        Some(edits) => edits.into_iter().for_each(|edit| match edit {
            Edit::Keep(word) => pieces.kept(word),
            Edit::Remove(word) => pieces.removed(word),
            Edit::Add(word) => pieces.added(word),
        }),
        None => {
            old_middle.iter().for_each(|word| pieces.removed(word));
            new_middle.iter().for_each(|word| pieces.added(word));
        }
    }
    let kept = tail(old_rest, old_rest.len() - end);
    kept.iter().for_each(|word| pieces.kept(word));
    pieces.0
}

fn head<'a, 'b>(words: &'a [&'b str], count: usize) -> &'a [&'b str] {
    words.get(..count).unwrap_or_default()
}

fn tail<'a, 'b>(words: &'a [&'b str], from: usize) -> &'a [&'b str] {
    words.get(from..).unwrap_or_default()
}

/// Words and what stands between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = match is_word {
            true => rest.find(|it: char| !it.is_alphanumeric()),
            false => Some(first.len_utf8()),
        };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

enum Edit<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Add(&'a str),
}

/// The shortest way from one to the other; `None` if it is too long.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Option<Vec<Edit<'a>>> {
    let most = (old.len() + new.len()).min(MOST_EDITS);
    let width = 2 * most + 3;
    let place = |diagonal: isize| usize::try_from(diagonal + most as isize + 1).unwrap_or(0);
    // How far into the old text each diagonal gets with so many edits, and before the last of them.
    let mut reach = vec![0_usize; width];
    let mut trail = Vec::new();
    for count in 0..=most {
        trail.push(reach.clone());
        let at_most = count as isize;
        for diagonal in (-at_most..=at_most).step_by(2) {
            let at = |diagonal: isize| reach.get(place(diagonal)).copied().unwrap_or(0);
            let down = diagonal == -at_most
                || (diagonal != at_most && at(diagonal - 1) < at(diagonal + 1));
            let mut from_old = match down {
                true => at(diagonal + 1),
                false => at(diagonal - 1) + 1,
            };
            let mut from_new = usize::try_from(from_old as isize - diagonal).unwrap_or(0);
            while from_old < old.len()
                && from_new < new.len()
                && old.get(from_old) == new.get(from_new)
            {
                (from_old, from_new) = (from_old + 1, from_new + 1);
            }
            if let Some(slot) = reach.get_mut(place(diagonal)) {
                *slot = from_old;
            }
            if from_old >= old.len() && from_new >= new.len() {
                return Some(backwards(old, new, &trail, place));
            }
        }
    }
    None
}

/// Walks the trail back from the ends of both texts.
fn backwards<'a>(
    old: &[&'a str],
    new: &[&'a str],
    trail: &[Vec<usize>],
    place: impl Fn(isize) -> usize,
) -> Vec<Edit<'a>> {
    let (mut in_old, mut in_new) = (old.len() as isize, new.len() as isize);
    let mut edits = Vec::new();
    let word = |words: &[&'a str], at: isize| {
        let at = usize::try_from(at).ok();
        at.and_then(|at| words.get(at).copied()).unwrap_or("")
    };
    for (count, reach) in trail.iter().enumerate().rev() {
        let at_most = count as isize;
        let at = |diagonal: isize| {
            let reached = reach.get(place(diagonal)).copied().unwrap_or(0);
            reached as isize
        };
        let diagonal = in_old - in_new;
        let down =
            diagonal == -at_most || (diagonal != at_most && at(diagonal - 1) < at(diagonal + 1));
        let before = if down { diagonal + 1 } else { diagonal - 1 };
        let (old_before, new_before) = match count {
            0 => (0, 0),
            _ => (at(before), at(before) - before),
        };
        while in_old > old_before && in_new > new_before {
            (in_old, in_new) = (in_old - 1, in_new - 1);
            edits.push(Edit::Keep(word(old, in_old)));
        }
        if count == 0 {
            break;
        }
        edits.push(match down {
            true => Edit::Add(word(new, new_before)),
            false => Edit::Remove(word(old, old_before)),
        });
        (in_old, in_new) = (old_before, new_before);
    }
    edits.reverse();
    edits
}

/// Pieces, where neighbours of one sort are one.
#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn kept(&mut self, word: &str) {
        match self.0.last_mut() {
            Some(Piece::Kept(text)) => text.push_str(word),
            _ => self.0.push(Piece::Kept(word.to_owned())),
        }
    }

    fn removed(&mut self, word: &str) {
        match self.0.last_mut() {
            Some(Piece::Removed(text)) => text.push_str(word),
            _ => self.0.push(Piece::Removed(word.to_owned())),
        }
    }

    fn added(&mut self, word: &str) {
        match self.0.last_mut() {
            Some(Piece::Added(text)) => text.push_str(word),
            _ => self.0.push(Piece::Added(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sides(pieces: &[Piece]) -> (String, String) {
        let (mut old, mut new) = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Kept(text) => {
                    old.push_str(text);
                    new.push_str(text);
                }
                Piece::Removed(text) => old.push_str(text),
                Piece::Added(text) => new.push_str(text),
            }
        }
        (old, new)
    }

    #[test]
    fn a_changed_word_is_all_that_is_told() {
        let pieces = difference("Plant ten trees.", "Plant forty trees.");
        let expected = [
            Piece::Kept("Plant ".to_owned()),
            Piece::Removed("ten".to_owned()),
            Piece::Added("forty".to_owned()),
            Piece::Kept(" trees.".to_owned()),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn wholly_different_texts_do_not_take_long() {
        let (old, new) = ("a ".repeat(10_000), "b ".repeat(10_000));
        assert_eq!(sides(&difference(&old, &new)), (old, new));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_pieces(
            old in "[abü .\n]{0,60}",
            new in "[abü .\n]{0,60}",
        ) {
            let pieces = difference(&old, &new);
            prop_assert_eq!(sides(&pieces), (old.clone(), new.clone()));
            prop_assert_eq!(difference(&old, &old).len(), usize::from(!old.is_empty()));
        }
    }
}
