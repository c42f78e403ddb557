//! Finishing what was begun with comments and cases: whatever follows from them is done again.

use stoa_session::Error;

use crate::model::Target;
use crate::tables::happenings::hour_of;
use crate::tables::talk::talk_intents::{Begun, TalkIntent};
use crate::votes::Votes;

/// How old an intent is before anybody looks at it: two minutes.
const YOUNG_MICROS: i64 = 120_000_000;
/// How far back intents are looked for: two days, in hours.
const MOST_HOURS: i64 = 48;

impl Votes {
    /// Finishes what was begun more than two minutes ago.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn finish_talk(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let hour = hour_of(now);
        for hour in hour.saturating_sub(MOST_HOURS)..=hour {
            for intent in self.tables.talk.intents.list(hour).await? {
                if intent.at_micros() + YOUNG_MICROS <= now {
                    self.finish_intent(&intent).await?;
                }
            }
        }
        Ok(())
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
