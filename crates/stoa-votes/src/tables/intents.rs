//! `vote_intent`: what is about to be decided, by the part of the day it was begun in.
//!
//! The write time of an intent is that of its version, and of its deletion one more: whoever
//! writes or deletes it, by whatever clock and how often, the deletion wins.

use std::sync::Arc;

use stoa_session::{Bound, Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write, written_at};
use crate::model::{Day, UserId, VoteVersion};

/// How a day's intents are spread over partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Hours that share a partition.
    pub hours: i16,
    /// Partitions of the same hours.
    pub shards: i16,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            hours: 1,
            shards: 16,
        }
    }
}

impl Spread {
    /// The partition of a version.
    fn place(self, version: VoteVersion) -> (i16, i16) {
        let hour = Day::hour_of_micros(version.made_at_micros());
        let (time, node) = version.0.as_u64_pair();
        // Spreads what differs in a few low bits only.
        let mixed = (time.rotate_right(32) ^ node).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let shard = (mixed >> 48) % u64::from(self.shards.max(1).cast_unsigned());
        (hour / self.hours.max(1), i16::try_from(shard).unwrap_or(0))
    }

    /// Every partition of a day.
    pub fn places(self) -> impl Iterator<Item = (i16, i16)> {
        let hours = self.hours.max(1);
        let buckets = (24 + hours - 1) / hours;
        (0..buckets).flat_map(move |bucket| (0..self.shards.max(1)).map(move |it| (bucket, it)))
    }
}

/// Something that is about to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Intent {
    /// The record to come.
    pub version: VoteVersion,
    /// Whose chain.
    pub user: UserId,
    /// The number it would have.
    pub seq: i64,
    /// The epoch under which it can be appended.
    pub epoch: Option<i64>,
}

/// The table.
#[derive(Debug)]
pub struct IntentTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    delete: Prepared,
    list: Prepared,
}

impl IntentTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.vote_intent (day, bucket, shard, version, user, seq, epoch) \
                     VALUES (?, ?, ?, ?, ?, ?, ?)",
                )
                .await?,
            delete: base
                .prepare(
                    "DELETE FROM {ks}.vote_intent \
                     WHERE day = ? AND bucket = ? AND shard = ? AND version = ?",
                )
                .await?,
            list: base
                .prepare(
                    "SELECT version, user, seq, epoch FROM {ks}.vote_intent \
                     WHERE day = ? AND bucket = ? AND shard = ?",
                )
                .await?,
        })
    }

    /// Writes an intent of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, spread: Spread, day: Day, intent: &Intent) -> Result<(), Error> {
        let (bucket, shard) = spread.place(intent.version);
        let values = (
            day,
            bucket,
            shard,
            intent.version,
            intent.user,
            intent.seq,
            intent.epoch,
        );
        let at = intent.version.made_at_micros();
        write(&*self.session, &self.insert, values, at).await
    }

    /// Deletes an intent of a day, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(
        &self,
        spread: Spread,
        day: Day,
        version: VoteVersion,
    ) -> Result<(), Error> {
        let at = version.made_at_micros() + 1;
        let bound = self.deletion(spread, day, version)?.with(written_at(at));
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// The same, to be sent with others a microsecond after the intent.
    pub(super) fn deletion(
        &self,
        spread: Spread,
        day: Day,
        version: VoteVersion,
    ) -> Result<Bound, Error> {
        let (bucket, shard) = spread.place(version);
        Ok(self.delete.bind((day, bucket, shard, version))?)
    }

    /// The intents of one partition of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, day: Day, place: (i16, i16)) -> Result<Vec<Intent>, Error> {
        let bound = self.list.bind((day, place.0, place.1))?.with(quorum());
        self.session.all(&bound).await
    }
}

#[cfg(test)]
mod tests {
    use stoa_types::{Ids, SeededIds};

    use super::*;

    #[test]
    fn every_version_has_a_place_among_those_of_its_day() {
        let ids = SeededIds::new(7);
        for spread in [
            Spread::default(),
            Spread {
                hours: 5,
                shards: 1,
            },
        ] {
            let places: Vec<_> = spread.places().collect();
            let used: std::collections::BTreeSet<_> = (0..1_000)
                .map(|_| spread.place(VoteVersion(ids.time_uuid())))
                .collect();
            assert!(used.iter().all(|place| places.contains(place)));
            assert_eq!(used.len() > 8, spread.shards > 1);
        }
    }
}
