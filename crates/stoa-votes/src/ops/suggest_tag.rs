//! Suggesting tags: anybody may, and what two people suggest is done.
//!
//! A suggestion is a row. Whoever writes one reads all of them afterwards, so the last of two who
//! write at the same time sees both. Should that one die, the task `rewrite_tags` does it.

use std::collections::BTreeSet;

use stoa_session::Error;

use super::tag_policy::TagEdit;
use crate::model::{
    NotDone, PolicyId, SuggestionKind, Tag, TagId, TagRefusal, TagSuggestion, UserId,
};
use crate::rules::tags::{MOST_TAGS, QUORUM, TagName};
use crate::tables::happenings::hour_of;
use crate::votes::Votes;

/// How many tags one user suggests to put on or to take off within a day at most.
pub const MOST_SUGGESTIONS_A_DAY: i32 = 100;

/// What became of a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggested {
    /// It is written down; others have to agree.
    Noted,
    /// Enough agreed, and it was done.
    Done,
}

impl Votes {
    /// Suggests to put a tag on a policy.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn suggest_tag(
        &self,
        user: UserId,
        policy: PolicyId,
        name: &str,
    ) -> Result<Suggested, NotDone> {
        let name = TagName::of(name)?;
        self.account(user).await?;
        self.demand_active(policy).await?;
        let tag = match self.tables.tags.name(&name.key).await? {
            Some(claim) => {
                let tag = self.claimed_tag(&claim).await?;
                tag.ok_or(TagRefusal::Blocked)?.id
            }
            // No tag is made for what one person suggests.
            None => name.new_tag(),
        };
        let tags = self.own_tags(policy).await?;
        if tags.contains(&tag) {
            return Err(TagRefusal::AlreadyTagged.into());
        }
        if tags.len() >= MOST_TAGS {
            return Err(TagRefusal::TooMany.into());
        }
        let kind = SuggestionKind::Add;
        self.suggest(policy, tag, kind, user, name.shown).await
    }

    /// Suggests to take a tag from a policy.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn suggest_untag(
        &self,
        user: UserId,
        policy: PolicyId,
        tag: TagId,
    ) -> Result<Suggested, NotDone> {
        self.account(user).await?;
        self.demand_active(policy).await?;
        let tag: Tag = self.settled_tag(tag).await?.ok_or(TagRefusal::NoSuchTag)?;
        if !self.own_tags(policy).await?.contains(&tag.id) {
            return Err(TagRefusal::NotTagged.into());
        }
        let kind = SuggestionKind::Remove;
        self.suggest(policy, tag.id, kind, user, tag.name).await
    }

    /// Takes back what a user suggested about a tag of a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn withdraw_suggestion(&self, suggestion: &TagSuggestion) -> Result<(), Error> {
        let now = self.begin_micros();
        let table = &self.tables.tag_suggestions;
        table.withdraw(suggestion, now).await
    }

    /// What is suggested for a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tag_suggestions(&self, policy: PolicyId) -> Result<Vec<TagSuggestion>, Error> {
        self.tables.tag_suggestions.of_policy(policy).await
    }

    async fn own_tags(&self, policy: PolicyId) -> Result<BTreeSet<TagId>, Error> {
        match self.tables.policy_tags.read(policy).await? {
            Some(seen) => self.normal_tags(&seen.tags).await,
            None => Ok(BTreeSet::new()),
        }
    }

    async fn suggest(
        &self,
        policy: PolicyId,
        tag: TagId,
        kind: SuggestionKind,
        user: UserId,
        name: String,
    ) -> Result<Suggested, NotDone> {
        let suggestion = TagSuggestion {
            policy,
            tag,
            kind,
            user,
            name,
        };
        let table = &self.tables.tag_suggestions;
        if !table.of_tag(policy, tag).await?.contains(&suggestion) {
            let day = hour_of(self.today().start_micros());
            let who = format!("suggest {user}");
            if !self.count_once(&who, day, MOST_SUGGESTIONS_A_DAY).await? {
                return Err(TagRefusal::TooManySuggestions.into());
            }
        }
        table.write(&suggestion, self.begin_micros()).await?;
        let rows = table.of_tag(policy, tag).await?;
        let agreeing = rows.iter().filter(|row| row.kind == kind).count();
        if agreeing < QUORUM {
            return Ok(Suggested::Noted);
        }
        self.do_suggested(&suggestion).await?;
        Ok(Suggested::Done)
    }

    /// Does what enough people suggested, and then forgets the suggestions: whoever dies between
    /// has it done again, which changes nothing.
    pub(crate) async fn do_suggested(&self, it: &TagSuggestion) -> Result<(), NotDone> {
        let edit = match it.kind {
            SuggestionKind::Add => TagEdit::Add(self.tag_for(&TagName::of(&it.name)?).await?.id),
            SuggestionKind::Remove => TagEdit::Remove(it.tag),
        };
        self.change_tags(it.user, it.policy, edit).await?;
        Ok(self.decide_suggestions(it.policy, it.tag).await?)
    }

    /// Forgets what was suggested about a tag of a policy up to now.
    pub(crate) async fn decide_suggestions(
        &self,
        policy: PolicyId,
        tag: TagId,
    ) -> Result<(), Error> {
        let table = &self.tables.tag_suggestions;
        table.delete(policy, tag, self.begin_micros()).await
    }
}
