//! `merge_proposals`: merges that moderators proposed, and what owners say to them. By conditional
//! writes alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{NewPage, PolicyId, PolicyText, UserId};

/// What became of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposalState {
    /// Owners are being asked.
    Open,
    /// An owner objected.
    Objected {
        /// Who.
        by: UserId,
        /// Why.
        why: String,
        /// A time UUID: when.
        at: Uuid,
    },
    /// It was called off.
    Withdrawn,
    /// It is being carried out: these count for that one.
    Accepted {
        /// The new policy.
        target: PolicyId,
    },
    /// It was carried out.
    Done {
        /// The new policy.
        target: PolicyId,
    },
}

impl ProposalState {
    /// Its name in tables.
    fn name(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Objected { .. } => "objected",
            Self::Withdrawn => "withdrawn",
            Self::Accepted { .. } => "accepted",
            Self::Done { .. } => "done",
        }
    }
}

/// A merge that was proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its identifier; it follows from the request.
    pub id: Uuid,
    /// What became of it.
    pub state: ProposalState,
    /// What shall be merged; once it is accepted, what is.
    pub sources: BTreeSet<PolicyId>,
    /// What the new policy begins with.
    pub page: NewPage,
    /// Who proposed it.
    pub moderator: UserId,
    /// A time UUID: when.
    pub proposed: Uuid,
    /// The owners who agreed.
    pub agreed: BTreeSet<UserId>,
}

impl Proposal {
    /// When it was proposed, in microseconds since 1970.
    #[must_use]
    pub fn proposed_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.proposed).unwrap_or(0)
    }
}

/// The table.
#[derive(Debug)]
pub struct ProposalTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    agree: Prepared,
    object: Prepared,
    withdraw: Prepared,
    accept: Prepared,
    finish: Prepared,
    erase: Prepared,
}

#[derive(FromRow)]
struct ProposalRow {
    proposal: Uuid,
    state: Option<String>,
    sources: Option<BTreeSet<PolicyId>>,
    title: Option<String>,
    description: Option<String>,
    category: Option<String>,
    links: Option<Vec<String>>,
    party: Option<Uuid>,
    moderator: Option<UserId>,
    proposed: Option<Uuid>,
    agreed: Option<BTreeSet<UserId>>,
    objected_by: Option<UserId>,
    objection: Option<String>,
    objected: Option<Uuid>,
    target: Option<PolicyId>,
}

const COLUMNS: &str = "proposal, state, sources, title, description, category, links, party, \
    moderator, proposed, agreed, objected_by, objection, objected, target";
const INSERT: &str = "INSERT INTO {ks}.merge_proposals (proposal, state, sources, title, \
    description, category, links, party, moderator, proposed, agreed) \
    VALUES (?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS";
const AGREE: &str = "UPDATE {ks}.merge_proposals SET agreed = ? \
    WHERE proposal = ? IF state = 'open' AND agreed = ?";
const OBJECT: &str = "UPDATE {ks}.merge_proposals SET state = 'objected', objected_by = ?, \
    objection = ?, objected = ? WHERE proposal = ? IF state = 'open'";
const WITHDRAW: &str = "UPDATE {ks}.merge_proposals SET state = 'withdrawn' \
    WHERE proposal = ? IF state = 'open'";
const ACCEPT: &str = "UPDATE {ks}.merge_proposals SET state = 'accepted', target = ?, \
    sources = ? WHERE proposal = ? IF state = 'open'";
const FINISH: &str = "UPDATE {ks}.merge_proposals SET state = 'done' \
    WHERE proposal = ? IF state = 'accepted'";
const ERASE: &str = "UPDATE {ks}.merge_proposals SET title = '', description = '', \
    objection = '' WHERE proposal = ? IF state = ?";

impl ProposalTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let read = format!("SELECT {COLUMNS} FROM {{ks}}.merge_proposals WHERE proposal = ?");
        Ok(Self {
            session: base.session(),
            insert: base.prepare(INSERT).await?,
            read: base.prepare(&read).await?,
            agree: base.prepare(AGREE).await?,
            object: base.prepare(OBJECT).await?,
            withdraw: base.prepare(WITHDRAW).await?,
            accept: base.prepare(ACCEPT).await?,
            finish: base.prepare(FINISH).await?,
            erase: base.prepare(ERASE).await?,
        })
    }

    /// Writes a proposal, unless it is there; whether it was not.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn insert(&self, it: &Proposal) -> Result<bool, Error> {
        let values = (
            it.id,
            &it.sources,
            &it.page.text.title,
            &it.page.text.description,
            &it.page.category,
            &it.page.text.links,
            it.page.party,
            it.moderator,
            it.proposed,
            &it.agreed,
        );
        decide(&*self.session, &self.insert, values).await
    }

    /// A proposal; nothing stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, id: Uuid) -> Result<Option<Proposal>, Error> {
        let bound = self.read.bind((id,))?.with(serial());
        let row = self.session.first::<ProposalRow>(&bound).await?;
        Ok(row.and_then(ProposalRow::proposal))
    }

    /// Writes who agrees, in place of whom was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn agree(&self, seen: &Proposal, agreed: &BTreeSet<UserId>) -> Result<bool, Error> {
        let values = (agreed, seen.id, &seen.agreed);
        decide(&*self.session, &self.agree, values).await
    }

    /// Writes that an owner objects.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn object(&self, id: Uuid, by: UserId, why: &str, at: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.object, (by, why, at, id)).await
    }

    /// Calls a proposal off.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn withdraw(&self, id: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.withdraw, (id,)).await
    }

    /// Decides that a proposal is carried out, and how.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn accept(
        &self,
        id: Uuid,
        target: PolicyId,
        sources: &BTreeSet<PolicyId>,
    ) -> Result<bool, Error> {
        decide(&*self.session, &self.accept, (target, sources, id)).await
    }

    /// Erases the words of a proposal, if it is still as it was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn erase(&self, seen: &Proposal) -> Result<bool, Error> {
        let values = (seen.id, seen.state.name());
        decide(&*self.session, &self.erase, values).await
    }

    /// Writes that a proposal was carried out.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn finish(&self, id: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.finish, (id,)).await
    }
}

impl ProposalRow {
    fn proposal(self) -> Option<Proposal> {
        let state = match self.state.as_deref()? {
            "open" => ProposalState::Open,
            "objected" => ProposalState::Objected {
                by: self.objected_by?,
                why: self.objection.unwrap_or_default(),
                at: self.objected.or(self.proposed)?,
            },
            "withdrawn" => ProposalState::Withdrawn,
            "accepted" => ProposalState::Accepted {
                target: self.target?,
            },
            "done" => ProposalState::Done {
                target: self.target?,
            },
            _ => return None,
        };
        Some(Proposal {
            id: self.proposal,
            state,
            sources: self.sources.unwrap_or_default(),
            page: NewPage {
                text: PolicyText {
                    title: self.title.unwrap_or_default(),
                    description: self.description.unwrap_or_default(),
                    links: self.links.unwrap_or_default(),
                },
                category: self.category.unwrap_or_default(),
                party: self.party,
            },
            moderator: self.moderator?,
            proposed: self.proposed?,
            agreed: self.agreed.unwrap_or_default(),
        })
    }
}
