//! Merges that were proposed, for everybody to read: those that are open, and those of a year.

use stoa_session::Error;
use uuid::Uuid;

use crate::model::{NotDone, PageRefusal, PolicyId};
use crate::tables::proposal_index::ProposalPlace;
use crate::tables::proposals::{Proposal, ProposalState};
use crate::votes::Votes;

/// Proposals that are given at once.
const MOST_PROPOSALS: usize = 50;

impl Votes {
    /// A merge that was proposed.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn merge_proposal(&self, id: Uuid) -> Result<Proposal, NotDone> {
        let proposal = self.tables.proposals.read(id).await?;
        proposal.ok_or_else(|| PageRefusal::NoSuchProposal.into())
    }

    /// Merges that owners are being asked about, or that are being carried out, the last first;
    /// 50 at most.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open_proposals(&self) -> Result<Vec<Proposal>, Error> {
        let mut open = Vec::new();
        for place in self.tables.proposal_index.open().await? {
            if open.len() >= MOST_PROPOSALS {
                break;
            }
            let proposal = self.proposal_at(&place).await?;
            open.extend(proposal.filter(Proposal::is_undone));
        }
        Ok(open)
    }

    /// Every merge that was proposed in a year, the last first, before the one that is given.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn proposals_of_year(
        &self,
        year: i32,
        before: Option<Uuid>,
        most: usize,
    ) -> Result<Vec<Proposal>, Error> {
        let most = i32::try_from(most.clamp(1, MOST_PROPOSALS)).unwrap_or(1);
        let mut proposals = Vec::new();
        let index = &self.tables.proposal_index;
        for place in index.of_year(year, before, most).await? {
            proposals.extend(self.proposal_at(&place).await?);
        }
        Ok(proposals)
    }

    /// The proposal of a place, if it came to be as the place says.
    pub(crate) async fn proposal_at(
        &self,
        place: &ProposalPlace,
    ) -> Result<Option<Proposal>, Error> {
        let proposal = self.tables.proposals.read(place.proposal).await?;
        Ok(proposal.filter(|it| it.proposed == place.proposed))
    }
}

impl Proposal {
    /// Whether nothing will come of it any more, and it was about a policy: led to it, or would have
    /// merged it.
    pub(crate) fn is_over_about(&self, policy: PolicyId) -> bool {
        match self.state {
            ProposalState::Open | ProposalState::Accepted { .. } => false,
            ProposalState::Done { target } => target == policy,
            ProposalState::Objected { .. } | ProposalState::Withdrawn => {
                self.sources.contains(&policy)
            }
        }
    }

    /// Whether something is left to do: to ask owners, or to carry it out.
    #[must_use]
    pub fn is_undone(&self) -> bool {
        matches!(
            self.state,
            ProposalState::Open | ProposalState::Accepted { .. }
        )
    }
}
