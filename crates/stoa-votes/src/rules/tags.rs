//! Tags: which names there may be, which tag counts in the end, and which policies bear them all.
//!
//! Invariants:
//! 1. The key of a key is itself, and a name is no longer than what is refused without a look.
//! 2. A tag has the identifier of the key it was first made for, so that all who make it agree.
//! 3. No tag is followed further than [`MOST_MERGES`].

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::names::{folded_case, is_invisible, until_stable};
use super::secrets::id_of;
use crate::model::{PolicyId, Tag, TagId, TagRefusal, TagState};

/// Characters that a tag has at least.
pub const SHORTEST_TAG: usize = 2;
/// Characters that a tag has at most.
pub const LONGEST_TAG: usize = 30;
/// Tags that a policy has at most.
pub const MOST_TAGS: usize = 10;
/// Users who must suggest the same before it is done.
pub const QUORUM: usize = 2;
/// How often a tag may be handed on. Merging takes two active tags, so there is no circle.
pub const MOST_MERGES: usize = 64;
/// Bytes of a reason at most.
pub const MOST_REASON_BYTES: usize = 1_000;
/// Bytes of a text that is looked at as a tag at all.
const MOST_TAG_BYTES: usize = 512;

/// A name that a tag may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagName {
    /// As it is shown.
    pub shown: String,
    /// As it is claimed: without upper case.
    pub key: String,
}

impl TagName {
    /// The name of a text. Spaces around it are dropped, and several in a row are one.
    ///
    /// # Errors
    /// Why no tag may have it.
    pub fn of(text: &str) -> Result<Self, TagRefusal> {
        if text.len() > MOST_TAG_BYTES {
            return Err(TagRefusal::TooLong);
        }
        let normal: String = text.nfkc().collect();
        let words: Vec<&str> = normal.split(' ').filter(|word| !word.is_empty()).collect();
        let shown = words.join(" ");
        let is_good = |character: char| {
            let is_letter = character.is_alphanumeric() || is_combining_mark(character);
            (is_letter || matches!(character, ' ' | '-')) && !is_invisible(character)
        };
        if !shown.chars().all(is_good) || shown.chars().next().is_some_and(is_combining_mark) {
            return Err(TagRefusal::BadCharacter);
        }
        match shown.chars().count() {
            ..SHORTEST_TAG => return Err(TagRefusal::TooShort),
            SHORTEST_TAG..=LONGEST_TAG => {}
            _ => return Err(TagRefusal::TooLong),
        }
        if !shown.chars().any(char::is_alphanumeric) {
            return Err(TagRefusal::BadCharacter);
        }
        let key = until_stable(&shown, folded_case);
        Ok(Self { shown, key })
    }

    /// The tag that is made for this name, if no tag has it.
    #[must_use]
    pub fn new_tag(&self) -> TagId {
        TagId(id_of("tag", self.key.as_bytes()))
    }
}

/// The tag that counts for a tag in the end, of all that there are; none if that was deleted.
#[must_use]
pub fn tag_that_counts(tags: &BTreeMap<TagId, Tag>, tag: TagId) -> Option<&Tag> {
    let mut at = tags.get(&tag)?;
    for _ in 0..MOST_MERGES {
        match at.merged_to {
            Some(next) => at = tags.get(&next)?,
            None => break,
        }
    }
    (at.state == TagState::Active).then_some(at)
}

/// The policies that are in every list; the smallest list is gone through. None for no lists.
#[must_use]
pub fn in_all(lists: &[BTreeSet<PolicyId>]) -> Vec<PolicyId> {
    let Some(smallest) = lists.iter().min_by_key(|list| list.len()) else {
        return Vec::new();
    };
    let is_in_all = |policy: &&PolicyId| lists.iter().all(|list| list.contains(*policy));
    smallest.iter().filter(is_in_all).copied().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn code(text: &str) -> &'static str {
        TagName::of(text).map_or_else(TagRefusal::code, |_| "fine")
    }

    fn tag(number: u128, state: TagState, merged_to: Option<u128>) -> (TagId, Tag) {
        let id = TagId(Uuid::from_u128(number));
        let tag = Tag {
            id,
            state,
            name: number.to_string(),
            key: number.to_string(),
            merged_to: merged_to.map(|to| TagId(Uuid::from_u128(to))),
            merged_from: BTreeSet::new(),
            change: Uuid::nil(),
            act: None,
        };
        (id, tag)
    }

    #[test]
    fn names_are_the_same_whatever_their_case_and_spaces() {
        let one = TagName::of("  Green   Energy ").unwrap();
        assert_eq!(one.shown, "Green Energy");
        let other = TagName::of("ＧＲＥＥＮ energy").unwrap();
        assert_eq!(one.key, other.key);
        assert_eq!(one.new_tag(), other.new_tag());
        let hyphen = TagName::of("green-energy").unwrap();
        assert_ne!(one.new_tag(), hyphen.new_tag());
        let sharp = TagName::of("Straße").unwrap();
        assert_eq!(sharp.key, TagName::of("STRASSE").unwrap().key);
    }

    #[test]
    fn every_refused_name_says_why() {
        for short in ["", "   ", "a"] {
            assert_eq!(code(short), "tag_too_short", "{short:?}");
        }
        assert_eq!(code(&"a".repeat(30)), "fine");
        assert_eq!(code(&"a".repeat(31)), "tag_too_long");
        assert_eq!(code(&"a".repeat(100_000)), "tag_too_long");
        for bad in [
            "a\nb",
            "a\tb",
            "a,b",
            "--",
            "- -",
            "a\u{202e}b",
            "\u{301}ab",
            "ab\u{3164}",
        ] {
            assert_eq!(code(bad), "tag_bad_character", "{bad:?}");
        }
        for fine in [
            "eu",
            "5g",
            "Öffentlicher Verkehr",
            "環境",
            "नदी",
            "e-mobility",
        ] {
            assert_eq!(code(fine), "fine", "{fine}");
        }
    }

    #[test]
    fn merges_are_followed_and_what_is_deleted_counts_for_nothing() {
        let tags = BTreeMap::from([
            tag(1, TagState::Merged, Some(2)),
            tag(2, TagState::Merged, Some(3)),
            tag(3, TagState::Active, None),
            tag(4, TagState::Merged, Some(5)),
            tag(5, TagState::Deleted, None),
            tag(6, TagState::Merged, Some(6)),
        ]);
        let found = |number| {
            let tag = tag_that_counts(&tags, TagId(Uuid::from_u128(number)));
            tag.map(|tag| tag.id.0.as_u128())
        };
        assert_eq!(
            [1, 3, 4, 6, 7].map(found),
            [Some(3), Some(3), None, None, None]
        );
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_itself(text in "\\PC{0,12}") {
            if let Ok(name) = TagName::of(&text) {
                let again = TagName::of(&name.shown).unwrap();
                prop_assert_eq!(&again, &name);
                if let Ok(of_key) = TagName::of(&name.key) {
                    prop_assert_eq!(of_key.key, name.key);
                }
            }
        }

        #[test]
        fn what_is_in_all_lists_is_found(lists in prop::collection::vec(
            prop::collection::btree_set(0_u128..12, 0..10), 1..5,
        )) {
            let ids = |list: &BTreeSet<u128>| -> BTreeSet<PolicyId> {
                list.iter().map(|it| PolicyId(Uuid::from_u128(*it))).collect()
            };
            let asked: Vec<_> = lists.iter().map(ids).collect();
            let expected: BTreeSet<u128> =
                (0..12).filter(|it| lists.iter().all(|list| list.contains(it))).collect();
            let found: BTreeSet<PolicyId> = in_all(&asked).into_iter().collect();
            prop_assert_eq!(found, ids(&expected));
        }
    }

    #[test]
    fn no_tags_are_on_no_policies() {
        assert!(in_all(&[]).is_empty());
    }
}
