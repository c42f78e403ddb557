//! Bringing tags in order: claims without a tag, entries of the log, lists that somebody did not
//! come to write, tags that were merged or deleted, suggestions that enough agree on.
//!
//! Entries and happenings are written again of what changed since two days before a run that left
//! nothing undone.
//!
//! Everything it writes has the time of the change that it follows from, so it may run beside those
//! who change tags: a newer change wins whatever the order.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use super::failures::Failures;
use super::swept::Sweep;
use crate::model::{
    NotDone, PolicyId, PolicyTags, SuggestionKind, Tag, TagId, TagSuggestion, UserId,
};
use crate::ops::tag_policy::TagEdit;
use crate::rules::tags::{QUORUM, tag_that_counts};
use crate::votes::Votes;

/// Changes whose entry and happening are written again: those of two days before the mark, too.
const SWEEP: Sweep = Sweep {
    mark: "rewrite_tags",
    again_micros: 2 * 86_400_000_000,
};

impl Votes {
    /// Brings all tags in order.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn rewrite_tags(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let from = self.sweeps_from(SWEEP).await?;
        let is_young = |id: &Uuid| time_uuid::unix_micros(id).unwrap_or(0) >= from;
        let mut failures = Failures::default();
        let known = self.tables.tags.all().await?;
        for claim in self.tables.tags.names().await? {
            if !known.contains_key(&claim.tag) {
                failures.part(self.make_claimed_tag(&claim).await)?;
            }
        }
        let tags = self.tables.tags.all().await?;
        for tag in tags.values() {
            if tag.act.as_ref().is_some_and(|act| is_young(&act.id)) {
                failures.part(self.log_tag_act(tag).await)?;
            }
        }
        let pairs = self.tables.policy_tags.pairs().await?;
        for it in self.tables.policy_tags.all().await? {
            let Some(it) = failures.part(self.rewrite_policy(it, &tags).await)? else {
                continue;
            };
            failures.part(self.rewrite_lists(&it, &pairs).await)?;
            if is_young(&it.change) {
                failures.part(self.tell_tagged(&it).await)?;
            }
        }
        self.settle_suggestions(&tags, &mut failures).await?;
        failures.end()?;
        self.swept(SWEEP, now).await
    }

    /// Replaces what was merged and drops what was deleted.
    async fn rewrite_policy(
        &self,
        it: PolicyTags,
        tags: &BTreeMap<TagId, Tag>,
    ) -> Result<PolicyTags, Error> {
        let is_normal = |tag: &TagId| tag_that_counts(tags, *tag).is_some_and(|it| it.id == *tag);
        if it.tags.iter().all(is_normal) {
            return Ok(it);
        }
        let nobody = UserId(Uuid::nil());
        let rewritten = self.change_tags(nobody, it.policy, TagEdit::Rewrite).await;
        Ok(done(rewritten)?.flatten().unwrap_or(it))
    }

    /// Writes what is missing in the lists by tag, and deletes what should not be there.
    async fn rewrite_lists(
        &self,
        it: &PolicyTags,
        pairs: &BTreeSet<(PolicyId, TagId)>,
    ) -> Result<(), Error> {
        let table = &self.tables.policy_tags;
        let (least, most) = (TagId(Uuid::nil()), TagId(Uuid::max()));
        let listed = pairs.range((it.policy, least)..=(it.policy, most));
        let listed: BTreeSet<TagId> = listed.map(|(_, tag)| *tag).collect();
        for tag in it.tags.difference(&listed) {
            table.put(*tag, it.policy, it.change).await?;
        }
        for tag in listed.difference(&it.tags) {
            table.take(*tag, it.policy, it.change).await?;
        }
        Ok(())
    }

    /// Does what enough people suggested, and forgets what was suggested of tags that are gone.
    async fn settle_suggestions(
        &self,
        tags: &BTreeMap<TagId, Tag>,
        failures: &mut Failures,
    ) -> Result<(), Error> {
        let mut agreeing: BTreeMap<(PolicyId, TagId, SuggestionKind), Vec<TagSuggestion>> =
            BTreeMap::new();
        for it in self.tables.tag_suggestions.all().await? {
            let key = (it.policy, it.tag, it.kind);
            agreeing.entry(key).or_default().push(it);
        }
        for ((policy, tag, _), suggestions) in agreeing {
            let is_gone = tags.contains_key(&tag) && tag_that_counts(tags, tag).is_none();
            let last = suggestions.last();
            failures.part(match last.filter(|_| suggestions.len() >= QUORUM) {
                _ if is_gone => self.decide_suggestions(policy, tag).await,
                Some(it) => done(self.do_suggested(it).await).map(|_| ()),
                None => Ok(()),
            })?;
        }
        Ok(())
    }
}

/// What was done; nothing if it was refused, as what people may not do is nothing to do.
fn done<T>(tried: Result<T, NotDone>) -> Result<Option<T>, Error> {
    match tried {
        Ok(done) => Ok(Some(done)),
        Err(NotDone::Refused(_)) => Ok(None),
        Err(NotDone::Unknown(error)) => Err(error),
    }
}
