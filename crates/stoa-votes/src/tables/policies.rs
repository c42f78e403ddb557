//! `policies`: where each policy stands. Every cell is written by conditional writes alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_session::{Error, ErrorKind, FromRow, Outcome, Prepared, Session, Shortcuts};

use super::merges::Merge;
use super::{Base, decide, quorum, serial};
use crate::model::{PolicyId, PolicyState, Standing, UserId, VoteVersion};

/// How often a change of a state is tried while its outcome is unknown.
const ATTEMPTS: usize = 4;

/// The table.
#[derive(Debug)]
pub struct PolicyTable {
    session: Arc<dyn Session>,
    read: Prepared,
    maker: Prepared,
    creating: Prepared,
    all: Prepared,
    standings: Prepared,
    set_state: Prepared,
    set_state_blindly: Prepared,
    merge: Prepared,
    merge_blindly: Prepared,
    remove: Prepared,
}

/// What a policy that is being created waits for: a record of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creation {
    /// Whose chain.
    pub user: UserId,
    /// The number of the record.
    pub seq: i64,
    /// The record.
    pub version: VoteVersion,
}

#[derive(FromRow)]
struct PolicyRow {
    state: String,
    merged_to: Option<PolicyId>,
    merged_from: Option<BTreeSet<PolicyId>>,
}

#[derive(FromRow)]
struct StandingRow {
    policy: PolicyId,
    state: Option<String>,
    merged_to: Option<PolicyId>,
    merged_from: Option<BTreeSet<PolicyId>>,
}

#[derive(FromRow)]
struct ScannedRow {
    policy: PolicyId,
    state: Option<String>,
    owner: Option<UserId>,
    created_seq: Option<i64>,
    created_version: Option<VoteVersion>,
}

#[derive(FromRow)]
struct MakerRow {
    owner: Option<UserId>,
}

impl PolicyTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            read: base
                .prepare("SELECT state, merged_to, merged_from FROM {ks}.policies WHERE policy = ?")
                .await?,
            maker: base
                .prepare("SELECT owner FROM {ks}.policies WHERE policy = ?")
                .await?,
            creating: base
                .prepare(
                    "INSERT INTO {ks}.policies \
                     (policy, state, owner, created_seq, created_version, merged_from) \
                     VALUES (?, 'creating', ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            all: base
                .prepare(
                    "SELECT policy, state, owner, created_seq, created_version \
                     FROM {ks}.policies",
                )
                .await?,
            standings: base
                .prepare("SELECT policy, state, merged_to, merged_from FROM {ks}.policies")
                .await?,
            set_state: base
                .prepare("UPDATE {ks}.policies SET state = ? WHERE policy = ? IF state = ?")
                .await?,
            set_state_blindly: base
                .prepare("UPDATE {ks}.policies SET state = ? WHERE policy = ?")
                .await?,
            merge: base
                .prepare(
                    "UPDATE {ks}.policies SET state = 'merged', merged_to = ? WHERE policy = ? \
                     IF state = 'active'",
                )
                .await?,
            merge_blindly: base
                .prepare(
                    "UPDATE {ks}.policies SET state = 'merged', merged_to = ? WHERE policy = ?",
                )
                .await?,
            remove: base
                .prepare("DELETE FROM {ks}.policies WHERE policy = ? IF state = 'creating'")
                .await?,
        })
    }

    /// Where a policy stands, as every acknowledged change says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId) -> Result<Option<Standing>, Error> {
        self.read_with(policy, quorum()).await
    }

    /// Where a policy stands; no change of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, policy: PolicyId) -> Result<Option<Standing>, Error> {
        self.read_with(policy, serial()).await
    }

    async fn read_with(
        &self,
        policy: PolicyId,
        options: stoa_session::Options,
    ) -> Result<Option<Standing>, Error> {
        let bound = self.read.bind((policy,))?.with(options);
        let row = self.session.first::<PolicyRow>(&bound).await?;
        row.map(|row| row.standing(policy)).transpose()
    }

    /// Writes a policy that nobody sees until the record that creates it is accepted.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_created(&self, policy: PolicyId, by: &Creation) -> Result<(), Error> {
        let nothing: Option<BTreeSet<PolicyId>> = None;
        let values = (policy, by.user, by.seq, by.version, nothing);
        // Whether it was there already makes no difference: the identifier is new.
        decide(&*self.session, &self.creating, values)
            .await
            .map(|_| ())
    }

    /// Writes the target of a merge, which nobody sees until the merge is done.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_target(&self, merge: &Merge) -> Result<(), Error> {
        let (seq, version): (Option<i64>, Option<VoteVersion>) = (None, None);
        let values = (merge.target, merge.moderator, seq, version, &merge.sources);
        decide(&*self.session, &self.creating, values)
            .await
            .map(|_| ())
    }

    /// Rule state-cas: changes the state of a policy if it is another one; whether the policy has
    /// the new state by this or an earlier call.
    ///
    /// # Errors
    /// Those of the session, where the outcome stays unknown.
    pub async fn change_state(
        &self,
        policy: PolicyId,
        from: PolicyState,
        to: PolicyState,
        settles: Settles,
    ) -> Result<bool, Error> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let values = (to.name(), policy, from.name());
            match decide(&*self.session, &self.set_state, values).await {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) if settles == Settles::No => return Err(error),
                Err(error) => last = unknown_only(error)?,
            }
            let state = self.settle(policy).await?.map(|it| it.state);
            if state != Some(from) || last.is_none() {
                return Ok(state == Some(to));
            }
        }
        last.map_or(Ok(false), Err)
    }

    /// Changes the state of a policy whatever it is: what happens without the rule state-cas.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn change_state_blindly(
        &self,
        policy: PolicyId,
        to: PolicyState,
    ) -> Result<(), Error> {
        let bound = self.set_state_blindly.bind((to.name(), policy))?;
        let bound = bound.with(quorum());
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// Rule state-cas: lets an active policy count for another one; where it counts from then on.
    ///
    /// # Errors
    /// Those of the session, where the outcome stays unknown.
    pub async fn merge(
        &self,
        source: PolicyId,
        target: PolicyId,
        settles: Settles,
    ) -> Result<Option<PolicyId>, Error> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match decide(&*self.session, &self.merge, (target, source)).await {
                Ok(true) => return Ok(Some(target)),
                Ok(false) => {}
                Err(error) if settles == Settles::No => return Err(error),
                Err(error) => last = unknown_only(error)?,
            }
            let standing = self.settle(source).await?;
            let is_active = standing.as_ref().map(|it| it.state) == Some(PolicyState::Active);
            if !is_active || last.is_none() {
                return Ok(standing.and_then(|it| it.merged_to));
            }
        }
        last.map_or(Ok(None), Err)
    }

    /// Lets a policy count for another one, whatever its state: what happens without the rule
    /// state-cas.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn merge_blindly(&self, source: PolicyId, target: PolicyId) -> Result<(), Error> {
        let bound = self.merge_blindly.bind((target, source))?.with(quorum());
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// Removes a policy that never came to be.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn remove_creating(&self, policy: PolicyId) -> Result<(), Error> {
        decide(&*self.session, &self.remove, (policy,))
            .await
            .map(|_| ())
    }

    /// Who made a policy: its owner, or the moderator of the merge that it is the target of.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn maker(&self, policy: PolicyId) -> Result<Option<UserId>, Error> {
        let bound = self.maker.bind((policy,))?.with(quorum());
        let row = self.session.first::<MakerRow>(&bound).await?;
        Ok(row.and_then(|row| row.owner))
    }

    /// Every policy with its state; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<(PolicyId, PolicyState, Option<Creation>)>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        let rows = self.session.all::<ScannedRow>(&bound).await?;
        let known = rows.into_iter().filter_map(|row| {
            let state = PolicyState::of_name(row.state.as_deref()?)?;
            let creation = row.creation();
            Some((row.policy, state, creation))
        });
        Ok(known.collect())
    }

    /// Where every policy stands; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn standings(&self) -> Result<BTreeMap<PolicyId, Standing>, Error> {
        let bound = self.standings.bind(())?.with(quorum());
        let rows = self.session.all::<StandingRow>(&bound).await?;
        let known = rows.into_iter().filter_map(|row| {
            let standing = Standing {
                state: PolicyState::of_name(row.state.as_deref()?)?,
                merged_to: row.merged_to,
                merged_from: row.merged_from.unwrap_or_default(),
            };
            Some((row.policy, standing))
        });
        Ok(known.collect())
    }
}

/// Whether an unknown outcome is settled by a read before anything is concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settles {
    /// Yes, as the rule settle-unknown has it.
    Yes,
    /// No: what happens without it.
    No,
}

fn unknown_only(error: Error) -> Result<Option<Error>, Error> {
    match error.outcome() {
        Outcome::Unknown => Ok(Some(error)),
        Outcome::NotApplied => Err(error),
    }
}

impl PolicyRow {
    fn standing(self, policy: PolicyId) -> Result<Standing, Error> {
        let state = PolicyState::of_name(&self.state).ok_or_else(|| {
            let what = format!("the policy {policy} has an unknown state, {:?}", self.state);
            Error::not_applied(ErrorKind::Value, what)
        })?;
        Ok(Standing {
            state,
            merged_to: self.merged_to,
            merged_from: self.merged_from.unwrap_or_default(),
        })
    }
}

impl ScannedRow {
    fn creation(&self) -> Option<Creation> {
        Some(Creation {
            user: self.owner?,
            seq: self.created_seq?,
            version: self.created_version?,
        })
    }
}
