//! `policy_changes`: which policies changed lately, so that who keeps a board reads those alone.
//!
//! Each row can be written again at any time. One that is lost, or that a clock which is off puts
//! where nobody looks, is made up for by reading everything, which is done each hour.

use std::sync::Arc;

use stoa_session::{Bound, Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum};
use crate::model::PolicyId;

/// Partitions of the changes of ten minutes.
const SHARDS: i16 = 4;

const BUCKET_MICROS: i64 = 600_000_000;

/// How much clocks may differ, and a write may take.
pub const OVERLAP_MICROS: i64 = BUCKET_MICROS;

/// For how long changes are kept.
pub const KEPT_MICROS: i64 = 86_400_000_000;

/// What changed of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Changed {
    /// Its votes, or its state.
    Votes,
    /// What is measured, its page, or what is said about it.
    Rest,
}

impl Changed {
    fn code(self) -> i8 {
        match self {
            Self::Votes => 0,
            Self::Rest => 1,
        }
    }
}

/// A change of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyChange {
    /// The policy.
    pub policy: PolicyId,
    /// What changed.
    pub what: Changed,
    /// When, by the clock of who changed it, in microseconds since 1970.
    pub changed_micros: i64,
}

#[derive(FromRow)]
struct ChangeRow {
    policy: PolicyId,
    what: i8,
    changed_micros: Option<i64>,
}

/// The table.
#[derive(Debug)]
pub struct ChangeTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    of_bucket: Prepared,
}

impl ChangeTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.policy_changes \
                     (bucket, shard, policy, what, changed_micros) \
                     VALUES (?, ?, ?, ?, ?) USING TTL 86400 AND TIMESTAMP ?",
                )
                .await?,
            of_bucket: base
                .prepare(
                    "SELECT policy, what, changed_micros FROM {ks}.policy_changes \
                     WHERE bucket = ? AND shard = ?",
                )
                .await?,
        })
    }

    /// Writes that a policy changed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(
        &self,
        policy: PolicyId,
        what: Changed,
        now_micros: i64,
    ) -> Result<(), Error> {
        let bound = self.note(policy, what, now_micros)?.with(quorum());
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// The same, to be sent with others.
    pub(super) fn note(
        &self,
        policy: PolicyId,
        what: Changed,
        now_micros: i64,
    ) -> Result<Bound, Error> {
        let (bucket, shard) = (now_micros.div_euclid(BUCKET_MICROS), shard(policy));
        let values = (bucket, shard, policy, what.code(), now_micros, now_micros);
        Ok(self.insert.bind(values)?)
    }

    /// What changed between two moments, and a while before and after: clocks differ, and a write
    /// takes time.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn between(
        &self,
        from_micros: i64,
        to_micros: i64,
    ) -> Result<Vec<PolicyChange>, Error> {
        let first = (from_micros - OVERLAP_MICROS).div_euclid(BUCKET_MICROS);
        let last = (to_micros + OVERLAP_MICROS).div_euclid(BUCKET_MICROS);
        let mut changes = Vec::new();
        for bucket in first..=last {
            for shard in 0..SHARDS {
                let bound = self.of_bucket.bind((bucket, shard))?.with(quorum());
                let rows = self.session.all::<ChangeRow>(&bound).await?;
                changes.extend(rows.into_iter().filter_map(ChangeRow::read));
            }
        }
        Ok(changes)
    }
}

impl ChangeRow {
    fn read(self) -> Option<PolicyChange> {
        let what = match self.what {
            0 => Changed::Votes,
            _ => Changed::Rest,
        };
        Some(PolicyChange {
            policy: self.policy,
            what,
            changed_micros: self.changed_micros?,
        })
    }
}

fn shard(policy: PolicyId) -> i16 {
    let shards = u128::from(SHARDS.cast_unsigned());
    // The last half of identifiers of one instance is the same.
    let (high, low) = policy.0.as_u64_pair();
    let mixed = u128::from(high.wrapping_add(low).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32);
    i16::try_from(mixed % shards).unwrap_or(0)
}
