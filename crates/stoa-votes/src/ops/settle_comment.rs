//! What follows from a comment, from marks and from removals: all of it may be done again at any
//! time.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{Comment, CommentId, CommentState, Happening, HappeningKind, PolicyId, Target};
use crate::tables::changes::Changed;
use crate::tables::discussion::Discussion;
use crate::tables::moderation::LogEntry;
use crate::tables::talk::comments::Outline;
use crate::tables::talk::talk_intents::{Begun, TalkIntent};
use crate::votes::Votes;

impl Votes {
    /// Writes down that something begins.
    pub(crate) async fn begin_talk(&self, begun: Begun) -> Result<TalkIntent, Error> {
        let id = self.ids.time_uuid();
        let intent = TalkIntent { id, begun };
        self.tables.talk.intents.write(&intent).await?;
        Ok(intent)
    }

    /// Does everything that follows from a comment, if there is one.
    pub(crate) async fn settle_comment(
        &self,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<(), Error> {
        let found = self.tables.talk.comments.read(policy, comment).await?;
        let Some(found) = found else {
            return Ok(());
        };
        self.recount_marks(policy, comment).await?;
        self.log_removal(&found).await?;
        self.finish_comment(&found).await
    }

    /// Tells of a comment and counts the discussion.
    pub(crate) async fn finish_comment(&self, it: &Comment) -> Result<(), Error> {
        if it.state == CommentState::Shown {
            self.tell_of_comment(it).await?;
        }
        self.recount_discussion(it.policy).await
    }

    async fn tell_of_comment(&self, it: &Comment) -> Result<(), Error> {
        let happening = Happening {
            id: it.id.0,
            policy: Some(it.policy),
            kind: HappeningKind::Commented,
            actor: it.author,
            about: Some(it.id.0),
            // The subject may be erased, so whoever shows this reads the comment.
            detail: String::new(),
        };
        self.tables.happenings.write(it.policy, &happening).await?;
        let Some(answered) = it.answers else {
            return Ok(());
        };
        let answered = self.tables.talk.comments.read(it.policy, answered).await?;
        if let Some(answered) = answered.filter(|answered| answered.author != it.author) {
            let kind = HappeningKind::Replied;
            let happening = Happening { kind, ..happening };
            self.notify(answered.author, &happening).await?;
        }
        Ok(())
    }

    /// Writes into the public log that a moderator removed a comment.
    pub(crate) async fn log_removal(&self, it: &Comment) -> Result<(), Error> {
        let Some(removal) = it.removal.as_ref().filter(|it_| it_.by != it.author) else {
            return Ok(());
        };
        let entry = LogEntry {
            id: removal.id,
            moderator: removal.by,
            action: "remove_comment".to_owned(),
            target: Target::Comment(it.policy, it.id).to_string(),
            reason: removal.reason.clone(),
        };
        self.tables.moderation.write(&entry).await
    }

    /// Counts the marks of a comment anew, as of when the reading began.
    pub(crate) async fn recount_marks(
        &self,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<(), Error> {
        let began = self.begin_micros();
        let marks = &self.tables.talk.marks;
        let score = marks.count(policy, comment).await?;
        marks.write_score((policy, comment), score, began).await
    }

    /// Counts what is said about a policy anew, as of when the reading began.
    pub(crate) async fn recount_discussion(&self, policy: PolicyId) -> Result<(), Error> {
        let began = self.begin_micros();
        let mut outline = self.tables.talk.comments.outline(policy).await?;
        outline.retain(Outline::is_readable);
        let people: BTreeSet<_> = outline.iter().map(|it| it.author).collect();
        let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let discussion = Discussion {
            policy,
            comments: count(outline.len()),
            people: count(people.len()),
            last_micros: outline.first().map_or(0, |it| it.id.made_at_micros()),
        };
        self.tables.discussion.write(&discussion, began).await?;
        self.note_changed(policy, Changed::Rest).await
    }
}
