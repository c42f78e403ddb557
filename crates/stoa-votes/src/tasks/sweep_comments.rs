//! Erasing the texts of comments that were removed 30 days ago. It looks at the days of removals
//! alone, never at all comments: from a month before everything due was erased, or from the first
//! comment that could not be.

use stoa_session::Error;
use stoa_types::time_uuid;

use super::failures::Failures;
use super::swept::Sweep;
use crate::model::{CommentState, Day};
use crate::rules::comments::KEPT_MICROS;
use crate::tables::talk::comment_lists::RemovedComment;
use crate::votes::Votes;

/// What is erased; 31 days before the mark are looked at again.
const SWEEP: Sweep = Sweep {
    mark: "sweep_comments",
    again_micros: 31 * 86_400_000_000,
};

impl Votes {
    /// Erases what is due.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn sweep_comments(&self) -> Result<(), Error> {
        let due = self.clock.now_micros().saturating_sub(KEPT_MICROS);
        let first = Day::of_micros(self.sweeps_from(SWEEP).await?);
        let mut failures = Failures::default();
        let mut through = due;
        for day in first.through(Day::of_micros(due)) {
            let of_day = self.tables.talk.lists.removed(day).await;
            let Some(of_day) = failures.part(of_day)? else {
                through = through.min(day.start_micros());
                continue;
            };
            for removed in of_day {
                let at = time_uuid::unix_micros(&removed.removal).unwrap_or(0);
                if at > due {
                    continue;
                }
                let erased = self.erase_comment(&removed).await;
                if failures.part(erased)? != Some(true) {
                    through = through.min(at);
                }
            }
        }
        failures.part(self.swept(SWEEP, through).await)?;
        failures.end()
    }

    /// Whether nothing is left to do.
    async fn erase_comment(&self, removed: &RemovedComment) -> Result<bool, Error> {
        let talk = &self.tables.talk;
        let (policy, id) = (removed.policy, removed.comment);
        let found = talk.comments.read(policy, id).await?;
        let removal = found.as_ref().and_then(|it| it.removal.as_ref());
        // Of two who removed it at once one did; the other's row means nothing.
        if removal.is_some_and(|removal| removal.id == removed.removal) {
            let now = self.clock.now_micros();
            talk.versions.delete(policy, id, now).await?;
            talk.comments.erase(policy, id, removed.removal).await?;
            let found = talk.comments.read(policy, id).await?;
            if found.is_some_and(|it| it.state != CommentState::Erased) {
                return Ok(false);
            }
        }
        talk.lists.delete_removed(removed.removal).await?;
        Ok(true)
    }
}
