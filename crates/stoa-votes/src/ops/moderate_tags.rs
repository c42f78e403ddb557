//! Renaming, merging and deleting tags. It takes the role of moderating tags, and all of it is in
//! the public log.
//!
//! The row of the tag decides, and holds what the log has to say of it. Before it changes again,
//! the entry of the last change is written, so none is lost however early somebody dies. Readers
//! follow merges at once; the lists are rewritten by the task `rewrite_tags`.

use stoa_session::Error;

use super::claim::busy;
use super::tag_name::settled;
use crate::model::{By, NotDone, Role, Tag, TagAct, TagId, TagRefusal, TagState};
use crate::rules::tags::{MOST_REASON_BYTES, TagName};
use crate::tables::moderation::LogEntry;
use crate::votes::Votes;

impl Votes {
    /// Gives a tag another name; the old one leads to it too. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn rename_tag(
        &self,
        by: By,
        tag: TagId,
        name: &str,
        reason: &str,
    ) -> Result<Tag, NotDone> {
        let name = TagName::of(name)?;
        self.demand_moderating(by, reason).await?;
        for _ in 0..self.settings.attempts {
            let seen = self.moderated(tag).await?;
            if (&seen.name, &seen.key) == (&name.shown, &name.key) {
                self.log_tag_act(&seen).await?;
                return Ok(seen);
            }
            let claim = self.claim_tag_name(&name, tag).await?;
            let claimed = self.claimed_tag(&claim).await?;
            match claimed.ok_or(TagRefusal::Blocked)?.id == tag {
                true => {}
                false => return Err(TagRefusal::NameTaken.into()),
            }
            self.log_tag_act(&seen).await?;
            let about = format!("{} -> {}", seen.name, name.shown);
            let to = Tag {
                name: name.shown.clone(),
                key: name.key.clone(),
                ..self.acted(&seen, by, "rename_tag", &about, reason)
            };
            settled(self.tables.tags.change(seen.change, &to).await)?;
        }
        Err(busy("the tag changed too often meanwhile").into())
    }

    /// Lets a tag count for another one, from now on and for what bears it. Asking again does no
    /// harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn merge_tags(
        &self,
        by: By,
        source: TagId,
        into: TagId,
        reason: &str,
    ) -> Result<Tag, NotDone> {
        self.demand_moderating(by, reason).await?;
        if source == into {
            return Err(TagRefusal::SameTag.into());
        }
        let tags = &self.tables.tags;
        for _ in 0..self.settings.attempts {
            let seen = tags.settle(source).await?.ok_or(TagRefusal::NoSuchTag)?;
            let target = self.settled_tag(into).await?.ok_or(TagRefusal::NoSuchTag)?;
            if target.id == source {
                return Err(TagRefusal::SameTag.into());
            }
            match seen.state {
                TagState::Active => {}
                TagState::Deleted => return Err(TagRefusal::NoSuchTag.into()),
                TagState::Merged => {
                    // Into this one, perhaps by this very request; or into another.
                    let counts = self.settled_tag(source).await?;
                    if counts.is_none_or(|tag| tag.id != target.id) {
                        return Err(TagRefusal::Merged.into());
                    }
                    self.log_tag_act(&seen).await?;
                    return Ok(target);
                }
            }
            self.log_tag_act(&seen).await?;
            let about = format!("{} -> {}", seen.name, target.name);
            let to = Tag {
                state: TagState::Merged,
                merged_to: Some(target.id),
                ..self.acted(&seen, by, "merge_tags", &about, reason)
            };
            settled(tags.merge(seen.change, &to, &target).await)?;
        }
        Err(busy("the tags changed too often meanwhile").into())
    }

    /// Deletes a tag; nobody can use its names any more. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn delete_tag(&self, by: By, tag: TagId, reason: &str) -> Result<(), NotDone> {
        self.demand_moderating(by, reason).await?;
        let tags = &self.tables.tags;
        for _ in 0..self.settings.attempts {
            let seen = tags.settle(tag).await?.ok_or(TagRefusal::NoSuchTag)?;
            self.log_tag_act(&seen).await?;
            match seen.state {
                TagState::Active => {}
                TagState::Deleted => return Ok(()),
                TagState::Merged => return Err(TagRefusal::Merged.into()),
            }
            let to = Tag {
                state: TagState::Deleted,
                ..self.acted(&seen, by, "delete_tag", &seen.name, reason)
            };
            settled(tags.change(seen.change, &to).await)?;
        }
        Err(busy("the tag changed too often meanwhile").into())
    }

    async fn demand_moderating(&self, by: By, reason: &str) -> Result<(), NotDone> {
        if reason.len() > MOST_REASON_BYTES {
            return Err(TagRefusal::ReasonTooLong.into());
        }
        self.demand(by, Role::ModerateTags).await
    }

    /// A tag that is active; nothing stays undecided.
    async fn moderated(&self, tag: TagId) -> Result<Tag, NotDone> {
        match self.tables.tags.settle(tag).await? {
            Some(tag) if tag.state == TagState::Active => Ok(tag),
            Some(tag) if tag.state == TagState::Merged => Err(TagRefusal::Merged.into()),
            _ => Err(TagRefusal::NoSuchTag.into()),
        }
    }

    fn acted(&self, seen: &Tag, by: By, kind: &str, about: &str, reason: &str) -> Tag {
        let change = self.later_than(Some(seen.change));
        let reason = match reason.is_empty() {
            true => about.to_owned(),
            false => format!("{about}: {reason}"),
        };
        let act = TagAct {
            id: change,
            by: by.id(),
            kind: kind.to_owned(),
            reason,
        };
        Tag {
            change,
            act: Some(act),
            ..seen.clone()
        }
    }

    /// Writes the entry of what a moderator did last to a tag.
    pub(crate) async fn log_tag_act(&self, tag: &Tag) -> Result<(), Error> {
        let Some(act) = &tag.act else {
            return Ok(());
        };
        let entry = LogEntry {
            id: act.id,
            moderator: act.by,
            action: act.kind.clone(),
            target: tag.id.to_string(),
            reason: act.reason.clone(),
        };
        self.tables.moderation.write(&entry).await
    }
}
