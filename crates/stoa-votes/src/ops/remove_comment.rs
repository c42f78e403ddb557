//! Removing a comment. A placeholder stays; moderators may read the text for 30 days.
//!
//! The removal is listed under its day first, so that the text is erased whatever happens; then a
//! conditional write decides; then the public log and the count follow.

use super::claim::busy;
use crate::model::{By, CommentId, NotDone, PolicyId, Removal, Role, TalkRefusal, Target, UserId};
use crate::rules::comments::reason;
use crate::tables::talk::comment_lists::RemovedComment;
use crate::tables::talk::talk_intents::Begun;
use crate::votes::Votes;

impl Votes {
    /// Removes a comment of one's own. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn remove_own_comment(
        &self,
        author: UserId,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<(), NotDone> {
        self.account(author).await?;
        let seen = self.tables.talk.comments.read(policy, comment).await?;
        let seen = seen.ok_or(TalkRefusal::NoSuchComment)?;
        if seen.author != author {
            return Err(TalkRefusal::NotAuthor.into());
        }
        self.take_away(policy, comment, author, "").await
    }

    /// Removes a comment of somebody, with a reason that everybody may read. It takes the role of
    /// moderating comments, or of handling reports.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn remove_comment(
        &self,
        by: By,
        policy: PolicyId,
        comment: CommentId,
        why: &str,
    ) -> Result<(), NotDone> {
        let why = reason(why)?;
        self.demand_for(by, Target::Comment(policy, comment))
            .await?;
        self.take_away(policy, comment, by.id(), &why).await
    }

    /// Refuses whoever may not judge a thing.
    pub(crate) async fn demand_for(&self, by: By, target: Target) -> Result<(), NotDone> {
        match self.demand(by, Role::HandleReports).await {
            Err(NotDone::Refused(_)) if matches!(target, Target::Comment(..)) => {
                self.demand(by, Role::ModerateComments).await
            }
            demanded => demanded,
        }
    }

    pub(crate) async fn take_away(
        &self,
        policy: PolicyId,
        comment: CommentId,
        by: UserId,
        why: &str,
    ) -> Result<(), NotDone> {
        let talk = &self.tables.talk;
        let mut intent = None;
        for _ in 0..self.settings.attempts {
            let seen = talk.comments.read(policy, comment).await?;
            let seen = seen.ok_or(TalkRefusal::NoSuchComment)?;
            if let Some(removal) = &seen.removal {
                // Removed by this very request, or another one, which may not have come further.
                self.log_removal(&seen).await?;
                self.recount_discussion(policy).await?;
                if let Some(intent) = &intent {
                    talk.intents.delete(intent).await?;
                }
                return match removal.by == by {
                    true => Ok(()),
                    false => Err(TalkRefusal::CommentRemoved.into()),
                };
            }
            if intent.is_none() {
                let begun = Begun::Comment(Target::Comment(policy, comment));
                intent = Some(self.begin_talk(begun).await?);
            }
            let removal = Removal {
                id: self.ids.time_uuid(),
                by,
                reason: why.to_owned(),
            };
            let listed = RemovedComment {
                removal: removal.id,
                policy,
                comment,
            };
            talk.lists.write_removed(listed).await?;
            talk.comments.remove(&seen, &removal).await?;
        }
        Err(busy("the comment changed too often meanwhile").into())
    }
}
