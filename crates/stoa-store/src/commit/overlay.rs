//! A commit group's own changes over the last snapshot.
//!
//! Updates of one group are merged one after another; each sees what those before it wrote. Nobody
//! outside the group sees anything until the group is committed.
//!
//! Invariants:
//! 1. Reading through the overlay equals reading the store after the group's commit.
//! 2. [`Overlay::roll_back`] leaves exactly what was there at the last [`Overlay::keep`].

use std::iter::Peekable;

use super::changes::{Changes, Walk};
use crate::error::StoreError;
use crate::key::check_length;
use crate::kv::{Bytes, Change, Direction, Pairs, Read, SpaceId};

/// Changes over a snapshot.
pub struct Overlay<'s> {
    base: &'s dyn Read,
    /// Sorted by space; a group touches few.
    changes: Vec<(SpaceId, Changes)>,
    undo: Vec<(SpaceId, Bytes, Option<Option<Bytes>>)>,
}

impl<'s> Overlay<'s> {
    /// No changes over `base`.
    pub fn new(base: &'s dyn Read) -> Self {
        Self {
            base,
            changes: Vec::new(),
            undo: Vec::new(),
        }
    }

    /// Sets a key.
    pub fn put(&mut self, space: SpaceId, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        check_length(key)?;
        self.change(space, key, Some(value.into()));
        Ok(())
    }

    /// Removes a key.
    pub fn remove(&mut self, space: SpaceId, key: &[u8]) {
        self.change(space, key, None);
    }

    fn change(&mut self, space: SpaceId, key: &[u8], value: Option<Bytes>) {
        let key = Bytes::from(key);
        let index = match self.changes.binary_search_by_key(&space, |(it, _)| *it) {
            Ok(index) => index,
            Err(index) => {
                self.changes.insert(index, (space, Changes::new()));
                index
            }
        };
        let Some((_, changes)) = self.changes.get_mut(index) else {
            return;
        };
        let before = changes.insert(key.clone(), value);
        self.undo.push((space, key, before));
    }

    /// Keeps everything so far, whatever is rolled back later.
    pub fn keep(&mut self) {
        self.undo.clear();
    }

    /// Takes back everything since the last [`Overlay::keep`].
    pub fn roll_back(&mut self) {
        while let Some((space, key, before)) = self.undo.pop() {
            let Some((_, changes)) = self.changes.iter_mut().find(|(it, _)| *it == space) else {
                continue;
            };

            match before {
                Some(value) => {
                    changes.insert(key, value);
                }
                None => changes.forget(&key),
            }
        }
    }

    fn changes_of(&self, space: SpaceId) -> Option<&Changes> {
        let index = self
            .changes
            .binary_search_by_key(&space, |(it, _)| *it)
            .ok()?;
        self.changes.get(index).map(|(_, changes)| changes)
    }

    /// The changes, sorted by space and key.
    #[must_use]
    pub fn into_changes(self) -> Vec<Change> {
        let mut all = Vec::new();
        for (space, changes) in self.changes {
            let sorted = changes.into_sorted().into_iter();
            all.extend(sorted.map(|(key, value)| Change { space, key, value }));
        }
        all
    }
}

impl Read for Overlay<'_> {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.changes_of(space).and_then(|changes| changes.get(key)) {
            Some(value) => Ok(value.clone()),
            None => self.base.get(space, key),
        }
    }

    fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Result<Pairs<'_>, StoreError> {
        let base = self.base.range(space, start, end, direction)?;
        let Some(changes) = self.changes_of(space).filter(|_| start < end) else {
            return Ok(base);
        };
        let changed = changes.range(start, end, direction);
        Ok(Box::new(Merged {
            base: base.peekable(),
            changed: changed.peekable(),
            direction,
        }))
    }
}

/// The base's pairs with the changed ones in their places.
struct Merged<'a> {
    base: Peekable<Pairs<'a>>,
    changed: Peekable<Walk<'a>>,
    direction: Direction,
}

impl Iterator for Merged<'_> {
    type Item = Result<(Bytes, Bytes), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.base.peek(), self.changed.peek()) {
                (Some(Ok((base, _))), Some((changed, _))) => match self.direction {
                    Direction::Forward => base.cmp(changed),
                    Direction::Backward => changed.cmp(&base),
                },
                (_, None) | (Some(Err(_)), _) => return self.base.next(),
                (None, Some(_)) => std::cmp::Ordering::Greater,
            };
            if order.is_lt() {
                return self.base.next();
            }
            if order.is_eq() {
                // The changed value stands for the stored one.
                self.base.next();
            }
            if let Some((key, Some(value))) = self.changed.next() {
                return Some(Ok((key.clone(), value.clone())));
            }
        }
    }
}
