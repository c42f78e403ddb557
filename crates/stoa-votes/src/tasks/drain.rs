//! Draining intents: what was begun and not finished is finished, or made impossible.

use stoa_session::{Error, Outcome};

use super::failures::Failures;
use super::share::Share;
use crate::model::Day;
use crate::rules::named::Rule;
use crate::tables::intents::Intent;
use crate::votes::Votes;

/// How old an intent is before others take it up.
const PATIENCE_MICROS: i64 = 120_000_000;
/// How often one intent is looked at anew while its chain moves.
const ATTEMPTS: usize = 16;

impl Votes {
    /// Finishes everything that was begun more than two minutes ago.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn drain(&self) -> Result<(), Error> {
        self.drain_share(Share::WHOLE).await
    }

    /// The same for a share of the partitions of each day.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn drain_share(&self, share: Share) -> Result<(), Error> {
        let mut failures = Failures::default();
        let first = self.closed_through().await?.next();
        let old = self.clock.now_micros() - PATIENCE_MICROS;
        for day in first.through(self.today().next()) {
            let places = self.settings.spread.places();
            for place in places.filter(|place| share.has_place(*place)) {
                let intents = self.tables.intents.list(day, place).await;
                for intent in failures.part(intents)?.into_iter().flatten() {
                    if intent.version.made_at_micros() < old {
                        failures.part(self.settle_intent(day, &intent).await)?;
                    }
                }
            }
        }
        failures.end()
    }

    /// Finishes everything that was begun for a day, however recently. A day cannot be closed before
    /// all of it is settled, so the first failure ends it.
    pub(crate) async fn drain_day(&self, day: Day) -> Result<(), Error> {
        for place in self.settings.spread.places() {
            for intent in self.tables.intents.list(day, place).await? {
                self.settle_intent(day, &intent).await?;
            }
        }
        Ok(())
    }

    /// Rule fence: an intent goes when its record is copied, or when its batch can no longer be
    /// applied: another record has its number, or the epoch was raised. No age decides that.
    async fn settle_intent(&self, day: Day, intent: &Intent) -> Result<(), Error> {
        let chain = &self.tables.chain;
        for _ in 0..ATTEMPTS {
            let tip = chain.tip(intent.user).await?;
            if tip.seq >= intent.seq
                && let Some(record) = chain.record(intent.user, intent.seq).await?
            {
                return match record.version == intent.version {
                    true => self.sync_record(intent.user, &record).await,
                    false => self.forget_intent(day, intent.version).await,
                };
            }
            let is_fenced = tip.epoch > intent.epoch || !self.holds(Rule::Fence);
            let is_fenced = is_fenced
                || match chain.fence(intent.user, tip).await {
                    Ok(is_fenced) => is_fenced,
                    // It is looked at again, and may be fenced by then.
                    Err(error) if error.outcome() == Outcome::Unknown => false,
                    Err(error) => return Err(error),
                };
            if is_fenced {
                return self.forget_intent(day, intent.version).await;
            }
        }
        let what = "a chain moved on each time its unfinished record was looked at";
        let kind = stoa_session::ErrorKind::Unavailable;
        Err(Error::not_applied(kind, what))
    }
}
