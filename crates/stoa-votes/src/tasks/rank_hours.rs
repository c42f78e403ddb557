//! The ranking of the hour that is over. It is provisional: the day's is final.

use stoa_session::Error;

use crate::model::{HourRanking, RankingKind};
use crate::tables::happenings::hour_of;
use crate::votes::Votes;

/// Policies that are kept.
const MOST: usize = 1_000;

impl Votes {
    /// Writes the ranking of the hour that is over, unless it is written; whether there was any
    /// need. Hours in which nobody did this are left out.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn rank_hours(&self) -> Result<bool, Error> {
        let hour = hour_of(self.clock.now_micros()) - 1;
        if self.tables.rank_history.hour(hour).await?.is_some() {
            return Ok(false);
        }
        let board = self.refresh_board().await?;
        let ranking = HourRanking {
            hour,
            policies: board.first(RankingKind::Total, MOST),
        };
        self.tables.rank_history.write_hour(&ranking).await?;
        Ok(true)
    }
}
