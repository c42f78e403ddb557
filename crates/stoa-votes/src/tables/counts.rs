//! What is derived from chains: increments of policies by day, totals, closed days.
//!
//! All of it can be written again at any time, by anyone: the write time of what a record says is
//! that of the record, and of what was summed when the reading for it began.

use std::sync::Arc;

use stoa_session::{Batch, Error, FromRow, Prepared, Session, Shortcuts};

use super::copies::together;
use super::{Base, quorum, write};
use crate::model::{Change, ClosedDay, Day, Increment, PolicyId, RecordKind, UserId, VoteRecord};

/// Partitions of the policies of a day.
pub const DAY_SHARDS: i16 = 4;

#[derive(FromRow)]
struct TotalRow {
    total: Option<i64>,
}

#[derive(FromRow)]
struct PolicyOnly {
    policy: PolicyId,
}

#[derive(FromRow)]
struct IncrementOnly {
    increment: i64,
}

/// The tables.
#[derive(Debug)]
pub struct CountTables {
    pub(super) session: Arc<dyn Session>,
    insert_vote: Prepared,
    votes_of_day: Prepared,
    increments_of_day: Prepared,
    insert_supporter: Prepared,
    supporter: Prepared,
    insert_day_policy: Prepared,
    day_policies: Prepared,
    insert_total: Prepared,
    total: Prepared,
    insert_day: Prepared,
    last_day: Prepared,
}

impl CountTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_vote: base
                .prepare(
                    "INSERT INTO {ks}.policy_votes (policy, day, version, user, increment, kind) \
                     VALUES (?, ?, ?, ?, ?, ?)",
                )
                .await?,
            votes_of_day: base
                .prepare(
                    "SELECT version, user, increment FROM {ks}.policy_votes \
                     WHERE policy = ? AND day = ?",
                )
                .await?,
            increments_of_day: base
                .prepare("SELECT increment FROM {ks}.policy_votes WHERE policy = ? AND day = ?")
                .await?,
            insert_supporter: base
                .prepare(
                    "INSERT INTO {ks}.policy_supporters (policy, user, total) VALUES (?, ?, ?) \
                     USING TIMESTAMP ?",
                )
                .await?,
            supporter: base
                .prepare("SELECT total FROM {ks}.policy_supporters WHERE policy = ? AND user = ?")
                .await?,
            insert_day_policy: base
                .prepare("INSERT INTO {ks}.day_policies (day, shard, policy) VALUES (?, ?, ?)")
                .await?,
            day_policies: base
                .prepare("SELECT policy FROM {ks}.day_policies WHERE day = ? AND shard = ?")
                .await?,
            insert_total: base
                .prepare("INSERT INTO {ks}.policy_total (policy, total) VALUES (?, ?)")
                .await?,
            total: base
                .prepare("SELECT total FROM {ks}.policy_total WHERE policy = ?")
                .await?,
            insert_day: base
                .prepare(
                    "INSERT INTO {ks}.policy_day \
                     (policy, day, change, gross, heat, voters, closing_total) \
                     VALUES (?, ?, ?, ?, ?, ?, ?)",
                )
                .await?,
            last_day: base
                .prepare(
                    "SELECT day, change, gross, heat, voters, closing_total \
                     FROM {ks}.policy_day WHERE policy = ? AND day <= ? LIMIT 1",
                )
                .await?,
        })
    }

    /// Writes what a record says about one policy. The order is of no importance.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_change(
        &self,
        user: UserId,
        record: &VoteRecord,
        policy: PolicyId,
        change: &Change,
    ) -> Result<(), Error> {
        let mut batch = together(record.version.made_at_micros());
        self.push_change(&mut batch, user, record, policy, change)?;
        self.session.batch(&batch).await.map(|_| ())
    }

    /// The same, to be sent with others at the time of the record.
    pub(super) fn push_change(
        &self,
        batch: &mut Batch,
        user: UserId,
        record: &VoteRecord,
        policy: PolicyId,
        change: &Change,
    ) -> Result<(), Error> {
        let day = record.day;
        let kind: RecordKind = record.kind;
        let vote = (
            policy,
            day,
            record.version,
            user,
            change.increment,
            kind.code(),
        );
        batch.push(self.insert_vote.bind(vote)?);
        let touched = (day, day_shard(policy), policy);
        batch.push(self.insert_day_policy.bind(touched)?);
        // The record's number is the write time: the newest wins, whatever the order.
        let supporter = (policy, user, change.entry.total, record.seq);
        batch.push(self.insert_supporter.bind(supporter)?);
        Ok(())
    }

    /// The increments of a policy on a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn votes_of_day(&self, policy: PolicyId, day: Day) -> Result<Vec<Increment>, Error> {
        let bound = self.votes_of_day.bind((policy, day))?.with(quorum());
        self.session.all(&bound).await
    }

    /// By how much the votes of a policy changed on a day: nothing else is read, for a day may have
    /// many votes.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn change_of_day(&self, policy: PolicyId, day: Day) -> Result<i64, Error> {
        let bound = self.increments_of_day.bind((policy, day))?.with(quorum());
        let rows = self.session.all::<IncrementOnly>(&bound).await?;
        let increments = rows.iter().map(|row| row.increment);
        Ok(increments.fold(0, i64::saturating_add))
    }

    /// What a user has on a policy, merges left aside.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn supporter(&self, policy: PolicyId, user: UserId) -> Result<Option<i64>, Error> {
        let bound = self.supporter.bind((policy, user))?.with(quorum());
        let row = self.session.first::<TotalRow>(&bound).await?;
        Ok(row.and_then(|row| row.total))
    }

    /// The policies that got or lost votes on a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policies_of_day(&self, day: Day) -> Result<Vec<PolicyId>, Error> {
        let mut policies = Vec::new();
        for shard in 0..DAY_SHARDS {
            let bound = self.day_policies.bind((day, shard))?.with(quorum());
            let rows = self.session.all::<PolicyOnly>(&bound).await?;
            policies.extend(rows.into_iter().map(|row| row.policy));
        }
        Ok(policies)
    }

    /// Writes a total as of a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_total(
        &self,
        policy: PolicyId,
        total: i64,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let values = (policy, total);
        write(&*self.session, &self.insert_total, values, as_of_micros).await
    }

    /// The total of a policy, as it was last counted.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn total(&self, policy: PolicyId) -> Result<Option<i64>, Error> {
        let bound = self.total.bind((policy,))?.with(quorum());
        let row = self.session.first::<TotalRow>(&bound).await?;
        Ok(row.and_then(|row| row.total))
    }

    /// Writes a closed day of a policy. Every closer writes the same.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_closed_day(&self, policy: PolicyId, it: &ClosedDay) -> Result<(), Error> {
        let values = (
            policy,
            it.day,
            it.change,
            it.gross,
            it.heat,
            it.voters,
            it.closing_total,
        );
        let at = it.day.next().start_micros();
        write(&*self.session, &self.insert_day, values, at).await
    }

    /// The last closed day of a policy up to a day, if it had any votes before.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn closed_day(
        &self,
        policy: PolicyId,
        through: Day,
    ) -> Result<Option<ClosedDay>, Error> {
        let bound = self.last_day.bind((policy, through))?.with(quorum());
        self.session.first(&bound).await
    }
}

fn day_shard(policy: PolicyId) -> i16 {
    let shards = u128::from(DAY_SHARDS.cast_unsigned());
    i16::try_from(policy.0.as_u128() % shards).unwrap_or(0)
}
