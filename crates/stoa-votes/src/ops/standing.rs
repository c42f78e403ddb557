//! Where policies stand, read as fresh as the question needs.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{PolicyId, Standing};
use crate::rules::chain::Folded;
use crate::rules::named::Rule;
use crate::rules::proposal::Proposal;
use crate::rules::roots::{MOST_MERGES, Standings};
use crate::votes::Votes;

impl Votes {
    /// Rule root-fresh: where everything stands that a proposal is judged by. What it lowers is
    /// read anew, after the chain was read; the rest may be remembered, since an older state only
    /// makes a balance smaller. Merges that the chain has seen hold in any case.
    pub(crate) async fn standings(
        &self,
        proposal: &Proposal,
        chain: &Folded,
    ) -> Result<Standings, Error> {
        let is_fresh = self.holds(Rule::RootFresh);
        let mut known = Standings::default();
        if is_fresh {
            known = known.remembering(&chain.ledger.roots);
        }
        let mut wanted: BTreeSet<PolicyId> = chain.ledger.entries.keys().copied().collect();
        if let Proposal::Move(moves) = proposal {
            wanted.extend(moves.keys());
        }
        let mut fresh = BTreeSet::new();
        for policy in wanted {
            let must_be_fresh = is_fresh && proposal.lowers(policy, chain);
            self.follow(policy, must_be_fresh, &mut known, &mut fresh)
                .await?;
        }
        Ok(known)
    }

    async fn follow(
        &self,
        policy: PolicyId,
        must_be_fresh: bool,
        known: &mut Standings,
        fresh: &mut BTreeSet<PolicyId>,
    ) -> Result<(), Error> {
        let mut at = policy;
        for _ in 0..MOST_MERGES {
            let is_enough = match must_be_fresh {
                true => fresh.contains(&at),
                false => known.of(at).is_some(),
            };
            if !is_enough {
                let remembered = match must_be_fresh {
                    true => None,
                    false => self.remembered(at),
                };
                let standing = match remembered {
                    Some(standing) => Some(standing),
                    None => {
                        fresh.insert(at);
                        self.standing(at).await?
                    }
                };
                if let Some(standing) = standing {
                    known.add(at, standing);
                }
            }
            match known.next(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Where a policy stands now.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn standing(&self, policy: PolicyId) -> Result<Option<Standing>, Error> {
        let standing = self.tables.policies.read(policy).await?;
        if let Some(standing) = &standing {
            self.remember(policy, standing);
        }
        Ok(standing)
    }

    /// The policy that the votes of a policy count for now.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn root(&self, policy: PolicyId) -> Result<PolicyId, Error> {
        let mut root = policy;
        for _ in 0..MOST_MERGES {
            match self.standing(root).await?.and_then(|it| it.merged_to) {
                Some(next) => root = next,
                None => break,
            }
        }
        Ok(root)
    }

    /// Every policy whose votes count for a policy, itself included. A source counts only if it
    /// points where it is listed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn closure(&self, root: PolicyId) -> Result<BTreeSet<PolicyId>, Error> {
        let mut closure = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(target) = open.pop() {
            let Some(standing) = self.standing(target).await? else {
                continue;
            };
            for source in standing.merged_from {
                let points_to = self.standing(source).await?.and_then(|it| it.merged_to);
                let counts = points_to == Some(target) || !self.holds(Rule::StateCas);
                if counts && closure.insert(source) {
                    open.push(source);
                }
            }
        }
        Ok(closure)
    }
}
