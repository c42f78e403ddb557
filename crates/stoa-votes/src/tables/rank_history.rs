//! `rank_hours`, `ranked_days` and what belongs to them: how policies were ranked in the past.
//!
//! Which ranking of a day holds is decided by one conditional write. The rows of a ranking are
//! written before, under a name that is its digest.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, decide, quorum, serial, write};
use crate::model::{Day, HourPoint, HourRanking, PolicyId, RankedPolicies, SnapshotId};

/// Ranks in a row.
pub const CHUNK: i32 = 500;

const HOUR_MICROS: i64 = 3_600_000_000;

/// The ranking of a day that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedDay {
    /// The day.
    pub day: Day,
    /// Which ranking.
    pub snapshot: SnapshotId,
    /// How many policies it has.
    pub count: i64,
    /// Whether those who moved were told.
    pub is_told: bool,
}

/// Where a policy stood in a ranking of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct RankOfDay {
    /// The day.
    pub day: Day,
    /// Which ranking.
    pub snapshot: SnapshotId,
    /// Rank and votes.
    pub ranked: (i32, i64),
}

#[derive(FromRow)]
struct RankedDayRow {
    day: Day,
    snapshot: Option<SnapshotId>,
    policies: Option<i64>,
    is_told: Option<bool>,
}

#[derive(FromRow)]
struct RankingRow {
    ranking: Option<RankedPolicies>,
}

#[derive(FromRow)]
struct HourRow {
    hour: i64,
    ranked: (i32, i64),
}

/// The tables.
#[derive(Debug)]
pub struct RankHistoryTables {
    session: Arc<dyn Session>,
    insert_hour: Prepared,
    hour: Prepared,
    insert_rank_of_hour: Prepared,
    ranks_of_hours: Prepared,
    decide_day: Prepared,
    tell_day: Prepared,
    days: Prepared,
    insert_chunk: Prepared,
    chunk: Prepared,
    insert_rank_of_day: Prepared,
    ranks_of_days: Prepared,
}

impl RankHistoryTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_hour: base
                .prepare(
                    "INSERT INTO {ks}.rank_hours (hour, ranking) VALUES (?, ?) USING TTL 7776000",
                )
                .await?,
            hour: base
                .prepare("SELECT ranking FROM {ks}.rank_hours WHERE hour = ?")
                .await?,
            insert_rank_of_hour: base
                .prepare(
                    "INSERT INTO {ks}.policy_rank_hour (policy, hour, ranked) \
                     VALUES (?, ?, ?) USING TTL 7776000",
                )
                .await?,
            ranks_of_hours: base
                .prepare(
                    "SELECT hour, ranked FROM {ks}.policy_rank_hour \
                     WHERE policy = ? AND hour >= ? AND hour <= ?",
                )
                .await?,
            decide_day: base
                .prepare(
                    "INSERT INTO {ks}.ranked_days (year, day, snapshot, policies, is_told) \
                     VALUES (?, ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            tell_day: base
                .prepare(
                    "UPDATE {ks}.ranked_days SET is_told = ? WHERE year = ? AND day = ? \
                     IF snapshot = ?",
                )
                .await?,
            days: base
                .prepare(
                    "SELECT day, snapshot, policies, is_told FROM {ks}.ranked_days \
                     WHERE year = ? AND day >= ? AND day <= ?",
                )
                .await?,
            insert_chunk: base
                .prepare(
                    "INSERT INTO {ks}.day_ranks (day, snapshot, chunk, ranking) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            chunk: base
                .prepare(
                    "SELECT ranking FROM {ks}.day_ranks \
                     WHERE day = ? AND snapshot = ? AND chunk = ?",
                )
                .await?,
            insert_rank_of_day: base
                .prepare(
                    "INSERT INTO {ks}.policy_rank_day (policy, day, snapshot, ranked) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            ranks_of_days: base
                .prepare(
                    "SELECT day, snapshot, ranked FROM {ks}.policy_rank_day \
                     WHERE policy = ? AND day >= ? AND day <= ?",
                )
                .await?,
        })
    }

    /// Writes the ranking at the end of an hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_hour(&self, it: &HourRanking) -> Result<(), Error> {
        let at = (it.hour + 1).saturating_mul(HOUR_MICROS);
        let session = &*self.session;
        for (rank, (policy, total)) in &it.policies {
            let values = (*policy, it.hour, (*rank, *total));
            write(session, &self.insert_rank_of_hour, values, at).await?;
        }
        let values = (it.hour, &it.policies);
        write(session, &self.insert_hour, values, at).await
    }

    /// The ranking at the end of an hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hour(&self, hour: i64) -> Result<Option<HourRanking>, Error> {
        let bound = self.hour.bind((hour,))?.with(quorum());
        let row = self.session.first::<RankingRow>(&bound).await?;
        let ranking = row.and_then(|row| row.ranking);
        Ok(ranking.map(|policies| HourRanking { hour, policies }))
    }

    /// How a policy stood at the ends of hours.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hours_of(
        &self,
        policy: PolicyId,
        from: i64,
        to: i64,
    ) -> Result<Vec<HourPoint>, Error> {
        let bound = self.ranks_of_hours.bind((policy, from, to))?;
        let rows = self.session.all::<HourRow>(&bound.with(quorum())).await?;
        let points = rows.into_iter().map(|row| HourPoint {
            hour: row.hour,
            rank: row.ranked.0,
            total: row.ranked.1,
        });
        Ok(points.collect())
    }

    /// Writes the rows of a ranking of a day. Whoever computes the same writes the same.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_day(
        &self,
        day: Day,
        snapshot: SnapshotId,
        ranking: &RankedPolicies,
    ) -> Result<(), Error> {
        let at = day.next().start_micros();
        let session = &*self.session;
        let last = ranking.keys().next_back().map_or(0, |rank| chunk_of(*rank));
        for chunk in 0..=last {
            let (from, to) = (chunk * CHUNK + 1, (chunk + 1) * CHUNK);
            let part = ranking.range(from..=to).map(|(rank, it)| (*rank, *it));
            let values = (day, snapshot, chunk, part.collect::<RankedPolicies>());
            write(session, &self.insert_chunk, values, at).await?;
        }
        for (rank, (policy, total)) in ranking {
            let values = (*policy, day, snapshot, (*rank, *total));
            write(session, &self.insert_rank_of_day, values, at).await?;
        }
        Ok(())
    }

    /// Decides which ranking of a day holds, unless that is decided.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn decide_day(
        &self,
        day: Day,
        snapshot: SnapshotId,
        count: i64,
    ) -> Result<bool, Error> {
        let values = (year(day), day, snapshot, count, false);
        decide(&*self.session, &self.decide_day, values).await
    }

    /// Notes that those who moved on a day were told.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn note_told(&self, it: &RankedDay) -> Result<bool, Error> {
        let values = (true, year(it.day), it.day, it.snapshot);
        decide(&*self.session, &self.tell_day, values).await
    }

    /// The ranking of a day that holds; no decision about it stays open.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle_day(&self, day: Day) -> Result<Option<RankedDay>, Error> {
        let bound = self.days.bind((year(day), day, day))?.with(serial());
        let row = self.session.first::<RankedDayRow>(&bound).await?;
        Ok(row.and_then(RankedDayRow::read))
    }

    /// The rankings that hold of days in a range, the first first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ranked_days(&self, from: Day, to: Day) -> Result<Vec<RankedDay>, Error> {
        let mut days = Vec::new();
        for year in year(from)..=year(to) {
            let bound = self.days.bind((year, from, to))?.with(quorum());
            let rows = self.session.all::<RankedDayRow>(&bound).await?;
            days.extend(rows.into_iter().filter_map(RankedDayRow::read));
        }
        Ok(days)
    }

    /// Ranks of a ranking of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ranks(&self, it: &RankedDay, from: i32, to: i32) -> Result<RankedPolicies, Error> {
        let mut ranks = RankedPolicies::new();
        for chunk in chunk_of(from)..=chunk_of(to) {
            let bound = self.chunk.bind((it.day, it.snapshot, chunk))?;
            let bound = bound.with(quorum());
            let row = self.session.first::<RankingRow>(&bound).await?;
            let Some(part) = row.and_then(|row| row.ranking) else {
                break;
            };
            ranks.extend(part.range(from..=to).map(|(rank, it)| (*rank, *it)));
        }
        Ok(ranks)
    }

    /// Where a policy stood in rankings of days, also such as do not hold.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ranks_of(
        &self,
        policy: PolicyId,
        from: Day,
        to: Day,
    ) -> Result<Vec<RankOfDay>, Error> {
        let bound = self.ranks_of_days.bind((policy, from, to))?;
        self.session.all(&bound.with(quorum())).await
    }
}

impl RankedDayRow {
    fn read(self) -> Option<RankedDay> {
        Some(RankedDay {
            day: self.day,
            snapshot: self.snapshot?,
            count: self.policies.unwrap_or(0),
            is_told: self.is_told == Some(true),
        })
    }
}

fn chunk_of(rank: i32) -> i32 {
    rank.max(1).saturating_sub(1) / CHUNK
}

fn year(day: Day) -> i32 {
    i32::try_from(day.civil().year).unwrap_or(i32::MAX)
}
