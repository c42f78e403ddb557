//! Saying whether a comment helps: one mark of each reader, which may change.

use std::collections::BTreeMap;

use stoa_session::Error;

use crate::model::{CommentId, Mark, NotDone, PolicyId, TalkRefusal, Target, UserId};
use crate::rules::comments::check_readable;
use crate::tables::talk::talk_intents::Begun;
use crate::votes::Votes;

impl Votes {
    /// Marks a comment of somebody else. The last mark of a user counts.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn mark_comment(
        &self,
        user: UserId,
        policy: PolicyId,
        comment: CommentId,
        mark: Mark,
    ) -> Result<(), NotDone> {
        self.account(user).await?;
        self.check_discussed(policy).await?;
        let talk = &self.tables.talk;
        let seen = talk.comments.read(policy, comment).await?;
        let seen = seen.ok_or(TalkRefusal::NoSuchComment)?;
        check_readable(&seen)?;
        if seen.author == user {
            return Err(TalkRefusal::OwnDoing.into());
        }
        let begun = Begun::Comment(Target::Comment(policy, comment));
        let intent = self.begin_talk(begun).await?;
        let at = self.begin_micros();
        talk.marks.write((policy, comment), user, mark, at).await?;
        self.recount_marks(policy, comment).await?;
        Ok(talk.intents.delete(&intent).await?)
    }

    /// What a user thinks of some comments of a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn own_marks(
        &self,
        user: UserId,
        policy: PolicyId,
        comments: &[CommentId],
    ) -> Result<BTreeMap<CommentId, Mark>, Error> {
        let mut own = BTreeMap::new();
        for comment in comments {
            let mark = self.tables.talk.marks.own((policy, *comment), user).await?;
            own.insert(*comment, mark);
        }
        Ok(own)
    }
}
