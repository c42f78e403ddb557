//! How policies stood in the past: final rankings of closed days, provisional ones of hours.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::{
    Day, DayPoint, DayRanking, HourPoint, HourRanking, LastRank, Page, PolicyId, SnapshotId,
};
use crate::rules::ranking::MOST_ON_PAGE;
use crate::tables::happenings::hour_of;
use crate::tables::rank_history::RankedDay;
use crate::votes::Votes;

/// Days of a history, at most.
pub const MOST_DAYS: i32 = 1_100;
/// Days before the end of a policy that its last rank is looked for.
const MOST_DAYS_BEFORE: i32 = 31;

impl Votes {
    /// The final ranking of a day after a rank, 0 for the first; `None` if the day is not ranked.
    /// It never changes.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ranking_on(
        &self,
        day: Day,
        after: i32,
        most: usize,
    ) -> Result<Option<DayRanking>, Error> {
        let history = &self.tables.rank_history;
        let days = history.ranked_days(day, day).await?;
        let Some(ranked) = days.first() else {
            return Ok(None);
        };
        let most = i32::try_from(most.clamp(1, MOST_ON_PAGE)).unwrap_or(1);
        let after = after.max(0);
        let (from, to) = (after.saturating_add(1), after.saturating_add(most));
        Ok(Some(DayRanking {
            day,
            snapshot: ranked.snapshot,
            count: ranked.count,
            policies: history.ranks(ranked, from, to).await?,
        }))
    }

    /// The closed days of a policy in a range, the first first: every day that is ranked, and
    /// those on which it got or lost votes. Votes of what was merged into it count from the day of
    /// the merge on.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn history(
        &self,
        policy: PolicyId,
        from: Day,
        to: Day,
    ) -> Result<Vec<DayPoint>, Error> {
        let to = to.min(self.closed_through().await?);
        let from = from.max(to.plus(-MOST_DAYS));
        let members = self.closure(policy).await?;
        // The target of a merge is made when it begins; before, there is nothing to tell of it.
        let merged = Day::of_micros(policy.made_at_micros());
        let is_merge = members.len() > 1;
        let from = if is_merge { from.max(merged) } else { from };
        let first = Some(merged).filter(|day| is_merge && (from..=to).contains(day));
        let mut points = self.summed(&members, first, from..=to).await?;
        let history = &self.tables.rank_history;
        let holding = history.ranked_days(from, to).await?.into_iter();
        let holding: BTreeMap<Day, SnapshotId> = holding.map(|it| (it.day, it.snapshot)).collect();
        for it in history.ranks_of(policy, from, to).await? {
            if holding.get(&it.day) != Some(&it.snapshot) {
                continue;
            }
            let point = points.entry(it.day).or_insert_with(|| empty(it.day));
            (point.rank, point.total) = (Some(it.ranked.0), it.ranked.1);
        }
        Ok(points.into_values().collect())
    }

    /// The days of policies as those of one, without ranks; one of them is there in any case.
    async fn summed(
        &self,
        members: &BTreeSet<PolicyId>,
        first: Option<Day>,
        range: RangeInclusive<Day>,
    ) -> Result<BTreeMap<Day, DayPoint>, Error> {
        let (from, to) = range.into_inner();
        let mut points: BTreeMap<Day, DayPoint> =
            first.iter().map(|day| (*day, empty(*day))).collect();
        let mut total = 0_i64;
        for member in members {
            let before = self.tables.counts.closed_day(*member, from.previous());
            let before = before.await?.map_or(0, |it| it.closing_total);
            total = total.saturating_add(before);
            let days = self.tables.facts.days_between(*member, from, to).await?;
            for it in days {
                let point = points.entry(it.day).or_insert_with(|| empty(it.day));
                point.change = point.change.saturating_add(it.change);
                point.voters = point.voters.saturating_add(it.voters);
            }
        }
        for point in points.values_mut() {
            total = total.saturating_add(point.change);
            point.total = total;
        }
        Ok(points)
    }

    /// Where a policy that ended stood last, as far as it was ranked within a month before.
    pub(crate) async fn last_rank(&self, page: &Page) -> Result<Option<LastRank>, Error> {
        let Some(ending) = &page.ending else {
            return Ok(None);
        };
        let ended = time_uuid::unix_micros(&ending.id).unwrap_or(0);
        let to = Day::of_micros(ended);
        let from = to.plus(-MOST_DAYS_BEFORE);
        let history = &self.tables.rank_history;
        let holding = history.ranked_days(from, to).await?;
        let mut last: Option<LastRank> = None;
        for it in history.ranks_of(page.policy, from, to).await? {
            let holds = |held: &RankedDay| (held.day, held.snapshot) == (it.day, it.snapshot);
            if holding.iter().any(holds) && last.is_none_or(|last| last.day < it.day) {
                last = Some(LastRank {
                    day: it.day,
                    rank: it.ranked.0,
                    total: it.ranked.1,
                });
            }
        }
        Ok(last)
    }

    /// How a policy stood at the ends of the hours of a day, as far as it was among the first
    /// thousand. It is provisional, and kept for 90 days.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hours(&self, policy: PolicyId, day: Day) -> Result<Vec<HourPoint>, Error> {
        let first = hour_of(day.start_micros());
        let last = hour_of(day.next().start_micros()) - 1;
        let history = &self.tables.rank_history;
        history.hours_of(policy, first, last).await
    }

    /// The first thousand at the end of an hour, counted since 1970; provisional, and kept for 90
    /// days.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ranking_at_hour(&self, hour: i64) -> Result<Option<HourRanking>, Error> {
        self.tables.rank_history.hour(hour).await
    }
}

fn empty(day: Day) -> DayPoint {
    DayPoint {
        day,
        total: 0,
        change: 0,
        voters: 0,
        rank: None,
    }
}
