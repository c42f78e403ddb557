//! What somebody wrote: the comments of an author, the last first.

use crate::model::{Comment, CommentId, NotDone, UserId};
use crate::votes::Votes;

/// Comments that are given at once, at most.
pub const MOST_OWN_COMMENTS: i32 = 100;

/// Some of the comments of an author.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnCommentPage {
    /// The comments with their texts, hidden ones too; of removed ones there is no text.
    pub comments: Vec<Comment>,
    /// Where the next page begins, if there may be one.
    pub next: Option<CommentId>,
}

impl Votes {
    /// The comments of an author, for the author; the page after another one begins at its `next`.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn own_comments(
        &self,
        author: UserId,
        before: Option<CommentId>,
    ) -> Result<OwnCommentPage, NotDone> {
        let talk = &self.tables.talk;
        let written = talk
            .lists
            .written(author, before, MOST_OWN_COMMENTS)
            .await?;
        let is_full = i32::try_from(written.len()).is_ok_and(|it| it >= MOST_OWN_COMMENTS);
        let next = written.last().filter(|_| is_full).map(|it| it.id);
        let mut comments = Vec::new();
        for it in written {
            let found = talk.comments.read(it.policy, it.id).await?;
            let own = found.filter(|comment| comment.author == author);
            comments.extend(own.map(|comment| match comment.removal {
                Some(_) => comment.for_everybody(),
                None => comment,
            }));
        }
        Ok(OwnCommentPage { comments, next })
    }
}
