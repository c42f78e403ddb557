//! Finishing what was begun with comments and cases: whatever follows from them is done again. What
//! was begun is looked for from two days before everything was finished, or from the first thing that
//! could not be finished.

use stoa_session::Error;

use super::failures::Failures;
use super::swept::Sweep;
use crate::model::Target;
use crate::tables::happenings::hour_of;
use crate::tables::talk::talk_intents::{Begun, TalkIntent};
use crate::votes::Votes;

/// How old an intent is before anybody looks at it: two minutes.
const YOUNG_MICROS: i64 = 120_000_000;
const MICROS_OF_HOUR: i64 = 3_600_000_000;
/// What is finished; two days before the mark are looked at again.
const SWEEP: Sweep = Sweep {
    mark: "finish_talk",
    again_micros: 2 * 86_400_000_000,
};

impl Votes {
    /// Finishes what was begun more than two minutes ago.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn finish_talk(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let first = hour_of(self.sweeps_from(SWEEP).await?);
        let mut failures = Failures::default();
        let mut through = now;
        for hour in first..=hour_of(now) {
            let begun = self.tables.talk.intents.list(hour).await;
            let Some(begun) = failures.part(begun)? else {
                through = through.min(hour.saturating_mul(MICROS_OF_HOUR));
                continue;
            };
            for intent in begun {
                if intent.at_micros() + YOUNG_MICROS > now {
                    continue;
                }
                let finished = self.finish_intent(&intent).await;
                if failures.part(finished)?.is_none() {
                    through = through.min(intent.at_micros());
                }
            }
        }
        failures.part(self.swept(SWEEP, through).await)?;
        failures.end()
    }

    async fn finish_intent(&self, intent: &TalkIntent) -> Result<(), Error> {
        match intent.begun {
            Begun::Comment(Target::Comment(policy, comment)) => {
                self.settle_comment(policy, comment).await?;
            }
            Begun::Comment(_) => {}
            Begun::Case(target) => self.follow_reports(target).await?,
        }
        self.tables.talk.intents.delete(intent).await
    }
}
