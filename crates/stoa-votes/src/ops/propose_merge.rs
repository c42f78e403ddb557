//! Merging with consent: a moderator proposes, owners have a week to object, and then it is done.
//!
//! 1. The proposal is written; owners and watchers are told.
//! 2. An owner objects, and it is over; or all agree, or a week passes, and it is accepted: then
//!    the new policy and what is merged into it stand in the proposal.
//! 3. The page of the new policy is written, then the merge is done as any (`ops/merge.rs`).
//!
//! The second step decides; a task does the third for whoever died before.

use std::collections::BTreeSet;

use stoa_session::{Error, Outcome};
use uuid::Uuid;

use crate::model::{
    By, Happening, HappeningKind, NewPage, NotDone, PageRefusal, PolicyId, PolicyState, RequestId,
    Role, TextVersion, UserId,
};
use crate::rules::page_text::{checked_page, checked_reason};
use crate::rules::secrets::{derived_id, sibling_id};
use crate::tables::merges::Merge;
use crate::tables::pages::Owners;
use crate::tables::proposal_index::ProposalPlace;
use crate::tables::proposals::{Proposal, ProposalState};
use crate::tasks::failures::Failures;
use crate::votes::Votes;

/// How long owners may object.
const PATIENCE_MICROS: i64 = 7 * 86_400_000_000;
/// How long a proposal may take to be written.
const LOST_MICROS: i64 = 3_600_000_000;
/// Policies of one merge.
const SOURCES: std::ops::RangeInclusive<usize> = 2..=20;

impl Votes {
    /// Proposes a merge. It takes the role of merging policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again with the same request goes on.
    pub async fn propose_merge(
        &self,
        by: By,
        request: RequestId,
        sources: &BTreeSet<PolicyId>,
        page: &NewPage,
    ) -> Result<Proposal, NotDone> {
        self.demand(by, Role::MergePolicies).await?;
        let page = checked_page(page)?;
        let id = derived_id("merge", request);
        // What was answered before is answered so again, whatever became of the policies since.
        if let Some(before) = self.tables.proposals.read(id).await? {
            return self.proposed_before(before, sources, &page).await;
        }
        self.check_place(&page.category, page.party).await?;
        if !SOURCES.contains(&sources.len()) || self.active(sources).await?.len() != sources.len() {
            return Err(PageRefusal::BadMerge.into());
        }
        let proposal = Proposal {
            id,
            state: ProposalState::Open,
            sources: sources.clone(),
            page,
            moderator: by.id(),
            proposed: self.ids.time_uuid(),
            agreed: BTreeSet::new(),
        };
        self.tables.proposal_index.write(&place(&proposal)).await?;
        let sent = self.tables.proposals.insert(&proposal).await;
        let there = match (self.tables.proposals.read(id).await?, sent) {
            (Some(there), _) => there,
            (None, Err(error)) => return Err(error.into()),
            (None, Ok(_)) => proposal.clone(),
        };
        self.proposed_before(there, sources, &proposal.page).await
    }

    /// A proposal that is there, if it is the one that is asked for.
    async fn proposed_before(
        &self,
        there: Proposal,
        sources: &BTreeSet<PolicyId>,
        page: &NewPage,
    ) -> Result<Proposal, NotDone> {
        let is_same = match there.state {
            // Of those that were asked for, some may have ended before it was accepted.
            ProposalState::Accepted { .. } | ProposalState::Done { .. } => {
                there.sources.is_subset(sources)
            }
            ProposalState::Open | ProposalState::Objected { .. } | ProposalState::Withdrawn => {
                there.sources == *sources
            }
        };
        if there.page != *page || !is_same {
            return Err(PageRefusal::RequestReused.into());
        }
        self.tell_proposed(&there).await?;
        Ok(there)
    }

    async fn tell_proposed(&self, proposal: &Proposal) -> Result<(), NotDone> {
        let act = (proposal.proposed, proposal.moderator);
        let title = &proposal.page.text.title;
        for source in &proposal.sources {
            // Each source is a thing of its own to those who watch it.
            let happening = Happening {
                id: sibling_id(proposal.proposed, source.0.as_bytes()),
                policy: Some(*source),
                kind: HappeningKind::MergeProposed,
                actor: proposal.moderator,
                about: Some(proposal.id),
                detail: title.clone(),
            };
            self.tables.happenings.write(*source, &happening).await?;
            for owner in self.owners(*source).await? {
                self.notify(owner, &happening).await?;
            }
        }
        let targets: Vec<String> = proposal.sources.iter().map(ToString::to_string).collect();
        self.log_act(act, "propose_merge", &targets.join(" "), title)
            .await?;
        Ok(())
    }

    async fn owners(&self, policy: PolicyId) -> Result<BTreeSet<UserId>, Error> {
        let page = self.tables.pages.read(policy).await?;
        Ok(page.map_or_else(BTreeSet::new, |page| {
            let mut owners = page.co_owners;
            owners.insert(page.owner);
            owners
        }))
    }

    async fn all_owners(&self, sources: &BTreeSet<PolicyId>) -> Result<BTreeSet<UserId>, Error> {
        let mut owners = BTreeSet::new();
        for source in sources {
            owners.extend(self.owners(*source).await?);
        }
        Ok(owners)
    }

    async fn active(&self, sources: &BTreeSet<PolicyId>) -> Result<BTreeSet<PolicyId>, Error> {
        let mut active = BTreeSet::new();
        for source in sources {
            let state = self.standing(*source).await?.map(|it| it.state);
            if state == Some(PolicyState::Active) {
                active.insert(*source);
            }
        }
        Ok(active)
    }

    /// A proposal that somebody is asked about.
    async fn asked(&self, owner: UserId, id: Uuid) -> Result<Proposal, NotDone> {
        let proposal = self.tables.proposals.read(id).await?;
        let proposal = proposal.ok_or(PageRefusal::NoSuchProposal)?;
        match self.all_owners(&proposal.sources).await?.contains(&owner) {
            true => Ok(proposal),
            false => Err(PageRefusal::NotAnOwner.into()),
        }
    }

    /// An owner agrees; when all do, the merge is done at once.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again goes on.
    pub async fn agree_to_merge(&self, owner: UserId, id: Uuid) -> Result<Proposal, NotDone> {
        self.account(owner).await?;
        for _ in 0..self.settings.attempts {
            let proposal = self.asked(owner, id).await?;
            if proposal.agreed.contains(&owner) {
                let owners = self.all_owners(&proposal.sources).await?;
                return match owners.is_subset(&proposal.agreed) {
                    true => self.merge_if_due(proposal).await,
                    false => Ok(proposal),
                };
            }
            if proposal.state != ProposalState::Open {
                return Err(PageRefusal::ProposalDecided.into());
            }
            let mut agreed = proposal.agreed.clone();
            agreed.insert(owner);
            match self.tables.proposals.agree(&proposal, &agreed).await {
                Err(error) if error.outcome() != Outcome::Unknown => return Err(error.into()),
                _ => {}
            }
        }
        Err(super::claim::busy("the proposal was changed too often meanwhile").into())
    }

    /// An owner objects, and the proposal is over.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn object_to_merge(&self, owner: UserId, id: Uuid, why: &str) -> Result<(), NotDone> {
        self.account(owner).await?;
        let why = checked_reason(why)?;
        self.asked(owner, id).await?;
        let act = self.ids.time_uuid();
        let sent = self.tables.proposals.object(id, owner, &why, act).await;
        let there = self.tables.proposals.read(id).await?;
        let there = there.ok_or(PageRefusal::NoSuchProposal)?;
        match (&there.state, sent) {
            (ProposalState::Objected { by, at, .. }, _) if *by == owner => {
                Ok(self.tell_objection(&there, owner, *at).await?)
            }
            (ProposalState::Open, Err(error)) => Err(error.into()),
            _ => Err(PageRefusal::ProposalDecided.into()),
        }
    }

    /// Tells whoever proposed a merge that an owner objects. Why stands in the proposal.
    async fn tell_objection(&self, it: &Proposal, owner: UserId, at: Uuid) -> Result<(), Error> {
        let told = Happening {
            id: at,
            policy: it.sources.first().copied(),
            kind: HappeningKind::MergeObjected,
            actor: owner,
            about: Some(it.id),
            detail: String::new(),
        };
        match it.moderator.0.is_nil() {
            true => Ok(()),
            false => self.notify(it.moderator, &told).await,
        }
    }

    /// Calls a proposal off. It takes the role of merging policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn withdraw_proposal(&self, by: By, id: Uuid) -> Result<(), NotDone> {
        self.demand(by, Role::MergePolicies).await?;
        let sent = self.tables.proposals.withdraw(id).await;
        let there = self.tables.proposals.read(id).await?;
        match (there.map(|it| it.state), sent) {
            (Some(ProposalState::Withdrawn), _) => Ok(()),
            (None, _) => Err(PageRefusal::NoSuchProposal.into()),
            (Some(ProposalState::Open), Err(error)) => Err(error.into()),
            _ => Err(PageRefusal::ProposalDecided.into()),
        }
    }

    /// Carries out what is accepted or due. Any number of times.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn finish_proposals(&self) -> Result<(), NotDone> {
        let now = self.clock.now_micros();
        let mut failures = Failures::default();
        for place in self.tables.proposal_index.open().await? {
            failures.unrefused(self.finish_proposal(&place, now).await)?;
        }
        Ok(failures.end()?)
    }

    async fn finish_proposal(&self, place: &ProposalPlace, now_micros: i64) -> Result<(), NotDone> {
        let (due, lost) = (now_micros - PATIENCE_MICROS, now_micros - LOST_MICROS);
        let proposal = self.proposal_at(place).await?;
        let is_over = match &proposal {
            // Whoever proposed it may be about to.
            None => place.proposed_micros() <= lost,
            Some(it) => !it.is_undone(),
        };
        if is_over {
            return Ok(self.tables.proposal_index.close(place).await?);
        }
        let is_due = |it: &Proposal| match it.state {
            ProposalState::Open => it.proposed_micros() <= due,
            _ => it.is_undone(),
        };
        if let Some(proposal) = proposal.filter(is_due) {
            let after = self.merge_if_due(proposal).await?;
            if !after.is_undone() {
                self.tables.proposal_index.close(place).await?;
            }
        }
        Ok(())
    }

    async fn merge_if_due(&self, proposal: Proposal) -> Result<Proposal, NotDone> {
        let id = proposal.id;
        if proposal.state == ProposalState::Open {
            let active = self.active(&proposal.sources).await?;
            // What is left of it may be one or none: then there is nothing to merge.
            if active.len() < *SOURCES.start() {
                self.tables.proposals.withdraw(id).await?;
            } else {
                let target = PolicyId(self.ids.time_uuid());
                self.tables.proposals.accept(id, target, &active).await?;
            }
        }
        let there = self.tables.proposals.read(id).await?;
        let there = there.ok_or(PageRefusal::NoSuchProposal)?;
        let ProposalState::Accepted { target } = there.state else {
            return Ok(there);
        };
        self.merge_as_proposed(&there, target).await?;
        self.tables.proposals.finish(id).await?;
        let there = self.tables.proposals.read(id).await?;
        there.ok_or_else(|| PageRefusal::NoSuchProposal.into())
    }

    async fn merge_as_proposed(&self, proposal: &Proposal, target: PolicyId) -> Result<(), Error> {
        let mut owners = self.all_owners(&proposal.sources).await?;
        let first = proposal.sources.iter().next();
        let first = match first {
            Some(source) => self.tables.pages.read(*source).await?.map(|it| it.owner),
            None => None,
        };
        let owner = first.unwrap_or(proposal.moderator);
        owners.remove(&owner);
        let text = TextVersion {
            version: 1,
            text: proposal.page.text.clone(),
            author: proposal.moderator,
            at: target.0,
            request: RequestId(proposal.id),
            note: String::new(),
        };
        let owners = Owners {
            owner,
            co_owners: owners,
        };
        let watchers = owners.co_owners.clone();
        let pages = &self.tables.pages;
        pages.begin(target, &proposal.page, &owners, &text).await?;
        let merge = Merge {
            target,
            sources: proposal.sources.clone(),
            moderator: proposal.moderator,
        };
        self.tables.merges.write(&merge).await?;
        if self.finish_merge(&merge).await?.is_none() {
            return Ok(());
        }
        for watcher in watchers.iter().chain([&owner]) {
            self.watch_own(*watcher, target).await?;
        }
        for source in &proposal.sources {
            let act = (target.0, proposal.moderator);
            let title = &proposal.page.text.title;
            self.tell(*source, HappeningKind::Merged, act, title)
                .await?;
        }
        let title = &proposal.page.text.title;
        let act = (target.0, proposal.moderator);
        self.log_act(act, "merge_policies", &target.to_string(), title)
            .await
    }
}

fn place(proposal: &Proposal) -> ProposalPlace {
    ProposalPlace {
        proposed: proposal.proposed,
        proposal: proposal.id,
    }
}
