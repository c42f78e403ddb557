//! `policy_pages`: the page of each policy, and every version of its text. By conditional writes
//! alone: each names the change that was seen last, and a new text and what lists show of it are one
//! batch.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::shortcuts::applied;
use stoa_session::{Batch, BatchKind, Bound, Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

pub use super::page_change::PageChange;
use super::{Base, conditional, quorum, serial};
use crate::model::{
    NewPage, Page, PageAct, PageAction, PageEnding, PolicyId, PolicyState, PolicyText, RequestId,
    TextVersion, UserId,
};

/// What lists need of a policy.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ListedPage {
    /// The policy.
    pub policy: PolicyId,
    /// Its title.
    pub title: String,
    /// The key of its category.
    pub category: String,
    /// The party that stands behind it.
    pub party: Option<Uuid>,
    /// Who created it.
    pub owner: UserId,
    /// When, in microseconds since 1970.
    pub created_micros: i64,
    /// Whether it is hidden until somebody has looked at it.
    pub is_hidden: Option<bool>,
    /// The number of its text.
    pub text_version: Option<i32>,
    /// A time UUID: when it ended.
    pub ended: Option<Uuid>,
}

/// The table.
#[derive(Debug)]
pub struct PageTable {
    session: Arc<dyn Session>,
    one: Prepared,
    all: Prepared,
    some_hidden: Prepared,
    begin: Prepared,
    insert_text: Prepared,
    retitle: Prepared,
    set_place: Prepared,
    set_hidden: Prepared,
    set_ending: Prepared,
    set_act: Prepared,
    text: Prepared,
    texts: Prepared,
    delete_text: Prepared,
    clear: Prepared,
}

/// Who has a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owners {
    /// Who has it.
    pub owner: UserId,
    /// Who has it too.
    pub co_owners: BTreeSet<UserId>,
}

#[derive(FromRow)]
struct PageRow {
    policy: PolicyId,
    title: Option<String>,
    category: Option<String>,
    party: Option<Uuid>,
    owner: Option<UserId>,
    co_owners: Option<BTreeSet<UserId>>,
    created_micros: Option<i64>,
    is_hidden: Option<bool>,
    hidden_for: Option<Uuid>,
    text_version: Option<i32>,
    change: Option<Uuid>,
    ended: Option<Uuid>,
    ended_by: Option<UserId>,
    ended_reason: Option<String>,
    ended_as: Option<String>,
    acted: Option<Uuid>,
    acted_by: Option<UserId>,
    act: Option<String>,
    act_reason: Option<String>,
}

#[derive(FromRow)]
struct HiddenRow {
    policy: PolicyId,
    is_hidden: Option<bool>,
}

#[derive(FromRow)]
struct TextRow {
    version: i32,
    version_title: Option<String>,
    description: Option<String>,
    links: Option<Vec<String>>,
    author: Option<UserId>,
    written: Option<Uuid>,
    made_for: Option<RequestId>,
    note: Option<String>,
}

const ONE: &str = "SELECT policy, title, category, party, owner, co_owners, created_micros, \
    is_hidden, hidden_for, text_version, change, ended, ended_by, ended_reason, ended_as, acted, \
    acted_by, act, act_reason FROM {ks}.policy_pages WHERE policy = ? LIMIT 1";
const ALL: &str = "SELECT DISTINCT policy, title, category, party, owner, created_micros, \
    is_hidden, text_version, ended FROM {ks}.policy_pages";
const SOME_HIDDEN: &str =
    "SELECT DISTINCT policy, is_hidden FROM {ks}.policy_pages WHERE policy IN ?";
const BEGIN: &str = "UPDATE {ks}.policy_pages SET title = ?, category = ?, party = ?, owner = ?, \
    co_owners = ?, created_micros = ?, is_hidden = false, text_version = 1, change = ? \
    WHERE policy = ? IF change = null";
const INSERT_TEXT: &str = "INSERT INTO {ks}.policy_pages (policy, version, version_title, \
    description, links, author, written, made_for, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const RETITLE: &str = "UPDATE {ks}.policy_pages SET title = ?, text_version = ?, change = ? \
    WHERE policy = ? IF change = ?";
const SET_PLACE: &str = "UPDATE {ks}.policy_pages SET category = ?, party = ?, change = ? \
    WHERE policy = ? IF change = ?";
const SET_HIDDEN: &str = "UPDATE {ks}.policy_pages SET is_hidden = ?, hidden_for = ?, change = ? \
    WHERE policy = ? IF change = ?";
const SET_ENDING: &str = "UPDATE {ks}.policy_pages SET ended = ?, ended_by = ?, \
    ended_reason = ?, ended_as = ?, change = ? WHERE policy = ? IF change = ?";
const SET_ACT: &str = "UPDATE {ks}.policy_pages SET acted = ?, acted_by = ?, act = ?, \
    act_reason = ? WHERE policy = ?";
const CLEAR: &str = "UPDATE {ks}.policy_pages SET title = null, category = null, party = null, \
    owner = null, co_owners = null, created_micros = null, is_hidden = null, \
    hidden_for = null, text_version = null, change = null WHERE policy = ? IF change = ?";
const TEXT_COLUMNS: &str = "version, version_title, description, links, author, written, \
    made_for, note";

impl PageTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let texts =
            format!("SELECT {TEXT_COLUMNS} FROM {{ks}}.policy_pages WHERE policy = ? LIMIT ?");
        let text = format!(
            "SELECT {TEXT_COLUMNS} FROM {{ks}}.policy_pages WHERE policy = ? AND version = ?"
        );
        Ok(Self {
            session: base.session(),
            one: base.prepare(ONE).await?,
            all: base.prepare(ALL).await?,
            some_hidden: base.prepare(SOME_HIDDEN).await?,
            begin: base.prepare(BEGIN).await?,
            insert_text: base.prepare(INSERT_TEXT).await?,
            retitle: base.prepare(RETITLE).await?,
            set_place: base.prepare(SET_PLACE).await?,
            set_hidden: base.prepare(SET_HIDDEN).await?,
            set_ending: base.prepare(SET_ENDING).await?,
            set_act: base.prepare(SET_ACT).await?,
            text: base.prepare(&text).await?,
            texts: base.prepare(&texts).await?,
            delete_text: base
                .prepare("DELETE FROM {ks}.policy_pages WHERE policy = ? AND version = ?")
                .await?,
            clear: base.prepare(CLEAR).await?,
        })
    }

    /// The page of a policy, as every acknowledged change says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId) -> Result<Option<Page>, Error> {
        self.read_with(policy, quorum()).await
    }

    /// The page of a policy; no change of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, policy: PolicyId) -> Result<Option<Page>, Error> {
        self.read_with(policy, serial()).await
    }

    async fn read_with(
        &self,
        policy: PolicyId,
        options: stoa_session::Options,
    ) -> Result<Option<Page>, Error> {
        let bound = self.one.bind((policy,))?.with(options);
        let row = self.session.first::<PageRow>(&bound).await?;
        Ok(row.and_then(PageRow::page))
    }

    /// Every page; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<ListedPage>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        self.session.all(&bound).await
    }

    /// Which of some policies are hidden.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hidden_among(&self, policies: &[PolicyId]) -> Result<BTreeSet<PolicyId>, Error> {
        let mut hidden = BTreeSet::new();
        for some in policies.chunks(100) {
            let bound = self.some_hidden.bind((some,))?.with(quorum());
            let rows = self.session.all::<HiddenRow>(&bound).await?;
            let is_hidden = rows.into_iter().filter(|row| row.is_hidden == Some(true));
            hidden.extend(is_hidden.map(|row| row.policy));
        }
        Ok(hidden)
    }

    /// Writes a page with its first text, unless there is one; whether there was none.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn begin(
        &self,
        policy: PolicyId,
        new: &NewPage,
        owners: &Owners,
        first: &TextVersion,
    ) -> Result<bool, Error> {
        let begin = self.begin.bind((
            &new.text.title,
            &new.category,
            new.party,
            owners.owner,
            &owners.co_owners,
            policy.made_at_micros(),
            first.at,
            policy,
        ))?;
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(begin);
        batch.push(self.inserting(policy, first)?);
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    /// Adds a version of the text, if the page is still as it was seen; with it what a moderator
    /// did, if it was one.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn edit(
        &self,
        seen: &Page,
        version: &TextVersion,
        act: Option<&PageAct>,
    ) -> Result<bool, Error> {
        let retitle = self.retitle.bind((
            &version.text.title,
            version.version,
            version.at,
            seen.policy,
            seen.change,
        ))?;
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(retitle);
        batch.push(self.inserting(seen.policy, version)?);
        if let Some(act) = act {
            batch.push(self.acting(seen.policy, act)?);
        }
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    fn inserting(&self, policy: PolicyId, it: &TextVersion) -> Result<Bound, Error> {
        let values = (
            policy,
            it.version,
            &it.text.title,
            &it.text.description,
            &it.text.links,
            it.author,
            it.at,
            it.request,
            &it.note,
        );
        Ok(self.insert_text.bind(values)?)
    }

    fn acting(&self, policy: PolicyId, act: &PageAct) -> Result<Bound, Error> {
        let values = (act.id, act.by, act.action.name(), &act.reason, policy);
        Ok(self.set_act.bind(values)?)
    }

    /// Changes a page, if it is still as it was seen; with it what a moderator did, if it was one.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn change(
        &self,
        seen: &Page,
        to: &PageChange<'_>,
        change: Uuid,
        act: Option<&PageAct>,
    ) -> Result<bool, Error> {
        let (policy, before) = (seen.policy, seen.change);
        let decided = match to {
            PageChange::Place { category, party } => {
                let values = (category, party, change, policy, before);
                self.set_place.bind(values)?
            }
            PageChange::Hidden(is_hidden) => {
                let values = (is_hidden, None::<Uuid>, change, policy, before);
                self.set_hidden.bind(values)?
            }
            PageChange::HiddenFor(case) => {
                let values = (true, Some(*case), change, policy, before);
                self.set_hidden.bind(values)?
            }
            PageChange::ShownFor(_) => {
                let values = (false, None::<Uuid>, change, policy, before);
                self.set_hidden.bind(values)?
            }
            PageChange::Ended { state, by, reason } => {
                let values = (change, by, reason, state.name(), change, policy, before);
                self.set_ending.bind(values)?
            }
            PageChange::Erased => {
                let values = ("", seen.text_version, change, policy, before);
                self.retitle.bind(values)?
            }
        };
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(decided);
        if let Some(act) = act {
            batch.push(self.acting(policy, act)?);
        }
        if *to == PageChange::Erased {
            self.push_deletions(seen, &mut batch)?;
        }
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    /// Takes a page away of a policy that never came to be, if it is still as it was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn forget(&self, seen: &Page) -> Result<bool, Error> {
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(self.clear.bind((seen.policy, seen.change))?);
        self.push_deletions(seen, &mut batch)?;
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    /// The end of all texts of a page.
    fn push_deletions(&self, seen: &Page, batch: &mut Batch) -> Result<(), Error> {
        for version in 1..=seen.text_version {
            batch.push(self.delete_text.bind((seen.policy, version))?);
        }
        Ok(())
    }

    /// One version of a text.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn text(&self, policy: PolicyId, version: i32) -> Result<Option<TextVersion>, Error> {
        let bound = self.text.bind((policy, version))?.with(quorum());
        let row = self.session.first::<TextRow>(&bound).await?;
        Ok(row.and_then(TextRow::text))
    }

    /// The versions of a text, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn texts(&self, policy: PolicyId, most: i32) -> Result<Vec<TextVersion>, Error> {
        let bound = self.texts.bind((policy, most))?.with(quorum());
        let rows = self.session.all::<TextRow>(&bound).await?;
        Ok(rows.into_iter().filter_map(TextRow::text).collect())
    }
}

impl From<Page> for ListedPage {
    fn from(page: Page) -> Self {
        Self {
            policy: page.policy,
            title: page.title,
            category: page.category,
            party: page.party,
            owner: page.owner,
            created_micros: page.created_micros,
            is_hidden: Some(page.is_hidden),
            text_version: Some(page.text_version),
            ended: page.ending.map(|it| it.id),
        }
    }
}

impl PageRow {
    fn page(self) -> Option<Page> {
        let state = self.ended_as.as_deref().and_then(PolicyState::of_name);
        let action = self.act.as_deref().and_then(PageAction::of_name);
        let act = self.acted.zip(action).map(|(id, action)| PageAct {
            id,
            by: self.acted_by.unwrap_or(UserId(Uuid::nil())),
            action,
            reason: self.act_reason.unwrap_or_default(),
        });
        let ending = self.ended.zip(state).map(|(id, state)| PageEnding {
            id,
            state,
            by: self.ended_by.unwrap_or(UserId(Uuid::nil())),
            reason: self.ended_reason.unwrap_or_default(),
        });
        Some(Page {
            policy: self.policy,
            title: self.title?,
            category: self.category.unwrap_or_default(),
            party: self.party,
            owner: self.owner?,
            co_owners: self.co_owners.unwrap_or_default(),
            created_micros: self.created_micros.unwrap_or(0),
            is_hidden: self.is_hidden.unwrap_or(false),
            hidden_for: self.hidden_for,
            text_version: self.text_version.unwrap_or(0),
            change: self.change?,
            ending,
            act,
        })
    }
}

impl TextRow {
    fn text(self) -> Option<TextVersion> {
        Some(TextVersion {
            version: self.version,
            text: PolicyText {
                title: self.version_title?,
                description: self.description.unwrap_or_default(),
                links: self.links.unwrap_or_default(),
            },
            author: self.author?,
            at: self.written?,
            request: self.made_for?,
            note: self.note.unwrap_or_default(),
        })
    }
}
