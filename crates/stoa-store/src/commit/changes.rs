//! The changed keys of a commit group, sorted: a short list while they are few, trees when many.
//!
//! Most groups change a handful of keys, for which a sorted list costs no allocation: the list is
//! the one of the last group, emptied.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

use crate::kv::{Bytes, Change, Direction, SpaceId};

/// A walk over changed keys: each has a new value, or `None` if it is removed.
pub(crate) type Walk<'a> = Box<dyn Iterator<Item = (&'a Bytes, &'a Option<Bytes>)> + 'a>;

/// How many keys a list may hold.
const FEW: usize = 48;

/// Changed keys of all spaces.
#[derive(Debug)]
pub(crate) enum Changes {
    /// A list, sorted by space and key.
    Few(Vec<Change>),
    /// A tree for each space.
    Many(BTreeMap<SpaceId, BTreeMap<Bytes, Option<Bytes>>>),
}

impl Changes {
    /// No changes yet; they will be put into `list`, which must be empty.
    pub(crate) fn new(list: Vec<Change>) -> Self {
        Self::Few(list)
    }

    /// True when nothing is changed.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Few(list) => list.is_empty(),
            Self::Many(spaces) => spaces.values().all(BTreeMap::is_empty),
        }
    }

    /// The change of a key, if there is one.
    #[inline]
    pub(crate) fn get(&self, space: SpaceId, key: &[u8]) -> Option<&Option<Bytes>> {
        match self {
            Self::Few(list) if list.is_empty() => None,
            Self::Few(list) => {
                let index = find(list, space, key).ok()?;
                list.get(index).map(|change| &change.value)
            }
            Self::Many(spaces) => spaces.get(&space)?.get(key),
        }
    }

    /// Sets the change of a key; returns the one before.
    pub(crate) fn insert(&mut self, change: Change) -> Option<Option<Bytes>> {
        let list = match self {
            Self::Many(spaces) => {
                let tree = spaces.entry(change.space).or_default();
                return tree.insert(change.key, change.value);
            }
            Self::Few(list) => list,
        };
        // Most changes come alone, or in order.
        let is_last = list
            .last()
            .is_none_or(|last| order(last, change.space, &change.key).is_lt());
        if is_last && list.len() < FEW {
            list.push(change);
            return None;
        }
        match find(list, change.space, &change.key) {
            Ok(index) => list
                .get_mut(index)
                .map(|old| std::mem::replace(&mut old.value, change.value)),
            Err(index) => {
                list.insert(index, change);
                if list.len() > FEW {
                    let mut many = Self::Many(BTreeMap::new());
                    for change in std::mem::take(list) {
                        many.insert(change);
                    }
                    *self = many;
                }
                None
            }
        }
    }

    /// Forgets the change of a key.
    pub(crate) fn forget(&mut self, space: SpaceId, key: &[u8]) {
        match self {
            Self::Few(list) => {
                if let Ok(index) = find(list, space, key) {
                    list.remove(index);
                }
            }
            Self::Many(spaces) => {
                if let Some(tree) = spaces.get_mut(&space) {
                    tree.remove(key);
                }
            }
        }
    }

    /// Forgets all changes.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Few(list) => list.clear(),
            Self::Many(spaces) => spaces.clear(),
        }
    }

    /// The changes of a space with `start <= key < end`.
    pub(crate) fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Walk<'_> {
        match self {
            Self::Few(list) => {
                let first = find(list, space, start).unwrap_or_else(|index| index);
                let last = find(list, space, end).unwrap_or_else(|index| index);
                let part = list.get(first..last).unwrap_or_default().iter();
                match direction {
                    Direction::Forward => Box::new(part.map(|it| (&it.key, &it.value))),
                    Direction::Backward => Box::new(part.rev().map(|it| (&it.key, &it.value))),
                }
            }
            Self::Many(spaces) => {
                let Some(tree) = spaces.get(&space) else {
                    return Box::new(std::iter::empty());
                };
                let bounds = (Bound::Included(start), Bound::Excluded(end));
                let part = tree.range::<[u8], _>(bounds);
                match direction {
                    Direction::Forward => Box::new(part),
                    Direction::Backward => Box::new(part.rev()),
                }
            }
        }
    }

    /// All changes, sorted by space and key.
    pub(crate) fn into_sorted(self) -> Vec<Change> {
        match self {
            Self::Few(list) => list,
            Self::Many(spaces) => {
                let changes = spaces.into_iter().flat_map(|(space, tree)| {
                    tree.into_iter()
                        .map(move |(key, value)| Change { space, key, value })
                });
                changes.collect()
            }
        }
    }
}

fn find(list: &[Change], space: SpaceId, key: &[u8]) -> Result<usize, usize> {
    list.binary_search_by(|it| order(it, space, key))
}

fn order(change: &Change, space: SpaceId, key: &[u8]) -> Ordering {
    change
        .space
        .cmp(&space)
        .then_with(|| (*change.key).cmp(key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(walk: Walk<'_>) -> Vec<(u8, Option<u8>)> {
        let first = |bytes: &Bytes| bytes.first().copied().unwrap_or_default();
        walk.map(|(key, value)| (first(key), value.as_ref().map(first)))
            .collect()
    }

    proptest! {
        #[test]
        fn a_list_and_trees_are_one(
            steps in prop::collection::vec(
                (0..3_u64, any::<u8>(), any::<Option<u8>>(), any::<bool>()),
                0..150,
            ),
            start: u8,
            end: u8,
        ) {
            let mut changes = Changes::new(Vec::new());
            let mut model = BTreeMap::new();
            for (space, key, value, forget) in steps {
                if forget {
                    changes.forget(SpaceId(space), &[key]);
                    model.remove(&(space, key));
                } else {
                    let before = changes.insert(Change {
                        space: SpaceId(space),
                        key: Bytes::from([key]),
                        value: value.map(|it| Bytes::from([it])),
                    });
                    let before = before.map(|it| it.and_then(|it| it.first().copied()));
                    prop_assert_eq!(before, model.insert((space, key), value));
                }
                prop_assert_eq!(changes.is_empty(), model.is_empty());
            }
            for space in 0..3 {
                for key in 0..=255_u8 {
                    let change = changes.get(SpaceId(space), &[key]);
                    let change = change.map(|it| it.as_ref().and_then(|it| it.first().copied()));
                    prop_assert_eq!(change, model.get(&(space, key)).copied());
                }
                if start <= end {
                    let part = model.range((space, start)..(space, end));
                    let expected: Vec<_> = part.map(|((_, key), value)| (*key, *value)).collect();
                    let range = |direction| {
                        pairs(changes.range(SpaceId(space), &[start], &[end], direction))
                    };
                    prop_assert_eq!(&range(Direction::Forward), &expected);
                    let mut backward = range(Direction::Backward);
                    backward.reverse();
                    prop_assert_eq!(&backward, &expected);
                }
            }
            let sorted = changes.into_sorted();
            let sorted: Vec<_> = sorted.iter().map(|it| (it.space.0, it.key[0])).collect();
            prop_assert_eq!(sorted, model.into_keys().collect::<Vec<_>>());
        }
    }
}
