//! Reading fjall as of one commit.

use std::ops::Bound;
use std::sync::Arc;

use ::fjall::{LsmError, Readable};

use super::Spaces;
use crate::error::StoreError;
use crate::key::MAX_KEY_BYTES;
use crate::kv::{Bytes, Direction, Pairs, Read, SpaceId};

/// All spaces as of one commit.
pub(super) struct FjallSnapshot {
    pub(super) snapshot: ::fjall::Snapshot,
    pub(super) spaces: Arc<Spaces>,
    pub(super) _users: Arc<()>,
}

impl Read for FjallSnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        // A space made after the snapshot is empty in it.
        let keyspace = self.spaces.get(&space).filter(|_| is_storable(key));
        let Some(keyspace) = keyspace else {
            return Ok(None);
        };
        self.snapshot
            .get(keyspace, key)
            .map_err(|error| read_error(space, error))
    }

    fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Result<Pairs<'_>, StoreError> {
        let Some(keyspace) = self.spaces.get(&space).filter(|_| start < end) else {
            return Ok(Box::new(std::iter::empty()));
        };
        Ok(pairs(
            space,
            self.snapshot
                .range::<&[u8], _>(keyspace, storable(start, end)),
            direction,
        ))
    }
}

/// All spaces as they are now. Only for the thread that commits.
impl Read for Spaces {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let Some(keyspace) = self.get(&space).filter(|_| is_storable(key)) else {
            return Ok(None);
        };
        keyspace.get(key).map_err(|error| read_error(space, error))
    }

    fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Result<Pairs<'_>, StoreError> {
        Ok(match self.get(&space).filter(|_| start < end) {
            Some(keyspace) => pairs(
                space,
                keyspace.range::<&[u8], _>(storable(start, end)),
                direction,
            ),
            None => Box::new(std::iter::empty()),
        })
    }
}

/// Whether a key can be stored at all; fjall panics at longer ones.
fn is_storable(key: &[u8]) -> bool {
    key.len() <= MAX_KEY_BYTES
}

/// The same interval with ends that can be stored. A storable key is below a longer one exactly if
/// it is not above what the longer one begins with.
fn storable<'k>(start: &'k [u8], end: &'k [u8]) -> (Bound<&'k [u8]>, Bound<&'k [u8]>) {
    let first = match start.get(..MAX_KEY_BYTES) {
        Some(cut) if !is_storable(start) => Bound::Excluded(cut),
        _ => Bound::Included(start),
    };
    let last = match end.get(..MAX_KEY_BYTES) {
        Some(cut) if !is_storable(end) => Bound::Included(cut),
        _ => Bound::Excluded(end),
    };
    (first, last)
}

/// The pairs of a walk of fjall's, in the given direction.
fn pairs<'a>(space: SpaceId, walk: ::fjall::Iter, direction: Direction) -> Pairs<'a> {
    let pair =
        move |guard: ::fjall::Guard| guard.into_inner().map_err(|error| read_error(space, error));
    match direction {
        Direction::Forward => Box::new(walk.map(pair)),
        Direction::Backward => Box::new(walk.rev().map(pair)),
    }
}

/// What fjall could not read is damage, unless the system said so.
fn read_error(space: SpaceId, error: ::fjall::Error) -> StoreError {
    match error {
        ::fjall::Error::Io(error) | ::fjall::Error::Storage(LsmError::Io(error)) => {
            StoreError::io(error)
        }
        other => StoreError::Damaged {
            place: format!("tables of space {}", space.0),
            what: other.to_string(),
        },
    }
}
