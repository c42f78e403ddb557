//! The final ranking of each closed day: computed from what policies had at its end, decided once,
//! and told to those who watch a policy that moved by much.
//!
//! The order: rows under the digest of the ranking, the decision which ranking holds, what is
//! told, that it was told. Whoever dies in between is followed by the next run, which writes the
//! same, or accepts what was decided.

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{Day, Happening, HappeningKind, RankedPolicies, UserId};
use crate::rules::ranking::board::AllFacts;
use crate::rules::ranking::days::{Moved, moved, ranking_on, snapshot_of};
use crate::tables::rank_history::RankedDay;
use crate::votes::Votes;

/// Days that one run ranks, at most.
const MOST_DAYS: usize = 31;

impl Votes {
    /// Ranks every closed day that is not ranked, in their order; the last one that is ranked now.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn rank_days(&self) -> Result<Day, Error> {
        let closed_through = self.closed_through().await?;
        let mut through = self.ranked_through(closed_through).await?;
        let mut facts = None;
        let open = through.next().through(closed_through);
        for day in open.take(MOST_DAYS) {
            let Some(ranked) = self.rank_day(day, closed_through, &mut facts).await? else {
                break;
            };
            if !ranked.is_told {
                self.tell_moved(&ranked).await?;
                self.tables.rank_history.note_told(&ranked).await?;
            }
            through = day;
            self.remember_ranked(day);
        }
        Ok(through)
    }

    /// The last day up to which all are ranked and told.
    async fn ranked_through(&self, closed_through: Day) -> Result<Day, Error> {
        let mut through = match self.remembered_ranked() {
            Some(day) => day,
            None => self.tables.days.first(self.today()).await?.previous(),
        };
        let history = &self.tables.rank_history;
        let days = history.ranked_days(through.next(), closed_through);
        for it in days.await? {
            if it.day == through.next() && it.is_told {
                through = it.day;
            }
        }
        Ok(through)
    }

    /// The ranking of a day that holds; made and decided, if none does yet.
    async fn rank_day(
        &self,
        day: Day,
        closed_through: Day,
        facts: &mut Option<AllFacts>,
    ) -> Result<Option<RankedDay>, Error> {
        let history = &self.tables.rank_history;
        if let Some(ranked) = history.settle_day(day).await? {
            return Ok(Some(ranked));
        }
        let facts = match facts {
            Some(facts) => facts,
            None => facts.insert(self.tables.all_policy_facts(closed_through).await?),
        };
        let ranking = ranking_on(day, facts);
        let snapshot = snapshot_of(day, &ranking);
        history.write_day(day, snapshot, &ranking).await?;
        let count = i64::try_from(ranking.len()).unwrap_or(i64::MAX);
        let tried = history.decide_day(day, snapshot, count).await;
        match (history.settle_day(day).await?, tried) {
            (None, Err(error)) => Err(error),
            (ranked, _) => Ok(ranked),
        }
    }

    async fn tell_moved(&self, ranked: &RankedDay) -> Result<(), Error> {
        let history = &self.tables.rank_history;
        let Some(before) = history.settle_day(ranked.day.previous()).await? else {
            return Ok(());
        };
        let before = self.whole_ranking(&before).await?;
        let after = self.whole_ranking(ranked).await?;
        for it in moved(&before, &after) {
            let happening = happening(ranked.day, &it);
            let happenings = &self.tables.happenings;
            happenings.write(it.policy, &happening).await?;
        }
        Ok(())
    }

    async fn whole_ranking(&self, ranked: &RankedDay) -> Result<RankedPolicies, Error> {
        let last = i32::try_from(ranked.count).unwrap_or(i32::MAX);
        self.tables.rank_history.ranks(ranked, 1, last).await
    }
}

/// What is told of a policy that moved. Its identifier is made of the day and the policy, so it is
/// told once.
fn happening(day: Day, it: &Moved) -> Happening {
    let (high, low) = it.policy.0.as_u64_pair();
    let node = time_uuid::clock_seq_and_node(high.rotate_left(32) ^ low);
    let before = it.before.map_or("-".to_owned(), |rank| rank.to_string());
    Happening {
        id: time_uuid::from_unix_micros(day.next().start_micros(), node),
        policy: Some(it.policy),
        kind: HappeningKind::RankMoved,
        actor: UserId(Uuid::nil()),
        about: None,
        detail: format!("{before} → {}", it.after),
    }
}
