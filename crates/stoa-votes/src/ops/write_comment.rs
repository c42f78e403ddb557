//! Writing a comment.
//!
//! 1. The request is given its comment, by one conditional batch that counts the author's pace too.
//! 2. What is about to be done is written down, and the comment among the recent ones.
//! 3. The comment: a conditional write, which decides.
//! 4. What happened is told, the discussion is counted, and the intent goes.
//!
//! Asking again finds the request's comment and goes on. Whoever dies after the third step is
//! finished by a task. A client that sleeps for minutes before the third and dies after it leaves a
//! comment that is seen, and that nobody is told of.

use super::claim::busy;
use crate::model::{
    AccountRefusal, Comment, CommentId, CommentState, NotDone, PolicyId, PolicyState, RequestId,
    TalkRefusal, Target, UserId,
};
use crate::rules::comments::{MOST_IN_AN_HOUR, body, check_readable, place_below, subject};
use crate::rules::secrets::digest;
use crate::tables::happenings::hour_of;
use crate::tables::talk::comment_lists::RecentComment;
use crate::tables::talk::comment_requests::GivenComment;
use crate::tables::talk::talk_intents::Begun;
use crate::votes::Votes;

/// A comment to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// What the client calls this request.
    pub request: RequestId,
    /// About which policy.
    pub policy: PolicyId,
    /// Which comment it answers. An answer to one of depth 8 stands beside that one.
    pub answers: Option<CommentId>,
    /// What it is about; may be empty.
    pub subject: String,
    /// What it says.
    pub body: String,
}

impl Votes {
    /// Writes a comment. The same request writes one comment, however often it is asked.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn write_comment(
        &self,
        author: UserId,
        new: &NewComment,
    ) -> Result<CommentId, NotDone> {
        let (subject, body) = (subject(&new.subject)?, body(&new.body)?);
        self.account(author).await?;
        let talk = &self.tables.talk;
        let digest = request_digest(new, &subject, &body);
        let given = talk.requests.given(author, new.request).await?;
        if let Some(given) = given {
            if given.digest != digest {
                return Err(AccountRefusal::RequestReused.into());
            }
            if let Some(comment) = talk.comments.read(new.policy, given.comment).await? {
                self.finish_comment(&comment).await?;
                return Ok(comment.id);
            }
        }
        self.check_discussed(new.policy).await?;
        let (parent, depth) = match new.answers {
            None => (None, 1),
            Some(answered) => {
                let answered = talk.comments.read(new.policy, answered).await?;
                let answered = answered.ok_or(TalkRefusal::NoSuchComment)?;
                check_readable(&answered)?;
                place_below(&answered)
            }
        };
        let id = self.comment_of(author, new.request, &digest).await?;
        let comment = Comment {
            policy: new.policy,
            id,
            parent,
            answers: new.answers,
            depth,
            author,
            subject,
            body,
            version: id.0,
            state: CommentState::Shown,
            removal: None,
            hidden_for: None,
        };
        let begun = Begun::Comment(Target::Comment(new.policy, id));
        let intent = self.begin_talk(begun).await?;
        let policy = new.policy;
        talk.lists
            .write_recent(author, RecentComment { id, policy })
            .await?;
        // Not applied means that this very comment is there: nothing else has its identifier.
        talk.comments.insert(&comment).await?;
        self.finish_comment(&comment).await?;
        talk.intents.delete(&intent).await?;
        Ok(id)
    }

    /// The comment that a request makes, decided once and for all, if the author's pace allows it.
    async fn comment_of(
        &self,
        author: UserId,
        request: RequestId,
        digest: &str,
    ) -> Result<CommentId, NotDone> {
        let requests = &self.tables.talk.requests;
        for _ in 0..self.settings.attempts {
            let pace = requests.pace(author).await?;
            // Read after the pace, so that what was decided before it is seen.
            if let Some(given) = requests.given(author, request).await? {
                return match given.digest == digest {
                    true => Ok(given.comment),
                    false => Err(AccountRefusal::RequestReused.into()),
                };
            }
            let hour = hour_of(self.clock.now_micros());
            if pace.within(hour) >= MOST_IN_AN_HOUR {
                return Err(TalkRefusal::TooManyComments.into());
            }
            let given = GivenComment {
                comment: CommentId(self.ids.time_uuid()),
                digest: digest.to_owned(),
            };
            if requests.give(author, pace, hour, request, &given).await? {
                return Ok(given.comment);
            }
        }
        Err(busy("the author wrote too much at once").into())
    }

    /// Refuses what nobody may comment on now.
    pub(crate) async fn check_discussed(&self, policy: PolicyId) -> Result<(), NotDone> {
        let standing = self.standing(policy).await?;
        let state = standing.map_or(PolicyState::Creating, |it| it.state);
        match state {
            PolicyState::Creating => return Err(TalkRefusal::NoSuchPolicy.into()),
            PolicyState::PendingDeletion | PolicyState::Deleted => {
                return Err(TalkRefusal::PolicyDeleted.into());
            }
            PolicyState::Merged => {
                let root = self.root(policy).await?;
                return Err(TalkRefusal::PolicyMerged { root }.into());
            }
            PolicyState::Active | PolicyState::Withdrawn | PolicyState::Retired => {}
        }
        let page = self.tables.pages.read(policy).await?;
        match page.map(|page| page.is_hidden) {
            Some(true) => Err(TalkRefusal::PolicyHidden.into()),
            _ => Ok(()),
        }
    }
}

/// What a request asks for, so that it is not used for something else.
fn request_digest(new: &NewComment, subject: &str, body: &str) -> String {
    let answers = new.answers.map_or([0; 16], |it| *it.0.as_bytes());
    let length = subject.len().to_be_bytes();
    let parts: [&[u8]; 5] = [
        new.policy.0.as_bytes(),
        &answers,
        &length,
        subject.as_bytes(),
        body.as_bytes(),
    ];
    digest("comment", &parts.concat())
}
