//! Reading fjall as of one commit.

use std::sync::Arc;

use ::fjall::{LsmError, Readable};

use super::Spaces;
use crate::error::StoreError;
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
        let Some(keyspace) = self.spaces.get(&space) else {
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
            self.snapshot.range(keyspace, start..end),
            direction,
        ))
    }
}

/// All spaces as they are now. Only for the thread that commits.
impl Read for Spaces {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let Some(keyspace) = self.get(&space) else {
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
            Some(keyspace) => pairs(space, keyspace.range(start..end), direction),
            None => Box::new(std::iter::empty()),
        })
    }
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
