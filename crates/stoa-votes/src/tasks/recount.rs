//! Recounting a policy: its votes are summed anew, never added to.

use stoa_session::Error;

use crate::model::{Day, PolicyId};
use crate::rules::named::Rule;
use crate::tables::changes::Changed;
use crate::votes::Votes;

impl Votes {
    /// Counts a policy and all that were merged into it, and notes that for whoever ranks.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn recount(&self, root: PolicyId) -> Result<i64, Error> {
        let total = self.sum(root).await?;
        // After the total: whoever sees that it changed sees what it is.
        self.note_changed(root, Changed::Votes).await?;
        Ok(total)
    }

    /// Rule recount-stamp: sums the votes of a policy and all that were merged into it, and writes
    /// the total as of when the reading began, so that a slow older recount cannot overwrite a
    /// newer one.
    pub(crate) async fn sum(&self, root: PolicyId) -> Result<i64, Error> {
        let began_micros = self.begin_micros();
        let closed_through = self.closed_through().await?;
        let mut total = 0_i64;
        for policy in self.closure(root).await? {
            total = total.saturating_add(self.own_votes(policy, closed_through).await?);
        }
        let as_of = match self.holds(Rule::RecountStamp) {
            true => began_micros,
            false => self.clock.now_micros(),
        };
        self.tables.counts.write_total(root, total, as_of).await?;
        Ok(total)
    }

    /// The votes of a policy, merges left aside: those at the end of the last closed day, and
    /// everything since.
    pub(crate) async fn own_votes(
        &self,
        policy: PolicyId,
        closed_through: Day,
    ) -> Result<i64, Error> {
        let counts = &self.tables.counts;
        let closed = counts.closed_day(policy, closed_through).await?;
        let mut total = closed.map_or(0, |it| it.closing_total);
        // Clocks of instances differ by less than a day, so no vote is of a later day.
        let last = self.today().next();
        for day in closed_through.next().through(last) {
            total = total.saturating_add(counts.change_of_day(policy, day).await?);
        }
        Ok(total)
    }
}
