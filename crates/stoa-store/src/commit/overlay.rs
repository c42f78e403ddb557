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

/// How large the memory may be that is kept for the next group.
const SPARE_BYTES: usize = 64 << 10;
const SPARE_CHANGES: usize = 1024;

/// Memory of one commit group that the next one uses again, so that most groups allocate nothing
/// but the keys and values they store.
#[derive(Debug, Default)]
pub struct Spare {
    changes: Vec<Change>,
    row: RowBuffers,
}

/// Where the key and the value of a row are put together. Both are empty.
#[derive(Debug, Default)]
pub(crate) struct RowBuffers {
    pub(crate) key: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Spare {
    /// Empty buffers for a row.
    pub(crate) fn take_row(&mut self) -> RowBuffers {
        std::mem::take(&mut self.row)
    }

    /// Keeps the buffers for the next row.
    pub(crate) fn give_back_row(&mut self, mut row: RowBuffers) {
        row.key.clear();
        row.value.clear();
        if row.value.capacity() <= SPARE_BYTES {
            self.row = row;
        }
    }

    /// Keeps the list of a group that has been committed.
    pub(crate) fn give_back_changes(&mut self, mut changes: Vec<Change>) {
        if changes.capacity() <= SPARE_CHANGES {
            changes.clear();
            self.changes = changes;
        }
    }
}

/// Changes over a snapshot.
pub struct Overlay<'s> {
    base: &'s dyn Read,
    changes: Changes,
    /// Whether there were changes at the last [`Overlay::keep`]. While there were none, rolling
    /// back is forgetting everything, and nothing need be noted for it.
    has_kept: bool,
    undo: Vec<(SpaceId, Bytes, Option<Option<Bytes>>)>,
    pub(crate) spare: &'s mut Spare,
}

impl<'s> Overlay<'s> {
    /// No changes over `base`.
    pub fn new(base: &'s dyn Read, spare: &'s mut Spare) -> Self {
        Self {
            base,
            changes: Changes::new(std::mem::take(&mut spare.changes)),
            has_kept: false,
            undo: Vec::new(),
            spare,
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
        let undo_key = self.has_kept.then(|| key.clone());
        let before = self.changes.insert(Change { space, key, value });
        if let Some(key) = undo_key {
            self.undo.push((space, key, before));
        }
    }

    /// Keeps everything so far, whatever is rolled back later.
    pub fn keep(&mut self) {
        self.undo.clear();
        self.has_kept = !self.changes.is_empty();
    }

    /// Takes back everything since the last [`Overlay::keep`].
    pub fn roll_back(&mut self) {
        if !self.has_kept {
            self.changes.clear();
        }
        while let Some((space, key, before)) = self.undo.pop() {
            match before {
                Some(value) => {
                    self.changes.insert(Change { space, key, value });
                }
                None => self.changes.forget(space, &key),
            }
        }
    }

    /// The changes, sorted by space and key.
    #[must_use]
    pub fn into_changes(self) -> Vec<Change> {
        self.changes.into_sorted()
    }
}

impl Read for Overlay<'_> {
    #[inline]
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.changes.get(space, key) {
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
        if self.changes.is_empty() || start >= end {
            return Ok(base);
        }
        let changed = self.changes.range(space, start, end, direction);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// An empty store.
    struct Nothing;

    impl Read for Nothing {
        fn get(&self, _: SpaceId, _: &[u8]) -> Result<Option<Bytes>, StoreError> {
            Ok(None)
        }

        fn range(
            &self,
            _: SpaceId,
            _: &[u8],
            _: &[u8],
            _: Direction,
        ) -> Result<Pairs<'_>, StoreError> {
            Ok(Box::new(std::iter::empty()))
        }
    }

    proptest! {
        #[test]
        fn rolling_back_leaves_what_was_kept(
            works in prop::collection::vec(
                (any::<bool>(), prop::collection::vec((0..2_u64, 0..30_u8, any::<Option<u8>>()), 0..20)),
                0..8,
            ),
        ) {
            let mut spare = Spare::default();
            let mut overlay = Overlay::new(&Nothing, &mut spare);
            let mut kept = BTreeMap::new();
            for (is_kept, changes) in works {
                let mut changed = kept.clone();
                for (space, key, value) in changes {
                    match value {
                        Some(value) => overlay.put(SpaceId(space), &[key], &[value]).unwrap(),
                        None => overlay.remove(SpaceId(space), &[key]),
                    }
                    changed.insert((space, key), value);
                }
                if is_kept {
                    overlay.keep();
                    kept = changed;
                } else {
                    overlay.roll_back();
                }
            }
            let changes = overlay.into_changes();
            let changes: Vec<_> = changes
                .iter()
                .map(|it| ((it.space.0, it.key[0]), it.value.as_ref().map(|it| it[0])))
                .collect();
            prop_assert_eq!(changes, kept.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn memory_of_a_group_is_used_by_the_next() {
        let mut spare = Spare::default();
        let mut row = spare.take_row();
        row.key.extend_from_slice(b"left over");
        row.value.extend_from_slice(b"left over");
        spare.give_back_row(row);
        let mut overlay = Overlay::new(&Nothing, &mut spare);
        overlay.put(SpaceId(1), b"key", b"value").unwrap();
        let changes = overlay.into_changes();
        spare.give_back_changes(changes);
        let mut row = spare.take_row();
        assert!(row.key.is_empty() && row.key.capacity() > 0);
        assert!(row.value.is_empty() && row.value.capacity() > 0);
        row.value.reserve(SPARE_BYTES + 1);
        spare.give_back_row(row);
        let row = spare.take_row();
        assert_eq!(row.value.capacity(), 0, "large ones are let go");
        let changes = Overlay::new(&Nothing, &mut spare).into_changes();
        assert!(changes.is_empty() && changes.capacity() > 0);
    }
}
