//! Editing a comment: for a day, by its author. The text that it had is kept first, then the new one
//! is decided by a conditional write. Nothing follows from it.

use super::claim::busy;
use crate::model::{CommentId, NotDone, PolicyId, TalkRefusal, UserId};
use crate::rules::comments::{body, check_edit, subject};
use crate::votes::Votes;

impl Votes {
    /// Gives a comment another text. Asking again for the text that it has does nothing.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn edit_comment(
        &self,
        author: UserId,
        policy: PolicyId,
        comment: CommentId,
        new_subject: &str,
        new_body: &str,
    ) -> Result<(), NotDone> {
        let (subject, body) = (subject(new_subject)?, body(new_body)?);
        self.account(author).await?;
        self.check_discussed(policy).await?;
        let talk = &self.tables.talk;
        for _ in 0..self.settings.attempts {
            let seen = talk.comments.read(policy, comment).await?;
            let seen = seen.ok_or(TalkRefusal::NoSuchComment)?;
            check_edit(&seen, author, self.clock.now_micros())?;
            if seen.subject == subject && seen.body == body {
                return Ok(());
            }
            talk.versions.write(&seen).await?;
            let version = self.ids.time_uuid();
            if talk.comments.edit(&seen, version, &subject, &body).await? {
                return Ok(());
            }
        }
        Err(busy("the comment changed too often meanwhile").into())
    }
}
