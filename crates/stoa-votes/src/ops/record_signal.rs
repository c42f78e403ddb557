//! Recording a sign that an account is the second one of somebody. Enough of them open one case,
//! and people decide.

use stoa_session::Error;

use crate::model::UserId;
use crate::rules::signals::{CASE_SCORE, Signal, score};
use crate::votes::Votes;

impl Votes {
    /// Records a sign, opens a case if that is enough and there is none, and answers the score.
    ///
    /// # Errors
    /// Those of the session; recording it again does no harm.
    pub async fn record_signal(&self, user: UserId, signal: &Signal) -> Result<i64, Error> {
        let signals = &self.tables.signals;
        signals.write(user, signal).await?;
        let score = score(&signals.list(user).await?);
        if score >= CASE_SCORE {
            let opened = self.ids.time_uuid();
            signals.open_case(user, opened, score).await?;
        }
        Ok(score)
    }
}
