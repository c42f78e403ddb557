//! Erasing what was taken away: once nobody can have an older copy, the texts go, and then the state
//! says so.
//!
//! Everything that people wrote about the policy goes: its page, comments, tags and what was
//! suggested, what those said who carry it out, the words about what happened to it, and those of
//! merges that led to it. All of it may be done again, so whoever dies has it done by the next run.
//!
//! The page tells when its policy was taken away. A policy without a page, as simulations make them,
//! has no words that anybody could have an older copy of: it is not waited for.

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use super::failures::Failures;
use crate::model::{Comment, CommentState, Day, NotDone, PolicyId, PolicyState, Removal, UserId};
use crate::tables::proposal_index::year_of;
use crate::votes::Votes;

/// How long after a policy was taken away its texts are erased: as long as a replica may have been
/// away and bring back what was written before.
const GRACE_MICROS: i64 = 10 * 86_400_000_000;
/// Comments that are read at once.
const MOST_COMMENTS: i32 = 500;
/// Proposals that are found at once.
const MOST_PROPOSALS: i32 = 100;

impl Votes {
    /// Erases the texts of every policy that was taken away long enough ago.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn erase_deleted(&self) -> Result<(), NotDone> {
        let old = self.clock.now_micros() - GRACE_MICROS;
        let mut failures = Failures::default();
        for (policy, state, _) in self.tables.policies.all().await? {
            if state == PolicyState::PendingDeletion {
                failures.unrefused(self.erase_policy(policy, old).await)?;
            }
        }
        Ok(failures.end()?)
    }

    /// Erases a policy, if it was taken away by a moment.
    async fn erase_policy(&self, policy: PolicyId, by_micros: i64) -> Result<(), NotDone> {
        if let Some(page) = self.tables.pages.settle(policy).await? {
            let ended = page.ending.as_ref().map_or(page.change, |it| it.id);
            if time_uuid::unix_micros(&ended).unwrap_or(0) > by_micros {
                return Ok(());
            }
            self.erase_page(policy).await?;
        }
        self.erase_around(policy).await?;
        let (from, to) = (PolicyState::PendingDeletion, PolicyState::Deleted);
        let policies = &self.tables.policies;
        policies
            .change_state(policy, from, to, self.settles())
            .await?;
        self.forget(policy);
        Ok(())
    }

    /// Erases whatever else was written about a policy.
    async fn erase_around(&self, policy: PolicyId) -> Result<(), NotDone> {
        self.clear_tags(policy).await?;
        for it in self.tables.tag_suggestions.of_policy(policy).await? {
            self.decide_suggestions(policy, it.tag).await?;
        }
        self.erase_comments(policy).await?;
        self.tables.progress.erase(policy).await?;
        self.tables.happenings.erase_details(policy).await?;
        self.erase_proposals(policy).await?;
        Ok(())
    }

    /// Erases the words of every proposal that is over and was about a policy: that led to it, which
    /// may have begun in the year before, or that would have merged it.
    async fn erase_proposals(&self, policy: PolicyId) -> Result<(), Error> {
        let made = Day::of_micros(policy.made_at_micros());
        for year in year_of(made) - 1..=year_of(self.today()) {
            let mut last = None;
            loop {
                let index = &self.tables.proposal_index;
                let places = index.of_year(year, last, MOST_PROPOSALS).await?;
                for place in &places {
                    let proposal = self.proposal_at(place).await?;
                    if let Some(it) = proposal.filter(|it| it.is_over_about(policy)) {
                        self.tables.proposals.erase(&it).await?;
                    }
                }
                match places.last() {
                    Some(place) => last = Some(place.proposed),
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// Erases all that was said about a policy, page by page, however much it is.
    async fn erase_comments(&self, policy: PolicyId) -> Result<(), Error> {
        let comments = &self.tables.talk.comments;
        let mut last = None;
        loop {
            let page = comments.before(policy, last, MOST_COMMENTS).await?;
            for comment in &page {
                self.erase_said(comment).await?;
            }
            match page.last() {
                Some(comment) => last = Some(comment.id),
                None => return self.recount_discussion(policy).await,
            }
        }
    }

    /// Erases one comment, removed or not. A placeholder stays.
    async fn erase_said(&self, comment: &Comment) -> Result<(), Error> {
        if comment.state == CommentState::Erased {
            return Ok(());
        }
        let (policy, id) = (comment.policy, comment.id);
        let talk = &self.tables.talk;
        if comment.removal.is_none() {
            let removal = Removal {
                id: self.ids.time_uuid(),
                by: UserId(Uuid::nil()),
                reason: "the policy was deleted".to_owned(),
            };
            talk.comments.remove(comment, &removal).await?;
        }
        // Somebody else may have removed it meanwhile.
        let found = talk.comments.read(policy, id).await?;
        if let Some(removal) = found.and_then(|it| it.removal) {
            let now = self.begin_micros();
            talk.versions.delete(policy, id, now).await?;
            talk.comments.erase(policy, id, removal.id).await?;
        }
        Ok(())
    }
}
