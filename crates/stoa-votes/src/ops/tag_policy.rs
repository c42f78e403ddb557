//! Putting tags on a policy and taking them from it.
//!
//! 1. What was suggested about the tag is deleted: the owner decides.
//! 2. The set of the policy's tags changes, by one conditional write. This decides.
//! 3. The lists by tag, and the happening, as of that change.
//!
//! Whoever dies before the last step leaves lists that the task `rewrite_tags` brings in order.

use std::collections::BTreeSet;

use stoa_session::Error;
use uuid::Uuid;

use super::claim::busy;
use super::tag_name::settled;
use crate::model::{
    By, Happening, HappeningKind, NotDone, PolicyId, PolicyState, PolicyTags, Role, Tag, TagId,
    TagRefusal, UserId,
};
use crate::rules::tags::{MOST_TAGS, TagName};
use crate::votes::Votes;

/// What changes about the tags of a policy. In each case tags that were merged are replaced, and
/// those that were deleted dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagEdit {
    /// One more.
    Add(TagId),
    /// One less.
    Remove(TagId),
    /// None left.
    Clear,
    /// Nothing else.
    Rewrite,
}

/// Who changes the tags of a policy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tagger {
    Owner,
    Moderator,
}

impl Votes {
    /// Puts a tag on a policy; the tag is made if there is none of that name. The owner of the
    /// policy may, and whoever moderates tags. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn tag_policy(
        &self,
        user: UserId,
        policy: PolicyId,
        name: &str,
    ) -> Result<Tag, NotDone> {
        let name = TagName::of(name)?;
        let tagger = self.demand_tagging(user, policy).await?;
        self.demand_room(policy, &name).await?;
        let tag = self.tag_for(&name).await?;
        self.decide_suggestions(policy, tag.id).await?;
        let edit = TagEdit::Add(tag.id);
        let tags = self.change_tags(user, policy, edit).await?;
        self.log_tagged(user, tagger, tags).await?;
        Ok(tag)
    }

    /// Takes a tag from a policy. Who may put tags on it may. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn untag_policy(
        &self,
        user: UserId,
        policy: PolicyId,
        tag: TagId,
    ) -> Result<(), NotDone> {
        let tagger = self.demand_tagging(user, policy).await?;
        let tag = self.settled_tag(tag).await?.ok_or(TagRefusal::NoSuchTag)?;
        self.decide_suggestions(policy, tag.id).await?;
        let edit = TagEdit::Remove(tag.id);
        let tags = self.change_tags(user, policy, edit).await?;
        self.log_tagged(user, tagger, tags).await?;
        Ok(())
    }

    /// Writes into the public log that a moderator changed the tags of a policy. The change tells
    /// when, and which tags there are since.
    async fn log_tagged(
        &self,
        user: UserId,
        tagger: Tagger,
        tags: Option<PolicyTags>,
    ) -> Result<(), Error> {
        // Where nothing changed, the last change may be that of another.
        let own = tags.filter(|it| tagger == Tagger::Moderator && it.changed_by == user);
        let Some(it) = own else {
            return Ok(());
        };
        let tags: Vec<String> = it.tags.iter().map(|tag| tag.0.to_string()).collect();
        let target = it.policy.to_string();
        let act = (it.change, user);
        self.log_act(act, "change_tags", &target, &tags.join(" "))
            .await
    }

    /// Takes all tags from a policy whose texts are erased.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn clear_tags(&self, policy: PolicyId) -> Result<(), NotDone> {
        let nobody = UserId(Uuid::nil());
        let cleared = self.change_tags(nobody, policy, TagEdit::Clear).await;
        cleared.map(|_| ())
    }

    async fn demand_tagging(&self, user: UserId, policy: PolicyId) -> Result<Tagger, NotDone> {
        self.account(user).await?;
        self.demand_active(policy).await?;
        let page = self.tables.pages.read(policy).await?;
        if page.is_some_and(|page| page.is_owned_by(user)) {
            return Ok(Tagger::Owner);
        }
        self.demand(By::User(user), Role::ModerateTags).await?;
        Ok(Tagger::Moderator)
    }

    pub(crate) async fn demand_active(&self, policy: PolicyId) -> Result<(), NotDone> {
        match self.standing(policy).await?.map(|it| it.state) {
            Some(PolicyState::Active) => Ok(()),
            None | Some(PolicyState::Creating) => Err(TagRefusal::NoSuchPolicy.into()),
            Some(_) => Err(TagRefusal::PolicyNotActive.into()),
        }
    }

    /// Refuses what would be refused anyway before a tag is made for it.
    async fn demand_room(&self, policy: PolicyId, name: &TagName) -> Result<(), NotDone> {
        let Some(seen) = self.tables.policy_tags.read(policy).await? else {
            return Ok(());
        };
        let tags = self.normal_tags(&seen.tags).await?;
        if tags.len() < MOST_TAGS {
            return Ok(());
        }
        let claim = self.tables.tags.name(&name.key).await?;
        let tag = match claim {
            Some(claim) => self.claimed_tag(&claim).await?,
            None => None,
        };
        match tag.is_some_and(|tag| tags.contains(&tag.id)) {
            true => Ok(()),
            false => Err(TagRefusal::TooMany.into()),
        }
    }

    /// Changes the tags of a policy; what they are then.
    pub(crate) async fn change_tags(
        &self,
        by: UserId,
        policy: PolicyId,
        edit: TagEdit,
    ) -> Result<Option<PolicyTags>, NotDone> {
        let table = &self.tables.policy_tags;
        let mut gone = BTreeSet::new();
        if let TagEdit::Remove(tag) = edit {
            gone.insert(tag);
        }
        for _ in 0..self.settings.attempts {
            let seen = table.settle(policy).await?;
            let before = seen.as_ref().map(|it| it.tags.clone()).unwrap_or_default();
            let tags = self.edited(&before, edit).await?;
            if tags == before {
                if let Some(seen) = &seen {
                    self.copy_tags(seen, &gone).await?;
                }
                return Ok(seen);
            }
            gone.extend(before.difference(&tags));
            let seen = seen.map(|it| it.change);
            let to = PolicyTags {
                policy,
                tags,
                change: self.later_than(seen),
                changed_by: by,
            };
            settled(table.change(seen, &to).await)?;
        }
        Err(busy("the tags of the policy changed too often meanwhile").into())
    }

    async fn edited(
        &self,
        before: &BTreeSet<TagId>,
        edit: TagEdit,
    ) -> Result<BTreeSet<TagId>, NotDone> {
        let mut tags = self.normal_tags(before).await?;
        match edit {
            TagEdit::Add(tag) => {
                if tags.len() >= MOST_TAGS && !tags.contains(&tag) {
                    return Err(TagRefusal::TooMany.into());
                }
                tags.insert(tag);
            }
            TagEdit::Remove(tag) => {
                tags.remove(&tag);
            }
            TagEdit::Clear => tags.clear(),
            TagEdit::Rewrite => {}
        }
        Ok(tags)
    }

    /// The tags that count for tags.
    pub(crate) async fn normal_tags(
        &self,
        tags: &BTreeSet<TagId>,
    ) -> Result<BTreeSet<TagId>, Error> {
        let mut normal = BTreeSet::new();
        for tag in tags {
            normal.extend(self.tag(*tag).await?.map(|tag| tag.id));
        }
        Ok(normal)
    }

    /// Writes what follows from the tags of a policy: any number of times, in any order.
    pub(crate) async fn copy_tags(
        &self,
        it: &PolicyTags,
        gone: &BTreeSet<TagId>,
    ) -> Result<(), Error> {
        let table = &self.tables.policy_tags;
        for tag in &it.tags {
            table.put(*tag, it.policy, it.change).await?;
        }
        for tag in gone.difference(&it.tags) {
            table.take(*tag, it.policy, it.change).await?;
        }
        self.tell_tagged(it).await
    }

    /// Tells that the tags of a policy changed, unless nobody did it.
    pub(crate) async fn tell_tagged(&self, it: &PolicyTags) -> Result<(), Error> {
        if it.changed_by.0.is_nil() {
            return Ok(());
        }
        let happening = Happening {
            id: it.change,
            policy: Some(it.policy),
            kind: HappeningKind::Tagged,
            actor: it.changed_by,
            about: None,
            detail: String::new(),
        };
        self.tables.happenings.write(it.policy, &happening).await
    }
}
