//! What boards are made of, read from the tables of policies: all of it, or that of one policy.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;

use super::breadth::Measured;
use super::discussion::Discussion;
use super::pages::ListedPage;
use super::{Base, Tables, quorum};
use crate::model::{
    ClosedDay, Day, MOST_WINDOW_DAYS, PageFacts, PolicyFacts, PolicyId, PolicyState, Standing,
};
use crate::rules::ranking::board::{AllFacts, facts_key};

/// Days of a policy that are read, at most: the last ones on which it got or lost votes. What was
/// before is one sum.
const KEPT_DAYS: i32 = MOST_WINDOW_DAYS as i32;

/// The statements.
#[derive(Debug)]
pub struct FactsReader {
    session: Arc<dyn Session>,
    policies: Prepared,
    totals: Prepared,
    days: Prepared,
    days_of_one: Prepared,
    days_between: Prepared,
    discussion_of_one: Prepared,
}

#[derive(FromRow)]
struct PolicyRow {
    policy: PolicyId,
    state: Option<String>,
    merged_to: Option<PolicyId>,
    merged_from: Option<BTreeSet<PolicyId>>,
}

#[derive(FromRow)]
struct TotalRow {
    policy: PolicyId,
    total: Option<i64>,
}

#[derive(FromRow)]
struct DayRow {
    policy: PolicyId,
    day: Day,
    change: i64,
    gross: i64,
    heat: i64,
    voters: i64,
    closing_total: i64,
}

impl FactsReader {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let days = "SELECT policy, day, change, gross, heat, voters, closing_total \
             FROM {ks}.policy_day";
        Ok(Self {
            session: base.session(),
            policies: base
                .prepare("SELECT policy, state, merged_to, merged_from FROM {ks}.policies")
                .await?,
            totals: base
                .prepare("SELECT policy, total FROM {ks}.policy_total")
                .await?,
            days: base
                .prepare(&format!("{days} PER PARTITION LIMIT {KEPT_DAYS}"))
                .await?,
            days_of_one: base
                .prepare(&format!(
                    "{days} WHERE policy = ? AND day <= ? LIMIT {KEPT_DAYS}"
                ))
                .await?,
            days_between: base
                .prepare(&format!(
                    "{days} WHERE policy = ? AND day >= ? AND day <= ?"
                ))
                .await?,
            discussion_of_one: base
                .prepare(
                    "SELECT policy, comments, people, last_micros \
                     FROM {ks}.policy_discussion WHERE policy = ?",
                )
                .await?,
        })
    }

    async fn all<T: for<'row> FromRow<'row> + Send>(
        &self,
        prepared: &Prepared,
    ) -> Result<Vec<T>, Error> {
        self.session.all(&prepared.bind(())?.with(quorum())).await
    }

    /// The last days of a policy up to one that is closed, the earliest first.
    ///
    /// # Errors
    /// Those of the session.
    async fn days_of(&self, policy: PolicyId, through: Day) -> Result<Arc<[ClosedDay]>, Error> {
        let bound = self.days_of_one.bind((policy, through))?.with(quorum());
        let rows = self.session.all::<DayRow>(&bound).await?;
        let is_cut = is_cut(rows.len());
        let days = rows.into_iter().rev().map(DayRow::read).collect();
        Ok(with_earlier(days, is_cut).into())
    }

    /// The days of a policy in a range, the earliest first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn days_between(
        &self,
        policy: PolicyId,
        from: Day,
        to: Day,
    ) -> Result<Vec<ClosedDay>, Error> {
        let bound = self.days_between.bind((policy, from, to))?.with(quorum());
        let rows = self.session.all::<DayRow>(&bound).await?;
        Ok(rows.into_iter().rev().map(DayRow::read).collect())
    }

    async fn discussion_of(&self, policy: PolicyId) -> Result<Option<Discussion>, Error> {
        let bound = self.discussion_of_one.bind((policy,))?.with(quorum());
        self.session.first(&bound).await
    }

    /// The last days of every policy. Days that are being closed may have rows already; those are
    /// left out.
    async fn all_days(&self, through: Day) -> Result<HashMap<PolicyId, Vec<ClosedDay>>, Error> {
        let mut days: HashMap<PolicyId, Vec<ClosedDay>> = HashMap::new();
        for row in self.all::<DayRow>(&self.days).await? {
            days.entry(row.policy).or_default().push(row.read());
        }
        for of_one in days.values_mut() {
            let is_cut = is_cut(of_one.len());
            of_one.retain(|it| it.day <= through);
            of_one.sort_by_key(|it| it.day);
            *of_one = with_earlier(std::mem::take(of_one), is_cut);
        }
        Ok(days)
    }

    async fn all_standings(&self) -> Result<BTreeMap<PolicyId, Standing>, Error> {
        let rows = self.all::<PolicyRow>(&self.policies).await?;
        Ok(rows.into_iter().filter_map(PolicyRow::read).collect())
    }
}

/// Whether there may be more days than so many that were read.
fn is_cut(rows: usize) -> bool {
    i32::try_from(rows).is_ok_and(|rows| rows >= KEPT_DAYS)
}

/// Days, the earliest first, and before them what the policy had from those that were not read.
fn with_earlier(mut days: Vec<ClosedDay>, is_cut: bool) -> Vec<ClosedDay> {
    if let Some(first) = days.first().filter(|_| is_cut) {
        let before = first.closing_total.saturating_sub(first.change);
        let earlier = ClosedDay {
            day: first.day.previous(),
            change: before,
            gross: before.saturating_abs(),
            heat: 0,
            voters: 0,
            closing_total: before,
        };
        days.insert(0, earlier);
    }
    days
}

impl DayRow {
    fn read(self) -> ClosedDay {
        ClosedDay {
            day: self.day,
            change: self.change,
            gross: self.gross,
            heat: self.heat,
            voters: self.voters,
            closing_total: self.closing_total,
        }
    }
}

impl PolicyRow {
    fn read(self) -> Option<(PolicyId, Standing)> {
        let standing = Standing {
            state: self.state.as_deref().and_then(PolicyState::of_name)?,
            merged_to: self.merged_to,
            merged_from: self.merged_from.unwrap_or_default(),
        };
        Some((self.policy, standing))
    }
}

impl Tables {
    /// What is known of every policy, where days up to one are closed; reads whole tables.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all_policy_facts(&self, closed_through: Day) -> Result<AllFacts, Error> {
        let reader = &self.facts;
        let standings = self.settled_standings().await?;
        let pages = self.pages.all().await?.into_iter();
        let mut pages: HashMap<PolicyId, ListedPage> = pages.map(|it| (it.policy, it)).collect();
        let said = self.discussion.all().await?.into_iter();
        let said: HashMap<PolicyId, Discussion> = said.map(|it| (it.policy, it)).collect();
        let measured = self.breadth.all().await?.into_iter();
        let mut measured: HashMap<PolicyId, Measured> =
            measured.map(|it| (it.policy, it)).collect();
        let mut days = reader.all_days(closed_through).await?;
        let totals = reader.all::<TotalRow>(&reader.totals).await?.into_iter();
        let totals: HashMap<PolicyId, Option<i64>> =
            totals.map(|row| (row.policy, row.total)).collect();
        let facts = standings.into_iter().map(|(policy, standing)| {
            let facts = made(
                policy,
                standing,
                pages.remove(&policy),
                totals.get(&policy).copied().flatten(),
                (measured.remove(&policy), said.get(&policy)),
                days.remove(&policy).unwrap_or_default().into(),
            );
            (facts_key(policy), Arc::new(facts))
        });
        Ok(facts.collect())
    }

    /// Where every policy stands. A table is not read in one moment: a source may be read before
    /// a merge and its target after it. So a source that does not point to its target is read
    /// again, or its votes would be in the list twice.
    async fn settled_standings(&self) -> Result<BTreeMap<PolicyId, Standing>, Error> {
        let mut standings = self.facts.all_standings().await?;
        let targets = standings.values().flat_map(|it| &it.merged_from);
        let sources: BTreeSet<PolicyId> = targets.copied().collect();
        for source in sources {
            let is_active = |it: &Standing| it.state == PolicyState::Active;
            if standings.get(&source).is_some_and(is_active)
                && let Some(standing) = self.policies.read(source).await?
            {
                standings.insert(source, standing);
            }
        }
        Ok(standings)
    }

    /// What is known of one policy. Its closed days up to one are given, where they are known.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policy_facts(
        &self,
        policy: PolicyId,
        days: Option<Arc<[ClosedDay]>>,
        closed_through: Day,
    ) -> Result<Option<Arc<PolicyFacts>>, Error> {
        let Some(standing) = self.policies.read(policy).await? else {
            return Ok(None);
        };
        let days = match days {
            Some(days) => days,
            None => self.facts.days_of(policy, closed_through).await?,
        };
        let page = self.pages.read(policy).await?.map(ListedPage::from);
        let total = self.counts.total(policy).await?;
        let measured = self.breadth.read(policy).await?;
        let said = self.facts.discussion_of(policy).await?;
        let facts = made(
            policy,
            standing,
            page,
            total,
            (measured, said.as_ref()),
            days,
        );
        Ok(Some(Arc::new(facts)))
    }
}

fn made(
    policy: PolicyId,
    standing: Standing,
    page: Option<ListedPage>,
    total: Option<i64>,
    derived: (Option<Measured>, Option<&Discussion>),
    days: Arc<[ClosedDay]>,
) -> PolicyFacts {
    let (measured, said) = derived;
    PolicyFacts {
        policy,
        standing,
        page: page.map(|page| PageFacts {
            title: page.title,
            category: page.category,
            party: page.party,
            owner: page.owner,
            is_hidden: page.is_hidden == Some(true),
            ended_micros: page.ended.as_ref().and_then(time_uuid::unix_micros),
        }),
        total: total.unwrap_or(0),
        breadth: measured.map(|it| it.breadth).unwrap_or_default(),
        comments: said.map_or(0, |it| it.comments),
        people: said.map_or(0, |it| it.people),
        days,
    }
}
