//! Reading tags: of a policy, policies by tags, the cloud, what is hot, what is related.
//!
//! Merges of tags and of policies are followed when reading, whether or not the lists have been
//! rewritten. A policy that was merged is not listed; its tags are those of its root too.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{PolicyId, PolicyState, Standing, Tag, TagId, TagState};
use crate::rules::roots;
use crate::rules::tags::{MOST_MERGES, TagName, in_all};
use crate::tables::tag_figures::{CategoryFigure, TagFigure};
use crate::votes::Votes;

/// Tags that may be asked for at once.
pub const MOST_TAGS_ASKED: usize = 10;

impl Votes {
    /// The tag that counts for a tag; none if that was deleted.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tag(&self, tag: TagId) -> Result<Option<Tag>, Error> {
        let mut at = tag;
        for _ in 0..MOST_MERGES {
            let Some(tag) = self.tables.tags.read(at).await? else {
                return Ok(None);
            };
            match tag.merged_to {
                Some(next) => at = next,
                None => return Ok((tag.state == TagState::Active).then_some(tag)),
            }
        }
        Ok(None)
    }

    /// The tag that a name leads to, by whatever name it ever had.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn find_tag(&self, name: &str) -> Result<Option<Tag>, Error> {
        let Ok(name) = TagName::of(name) else {
            return Ok(None);
        };
        match self.tables.tags.name(&name.key).await? {
            Some(claim) => self.tag(claim.tag).await,
            None => Ok(None),
        }
    }

    /// The tags of a policy and of those merged into it, by name.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tags_of(&self, policy: PolicyId) -> Result<Vec<Tag>, Error> {
        let mut ids = BTreeSet::new();
        for policy in self.closure(policy).await? {
            if let Some(it) = self.tables.policy_tags.read(policy).await? {
                ids.extend(it.tags);
            }
        }
        let mut tags: Vec<Tag> = Vec::new();
        for id in ids {
            let tag = self.tag(id).await?;
            tags.extend(tag.filter(|tag| tags.iter().all(|it| it.id != tag.id)));
        }
        tags.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(tags)
    }

    /// The active policies that have every one of some tags and are not hidden, the oldest first. For no tags, or for
    /// more than [`MOST_TAGS_ASKED`], there are none.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policies_by_tags(&self, tags: &[TagId]) -> Result<Vec<PolicyId>, Error> {
        if tags.len() > MOST_TAGS_ASKED {
            return Ok(Vec::new());
        }
        let mut lists = Vec::new();
        for tag in tags {
            let Some(tag) = self.tag(*tag).await? else {
                return Ok(Vec::new());
            };
            lists.push(self.bearers(&tag).await?);
        }
        let mut policies = self.not_hidden(in_all(&lists)).await?;
        policies.sort_by_key(|policy| (policy.made_at_micros(), *policy));
        Ok(policies)
    }

    /// The active policies that have a tag, by themselves or by what was merged into them.
    async fn bearers(&self, tag: &Tag) -> Result<BTreeSet<PolicyId>, Error> {
        let mut bearers = BTreeSet::new();
        let mut seen = BTreeSet::from([tag.id]);
        let mut open = vec![tag.clone()];
        while let Some(tag) = open.pop() {
            for policy in self.tables.policy_tags.policies(tag.id).await? {
                bearers.extend(self.active_root(policy).await?);
            }
            for source in tag.merged_from {
                if seen.insert(source) {
                    open.extend(self.tables.tags.read(source).await?);
                }
            }
        }
        Ok(bearers)
    }

    /// The active policy that a policy counts for, as it was not long ago.
    pub(crate) async fn active_root(&self, policy: PolicyId) -> Result<Option<PolicyId>, Error> {
        let mut root = policy;
        for _ in 0..roots::MOST_MERGES {
            let remembered = self.remembered(root);
            let standing: Option<Standing> = match remembered {
                Some(standing) => Some(standing),
                None => self.standing(root).await?,
            };
            match standing {
                Some(it) if it.merged_to.is_some() => root = it.merged_to.unwrap_or(root),
                Some(it) if it.state == PolicyState::Active => return Ok(Some(root)),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Every tag that is on some active policy, with how many, by name. As of the last hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tag_cloud(&self) -> Result<Vec<TagFigure>, Error> {
        let mut figures = self.tables.tag_figures.tags().await?;
        figures.retain(|figure| figure.policies > 0);
        figures.sort_by(|one, other| (&one.name, one.tag).cmp(&(&other.name, other.tag)));
        Ok(figures)
    }

    /// The tags around which most happens, the hottest first. As of the last hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hot_tags(&self, most: usize) -> Result<Vec<TagFigure>, Error> {
        let mut figures = self.tag_cloud().await?;
        figures.retain(|figure| figure.heat_thousandths > 0);
        figures.sort_by_key(|figure| std::cmp::Reverse(figure.heat_thousandths));
        figures.truncate(most);
        Ok(figures)
    }

    /// The categories around which most happens, the hottest first. As of the last hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hot_categories(&self, most: usize) -> Result<Vec<CategoryFigure>, Error> {
        let mut figures = self.tables.tag_figures.categories().await?;
        figures.retain(|figure| figure.heat_thousandths > 0);
        figures.sort_by_key(|figure| std::cmp::Reverse(figure.heat_thousandths));
        figures.truncate(most);
        Ok(figures)
    }

    /// The active policies that are most like a policy and are not hidden, the most like it first;
    /// ten at most. As of the last hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn related_policies(&self, policy: PolicyId) -> Result<Vec<PolicyId>, Error> {
        let mut related = Vec::new();
        for other in self.tables.tag_figures.related(policy).await? {
            let root = self.active_root(other).await?;
            related.extend(root.filter(|root| *root != policy && !related.contains(root)));
        }
        self.not_hidden(related).await
    }

    /// Those of some policies that people see, in their order.
    pub(crate) async fn not_hidden(
        &self,
        mut policies: Vec<PolicyId>,
    ) -> Result<Vec<PolicyId>, Error> {
        let hidden = self.tables.pages.hidden_among(&policies).await?;
        policies.retain(|policy| !hidden.contains(policy));
        Ok(policies)
    }
}
