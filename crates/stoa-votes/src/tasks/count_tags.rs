//! Counting tags and categories: how many active policies there are, how much happens around them,
//! and which policies are like which.
//!
//! Related policies are computed here and kept in a table, not when a page is read: a page would
//! have to read the tags of every policy that shares one. Only what differs from what is there is
//! written.

use std::collections::BTreeMap;

use stoa_session::Error;

use crate::model::{Day, HappeningKind, PolicyId, PolicyState, Standing, TagId};
use crate::rules::heat::{Events, HEAT_DAYS, heat_thousandths};
use crate::rules::related::{Described, related};
use crate::rules::roots::Standings;
use crate::rules::tags::tag_that_counts;
use crate::tables::happenings::hour_of;
use crate::tables::tag_figures::{CategoryFigure, TagFigure};
use crate::votes::Votes;

/// Policies and heat of something.
type Figures = (i64, i64);

impl Votes {
    /// Counts everything anew.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn count_tags(&self) -> Result<(), Error> {
        let began = self.begin_micros();
        let standings = self.tables.policies.standings().await?;
        let tags = self.tables.tags.all().await?;
        let mut policies = self.listed(&standings).await?;
        let standings = Standings::new(standings);
        for it in self.tables.policy_tags.all().await? {
            if let Some(described) = policies.get_mut(&standings.root(it.policy)) {
                let counting = it
                    .tags
                    .iter()
                    .filter_map(|tag| tag_that_counts(&tags, *tag));
                described.tags.extend(counting.map(|tag| tag.id));
            }
        }
        let mut by_tag: BTreeMap<TagId, Figures> = BTreeMap::new();
        let mut by_category: BTreeMap<String, Figures> = BTreeMap::new();
        for described in policies.values() {
            for tag in &described.tags {
                by_tag.entry(*tag).or_default().0 += 1;
            }
            if let Some(category) = &described.category {
                by_category.entry(category.clone()).or_default().0 += 1;
            }
        }
        for days_ago in 0..HEAT_DAYS {
            let day = self.today().plus(-days_ago);
            let events = self.events(day, &standings).await?;
            let tags_of = |policy: &Described| policy.tags.iter().copied().collect();
            warm(&mut by_tag, days_ago, &events, &policies, tags_of);
            let category_of = |policy: &Described| policy.category.iter().cloned().collect();
            warm(&mut by_category, days_ago, &events, &policies, category_of);
        }
        let names = by_tag.iter().map(|(tag, figures)| {
            let name = tags.get(tag).map(|tag| tag.name.clone());
            (*tag, (name.unwrap_or_default(), *figures))
        });
        self.write_tag_figures(names.collect(), began).await?;
        self.write_category_figures(by_category, began).await?;
        self.write_related(&policies, began).await
    }

    /// Every active policy that is not hidden, with its category.
    async fn listed(
        &self,
        standings: &BTreeMap<PolicyId, Standing>,
    ) -> Result<BTreeMap<PolicyId, Described>, Error> {
        let active = standings
            .iter()
            .filter(|(_, it)| it.state == PolicyState::Active)
            .map(|(policy, _)| (*policy, Described::default()));
        let mut listed: BTreeMap<PolicyId, Described> = active.collect();
        for page in self.tables.pages.all().await? {
            if page.is_hidden == Some(true) {
                listed.remove(&page.policy);
            } else if let Some(described) = listed.get_mut(&page.policy) {
                described.category = Some(page.category);
            }
        }
        Ok(listed)
    }

    /// What happened on a day to each policy and to all that was merged into it.
    async fn events(
        &self,
        day: Day,
        standings: &Standings,
    ) -> Result<BTreeMap<PolicyId, Events>, Error> {
        let mut events: BTreeMap<PolicyId, Events> = BTreeMap::new();
        for policy in self.tables.counts.policies_of_day(day).await? {
            let votes = self.tables.counts.votes_of_day(policy, day).await?;
            let of_root = events.entry(standings.root(policy)).or_default();
            of_root.voters.extend(votes.into_iter().map(|it| it.user));
        }
        let first = hour_of(day.start_micros());
        for hour in first..first + 24 {
            for happening in self.tables.happenings.of_hour(hour).await? {
                let (comments, created) = match happening.kind {
                    HappeningKind::Commented => (1, 0),
                    HappeningKind::Created => (0, 1),
                    _ => continue,
                };
                if let Some(policy) = happening.policy {
                    let of_root = events.entry(standings.root(policy)).or_default();
                    of_root.comments += comments;
                    of_root.created += created;
                }
            }
        }
        Ok(events)
    }

    async fn write_tag_figures(
        &self,
        mut counted: BTreeMap<TagId, (String, Figures)>,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let table = &self.tables.tag_figures;
        for before in table.tags().await? {
            // What is on no policy any more has figures too, but they are nothing.
            let nothing = (before.name.clone(), (0, 0));
            counted.entry(before.tag).or_insert(nothing);
        }
        for (tag, (name, (policies, heat_thousandths))) in counted {
            let figure = TagFigure {
                tag,
                name,
                policies,
                heat_thousandths,
            };
            table.write_tag(&figure, as_of_micros).await?;
        }
        Ok(())
    }

    async fn write_category_figures(
        &self,
        mut counted: BTreeMap<String, Figures>,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let table = &self.tables.tag_figures;
        for before in table.categories().await? {
            counted.entry(before.category).or_default();
        }
        for (category, (policies, heat_thousandths)) in counted {
            let figure = CategoryFigure {
                category,
                policies,
                heat_thousandths,
            };
            table.write_category(&figure, as_of_micros).await?;
        }
        Ok(())
    }

    async fn write_related(
        &self,
        policies: &BTreeMap<PolicyId, Described>,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let table = &self.tables.tag_figures;
        let before = table.all_related().await?;
        for (policy, related) in related(policies) {
            let known = before.get(&policy).map_or(&[][..], Vec::as_slice);
            if known != related.as_slice() {
                table.write_related(policy, &related, as_of_micros).await?;
            }
        }
        Ok(())
    }
}

/// Adds the heat of a day to whatever policies belong to.
fn warm<K: Ord + Clone>(
    figures: &mut BTreeMap<K, Figures>,
    days_ago: i32,
    events: &BTreeMap<PolicyId, Events>,
    policies: &BTreeMap<PolicyId, Described>,
    belongs_to: impl Fn(&Described) -> Vec<K>,
) {
    let mut gathered: BTreeMap<K, Events> = BTreeMap::new();
    for (policy, events) in events {
        for key in policies.get(policy).map_or(Vec::new(), &belongs_to) {
            gathered.entry(key).or_default().add(events);
        }
    }
    for (key, events) in gathered {
        let heat = heat_thousandths(days_ago, events.activity());
        let of_key = figures.entry(key).or_default();
        of_key.1 = of_key.1.saturating_add(heat);
    }
}
