//! The changed keys of one space, sorted: a short list while they are few, a tree when many.
//!
//! Most commit groups change a handful of keys, for which a sorted list costs one allocation.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::kv::{Bytes, Direction};

/// A changed key: its new value, or `None` if it is removed.
pub(crate) type Changed = (Bytes, Option<Bytes>);

/// A walk over changed keys.
pub(crate) type Walk<'a> = Box<dyn Iterator<Item = (&'a Bytes, &'a Option<Bytes>)> + 'a>;

/// How many keys a list may hold.
const FEW: usize = 48;

/// Changed keys of one space.
#[derive(Debug)]
pub(crate) enum Changes {
    /// A sorted list.
    Few(Vec<Changed>),
    /// A tree.
    Many(BTreeMap<Bytes, Option<Bytes>>),
}

impl Changes {
    /// No changes.
    pub(crate) fn new() -> Self {
        Self::Few(Vec::with_capacity(2))
    }

    /// The change of a key, if there is one.
    pub(crate) fn get(&self, key: &[u8]) -> Option<&Option<Bytes>> {
        match self {
            Self::Few(list) => {
                let index = find(list, key).ok()?;
                list.get(index).map(|(_, value)| value)
            }
            Self::Many(tree) => tree.get(key),
        }
    }

    /// Sets the change of a key; returns the one before.
    pub(crate) fn insert(&mut self, key: Bytes, value: Option<Bytes>) -> Option<Option<Bytes>> {
        let list = match self {
            Self::Many(tree) => return tree.insert(key, value),
            Self::Few(list) => list,
        };
        match find(list, &key) {
            Ok(index) => list
                .get_mut(index)
                .map(|(_, old)| std::mem::replace(old, value)),
            Err(index) => {
                list.insert(index, (key, value));
                if list.len() > FEW {
                    *self = Self::Many(std::mem::take(list).into_iter().collect());
                }
                None
            }
        }
    }

    /// Forgets the change of a key.
    pub(crate) fn forget(&mut self, key: &[u8]) {
        match self {
            Self::Few(list) => {
                if let Ok(index) = find(list, key) {
                    list.remove(index);
                }
            }
            Self::Many(tree) => {
                tree.remove(key);
            }
        }
    }

    /// The changes with `start <= key < end`.
    pub(crate) fn range(&self, start: &[u8], end: &[u8], direction: Direction) -> Walk<'_> {
        match self {
            Self::Few(list) => {
                let first = find(list, start).unwrap_or_else(|index| index);
                let last = find(list, end).unwrap_or_else(|index| index);
                let part = list.get(first..last).unwrap_or_default().iter();
                match direction {
                    Direction::Forward => Box::new(part.map(|(key, value)| (key, value))),
                    Direction::Backward => Box::new(part.rev().map(|(key, value)| (key, value))),
                }
            }
            Self::Many(tree) => {
                let bounds = (Bound::Included(start), Bound::Excluded(end));
                let part = tree.range::<[u8], _>(bounds);
                match direction {
                    Direction::Forward => Box::new(part),
                    Direction::Backward => Box::new(part.rev()),
                }
            }
        }
    }

    /// All changes, sorted.
    pub(crate) fn into_sorted(self) -> Vec<Changed> {
        match self {
            Self::Few(list) => list,
            Self::Many(tree) => tree.into_iter().collect(),
        }
    }
}

fn find(list: &[Changed], key: &[u8]) -> Result<usize, usize> {
    list.binary_search_by(|(it, _)| (**it).cmp(key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_list_and_a_tree_are_one(
            steps in prop::collection::vec((any::<u8>(), any::<Option<u8>>(), any::<bool>()), 0..150),
            start: u8,
            end: u8,
        ) {
            let mut changes = Changes::new();
            let mut model = BTreeMap::new();
            for (key, value, forget) in steps {
                let (key, value) = (Bytes::from([key]), value.map(|it| Bytes::from([it])));
                if forget {
                    changes.forget(&key);
                    model.remove(&key);
                } else {
                    prop_assert_eq!(
                        changes.insert(key.clone(), value.clone()),
                        model.insert(key, value)
                    );
                }
            }
            for key in 0..=255_u8 {
                prop_assert_eq!(changes.get(&[key]), model.get(&Bytes::from([key])));
            }
            if start <= end {
                let expected: Vec<_> = model.range(Bytes::from([start])..Bytes::from([end])).collect();
                let mut got: Vec<_> = changes.range(&[start], &[end], Direction::Forward).collect();
                prop_assert_eq!(&got, &expected);
                got = changes.range(&[start], &[end], Direction::Backward).collect();
                got.reverse();
                prop_assert_eq!(&got, &expected);
            }
            prop_assert_eq!(changes.into_sorted(), model.into_iter().collect::<Vec<_>>());
        }
    }
}
