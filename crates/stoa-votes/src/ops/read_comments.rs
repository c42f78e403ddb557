//! Reading comments: threads page by page, what is new, what a comment said before.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::{
    By, Comment, CommentId, NotDone, PolicyId, PolicyState, Score, TagId, TalkRefusal, Target,
};
use crate::rules::threads::{
    Leaf, Placed, Thread, ThreadCursor, ThreadOrder, page, rest_of_thread, threads,
};
use crate::tables::discussion::Discussion;
use crate::tables::happenings::hour_of;
use crate::tables::talk::comment_versions::CommentVersion;
use crate::votes::Votes;

/// Roots of a page at most.
pub const MOST_ROOTS: usize = 50;
/// Comments of a page at most.
pub const MOST_ON_A_PAGE: usize = 500;
/// New comments of one answer at most.
pub const MOST_NEW: usize = 100;
/// How far back new comments are looked for: a week.
const MOST_HOURS: i64 = 7 * 24;

/// A comment in its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadedComment {
    /// The comment, or its placeholder.
    pub comment: Comment,
    /// How many stand above it.
    pub level: usize,
    /// What readers think of it.
    pub score: Score,
}

/// A page of threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadPage {
    /// Whole threads, one after the other, in reading order.
    pub comments: Vec<ThreadedComment>,
    /// Where the next page begins, if there is one.
    pub next: Option<ThreadCursor>,
    /// How many comments of a thread that is longer than a page are left out.
    pub left_out: usize,
}

impl Votes {
    /// A page of the threads about a policy: at most so many roots, and no more than
    /// [`MOST_ROOTS`]. About a policy that is not shown there are none.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn comment_threads(
        &self,
        policy: PolicyId,
        order: ThreadOrder,
        after: Option<ThreadCursor>,
        most_roots: usize,
    ) -> Result<ThreadPage, Error> {
        if !self.is_shown(policy).await? {
            return Ok(ThreadPage::default());
        }
        let (threads, scores) = self.all_threads(policy, order).await?;
        let roots = most_roots.clamp(1, MOST_ROOTS);
        let (placed, next, left_out) = page(threads, order, after, roots, MOST_ON_A_PAGE);
        Ok(ThreadPage {
            comments: self.placed_comments(policy, &placed, &scores).await?,
            next,
            left_out,
        })
    }

    /// What follows a comment in the thread of a root, for threads that are longer than a page.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn rest_of_thread(
        &self,
        policy: PolicyId,
        order: ThreadOrder,
        root: CommentId,
        after: CommentId,
    ) -> Result<ThreadPage, Error> {
        if !self.is_shown(policy).await? {
            return Ok(ThreadPage::default());
        }
        let (threads, scores) = self.all_threads(policy, order).await?;
        let (placed, left_out) = rest_of_thread(threads, root, after, MOST_ON_A_PAGE);
        Ok(ThreadPage {
            comments: self.placed_comments(policy, &placed, &scores).await?,
            next: None,
            left_out,
        })
    }

    async fn all_threads(
        &self,
        policy: PolicyId,
        order: ThreadOrder,
    ) -> Result<(Vec<Thread>, BTreeMap<CommentId, Score>), Error> {
        let talk = &self.tables.talk;
        let outline = talk.comments.outline(policy).await?;
        let scores = talk.marks.scores(policy).await?;
        let leaves = outline.iter().map(|it| Leaf {
            id: it.id,
            parent: it.parent,
            score: scores.get(&it.id).copied().unwrap_or_default(),
        });
        let leaves: Vec<Leaf> = leaves.collect();
        Ok((threads(&leaves, order), scores))
    }

    async fn placed_comments(
        &self,
        policy: PolicyId,
        placed: &[Placed],
        scores: &BTreeMap<CommentId, Score>,
    ) -> Result<Vec<ThreadedComment>, Error> {
        let ids: Vec<CommentId> = placed.iter().map(|it| it.id).collect();
        let found = self.tables.talk.comments.several(policy, &ids).await?;
        let found = found.into_iter().map(|comment| (comment.id, comment));
        let mut found: BTreeMap<CommentId, Comment> = found.collect();
        let comments = placed.iter().filter_map(|it| {
            Some(ThreadedComment {
                comment: found.remove(&it.id)?.for_everybody(),
                level: it.level,
                score: scores.get(&it.id).copied().unwrap_or_default(),
            })
        });
        Ok(comments.collect())
    }

    /// A comment as everybody may read it; none about a policy that is not shown.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn comment(
        &self,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<Option<Comment>, Error> {
        if !self.is_shown(policy).await? {
            return Ok(None);
        }
        let found = self.tables.talk.comments.read(policy, comment).await?;
        Ok(found.map(Comment::for_everybody))
    }

    /// The texts that a comment had before the one it has, the first first; none of a comment that
    /// not everybody may read, or about a policy that is not shown.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn comment_history(
        &self,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<Vec<CommentVersion>, Error> {
        if !self.is_shown(policy).await? {
            return Ok(Vec::new());
        }
        let found = self.tables.talk.comments.read(policy, comment).await?;
        match found.filter(Comment::is_readable) {
            Some(found) => self.earlier_texts(&found).await,
            None => Ok(Vec::new()),
        }
    }

    /// A comment with its text and its earlier ones, for moderators: also one that is hidden, or
    /// was removed not long ago. That they read such a one is in the audit log.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn comment_for_moderators(
        &self,
        by: By,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<(Comment, Vec<CommentVersion>), NotDone> {
        let target = Target::Comment(policy, comment);
        self.demand_for(by, target).await?;
        let found = self.tables.talk.comments.read(policy, comment).await?;
        let found = found.ok_or(TalkRefusal::NoSuchComment)?;
        if !found.is_readable() {
            let what = target.to_string();
            self.note_reading(by, "read_comment", &what).await?;
        }
        let earlier = self.earlier_texts(&found).await?;
        Ok((found, earlier))
    }

    async fn earlier_texts(&self, comment: &Comment) -> Result<Vec<CommentVersion>, Error> {
        let versions = &self.tables.talk.versions;
        let mut texts = versions.list(comment.policy, comment.id).await?;
        // A text is kept before it is replaced, so the present one may be there already.
        texts.retain(|text| text.version != comment.version);
        Ok(texts)
    }

    /// The last comments about all policies since a moment within the last week, the last first; at
    /// most so many, and no more than [`MOST_NEW`]. What not everybody may read is left out.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn comments_since(
        &self,
        since_micros: i64,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        self.new_comments(since_micros, None, most, None).await
    }

    /// The last comments about all policies before one of them, within the last week; the last first.
    /// What not everybody may read is left out.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn comments_before(
        &self,
        before: Option<CommentId>,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        self.new_comments(0, before, most, None).await
    }

    /// The last comments since a moment about the policies that have a tag.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tag_comments_since(
        &self,
        tag: TagId,
        since_micros: i64,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        let tagged: BTreeSet<PolicyId> = self.policies_by_tags(&[tag]).await?.into_iter().collect();
        self.new_comments(since_micros, None, most, Some(&tagged))
            .await
    }

    /// New comments, about some policies alone if there is a choice.
    async fn new_comments(
        &self,
        since_micros: i64,
        before: Option<CommentId>,
        most: usize,
        among: Option<&BTreeSet<PolicyId>>,
    ) -> Result<Vec<Comment>, Error> {
        let most = most.min(MOST_NEW);
        let (since, now) = (since(since_micros), hour_of(self.clock.now_micros()));
        let first = hour_of(since_micros).max(now.saturating_sub(MOST_HOURS));
        // Clocks of instances differ a little, so a comment may be of the next hour.
        let next = now.saturating_add(1);
        let last = before.map_or(next, |it| hour_of(it.made_at_micros()).min(next));
        let mut comments = Vec::new();
        let mut is_shown: BTreeMap<PolicyId, bool> = BTreeMap::new();
        for hour in (first..=last).rev() {
            for recent in self.tables.talk.lists.recent(hour, since).await? {
                if comments.len() >= most {
                    return Ok(comments);
                }
                let policy = recent.policy;
                let is_before =
                    before.is_none_or(|it| time_uuid::compare(&recent.id.0, &it.0).is_lt());
                if !is_before || among.is_some_and(|among| !among.contains(&policy)) {
                    continue;
                }
                if let std::collections::btree_map::Entry::Vacant(entry) = is_shown.entry(policy) {
                    entry.insert(self.is_shown(policy).await?);
                }
                if is_shown.get(&policy) == Some(&true) {
                    let comments_of = &self.tables.talk.comments;
                    let found = comments_of.read(policy, recent.id).await?;
                    comments.extend(found.filter(Comment::is_readable));
                }
            }
        }
        Ok(comments)
    }

    /// The last comments about a policy since a moment, the last first; at most so many, and no more
    /// than [`MOST_NEW`]. What not everybody may read is left out, and so is a policy that is not
    /// shown.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policy_comments_since(
        &self,
        policy: PolicyId,
        since_micros: i64,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        if !self.is_shown(policy).await? {
            return Ok(Vec::new());
        }
        let most = i32::try_from(most.clamp(1, MOST_NEW)).unwrap_or(1);
        let comments = &self.tables.talk.comments;
        let mut found = comments.since(policy, since(since_micros), most).await?;
        found.retain(Comment::is_readable);
        Ok(found)
    }

    /// What was said about the policies that count for a policy, which is read where it was said.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn linked_discussions(&self, policy: PolicyId) -> Result<Vec<Discussion>, Error> {
        let mut linked = Vec::new();
        for source in self.closure(policy).await? {
            if source != policy {
                linked.extend(self.tables.discussion.read(source).await?);
            }
        }
        Ok(linked)
    }

    /// Whether everybody sees a policy.
    pub(crate) async fn is_shown(&self, policy: PolicyId) -> Result<bool, Error> {
        let standing = match self.remembered(policy) {
            Some(standing) => Some(standing),
            None => self.standing(policy).await?,
        };
        let is_there = standing.is_some_and(|it| {
            it.state.is_visible()
                && !matches!(
                    it.state,
                    PolicyState::PendingDeletion | PolicyState::Deleted
                )
        });
        let page = self.tables.pages.read(policy).await?;
        Ok(is_there && page.map(|page| page.is_hidden) != Some(true))
    }
}

/// The least comment of a moment.
fn since(micros: i64) -> CommentId {
    CommentId(time_uuid::least_at_unix_millis(micros.div_euclid(1_000)))
}
