//! Erasing the texts of comments that were removed 30 days ago. It looks at the days of removals
//! alone, never at all comments.

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::{CommentState, Day};
use crate::rules::comments::KEPT_MICROS;
use crate::tables::talk::comment_lists::RemovedComment;
use crate::votes::Votes;

/// How many days are looked at: whatever stood still for a month is caught up with.
const MOST_DAYS: i32 = 31;

impl Votes {
    /// Erases what is due.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn sweep_comments(&self) -> Result<(), Error> {
        let due = self.clock.now_micros().saturating_sub(KEPT_MICROS);
        let last = Day::of_micros(due);
        for day in last.plus(-MOST_DAYS).through(last) {
            for removed in self.tables.talk.lists.removed(day).await? {
                let at = time_uuid::unix_micros(&removed.removal).unwrap_or(0);
                if at <= due {
                    self.erase_comment(&removed).await?;
                }
            }
        }
        Ok(())
    }

    async fn erase_comment(&self, removed: &RemovedComment) -> Result<(), Error> {
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
                return Ok(());
            }
        }
        talk.lists.delete_removed(removed.removal).await
    }
}
