//! Measuring how broadly policies are supported that got or lost votes: too much to read with
//! every vote, so it is done for all of a minute at once.

use std::collections::{BTreeMap, HashMap};

use stoa_session::Error;

use super::failures::Failures;
use super::share::Share;
use crate::model::PolicyId;
use crate::rules::ranking::breadth::{add_supporters, breadth, open_day};
use crate::tables::breadth::Measured;
use crate::tables::changes::{Changed, KEPT_MICROS};
use crate::votes::Votes;

/// How far an instance that has not measured before looks back.
const LOOK_BACK_MICROS: i64 = 7_200_000_000;

impl Votes {
    /// Measures every policy whose votes changed since it was measured; how many there were. One
    /// that is missed is measured after the recount of every night.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn measure(&self) -> Result<usize, Error> {
        self.measure_share(Share::WHOLE).await
    }

    /// The same for a share of all policies.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn measure_share(&self, share: Share) -> Result<usize, Error> {
        let now = self.clock.now_micros();
        let from = self.measured_through(share);
        let from = from.unwrap_or(now - LOOK_BACK_MICROS);
        let from = from.clamp(now - KEPT_MICROS, now);
        let mut changed: BTreeMap<PolicyId, i64> = BTreeMap::new();
        for it in self.tables.changes.between(from, now).await? {
            if it.what == Changed::Votes && share.has(it.policy) {
                let last = changed.entry(it.policy).or_insert(it.changed_micros);
                *last = it.changed_micros.max(*last);
            }
        }
        let mut failures = Failures::default();
        let mut count = 0;
        for (policy, changed_micros) in changed {
            let measured = self.measure_changed(policy, changed_micros).await;
            count += usize::from(failures.part(measured)?.unwrap_or(false));
        }
        failures.end()?;
        self.remember_measured(share, now);
        Ok(count)
    }

    /// Measures a policy, unless it was measured after its last change; whether it was not.
    async fn measure_changed(
        &self,
        policy: PolicyId,
        of_change_micros: i64,
    ) -> Result<bool, Error> {
        let known = self.tables.breadth.read(policy).await?;
        if known.is_some_and(|it| it.of_change_micros == of_change_micros) {
            return Ok(false);
        }
        self.measure_policy(policy, of_change_micros).await?;
        Ok(true)
    }

    /// Sums anew what users have on a policy and all that were merged into it, and writes it as of
    /// when the reading began.
    async fn measure_policy(&self, root: PolicyId, of_change_micros: i64) -> Result<(), Error> {
        let began_micros = self.begin_micros();
        let closed_through = self.closed_through().await?;
        let closure = self.closure(root).await?;
        let mut supporters = HashMap::new();
        for policy in &closure {
            let of_one = self.tables.breadth.supporters(*policy).await?;
            add_supporters(&mut supporters, of_one);
        }
        let mut breadth = breadth(&supporters);
        for day in closed_through.next().through(self.today().next()) {
            let mut votes = Vec::new();
            for policy in &closure {
                votes.extend(self.tables.counts.votes_of_day(*policy, day).await?);
            }
            if !votes.is_empty() {
                breadth.open_days.insert(day, open_day(day, &votes));
            }
        }
        let measured = Measured {
            policy: root,
            breadth,
            of_change_micros,
        };
        self.tables.breadth.write(&measured, began_micros).await?;
        self.note_changed(root, Changed::Rest).await
    }
}
