//! What a user asks for, judged: either the changes of the next record, or a refusal.
//!
//! Invariants, for every set of changes this gives:
//! 1. What the user has on every policy that votes count for is zero or more.
//! 2. What is left to spend is zero or more.
//! 3. Withdrawn votes are paid for exactly, and an undo gives back exactly what was paid.

use std::collections::BTreeMap;

use super::chain::{Folded, Ledger};
use super::money::{balance, positions, price_hundredths};
use super::roots::Standings;
use crate::model::{Change, Entry, PolicyId, PolicyState, RecordKind, Refusal};

/// Policies that one record changes at most.
pub const MOST_CHANGES: usize = 200;
/// Votes that are moved on one policy at once at most.
pub const MOST_VOTES: i64 = 1_000_000_000;
/// How long a record can be undone.
pub const UNDO_MICROS: i64 = 600_000_000;

/// What a user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// Votes put on policies, or withdrawn.
    Move(BTreeMap<PolicyId, i64>),
    /// A new policy with its first votes.
    Create {
        /// The policy.
        policy: PolicyId,
        /// Its first votes.
        votes: i64,
    },
    /// The last record taken back.
    Undo {
        /// When that is asked.
        now_micros: i64,
    },
    /// The account ended, all votes taken back.
    End,
}

/// The changes of a record to come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// What changes about which policy.
    pub changes: BTreeMap<PolicyId, Change>,
    /// Policies that were counted into another one, and into which.
    pub roots: BTreeMap<PolicyId, PolicyId>,
}

impl Proposal {
    /// The kind of the record it becomes.
    #[must_use]
    pub fn kind(&self) -> RecordKind {
        match self {
            Self::Move(_) | Self::Create { .. } => RecordKind::Vote,
            Self::Undo { .. } => RecordKind::Undo,
            Self::End => RecordKind::Final,
        }
    }

    /// Whether what the user has on a policy would become less, so that where it counts must be
    /// read anew.
    #[must_use]
    pub fn lowers(&self, policy: PolicyId, chain: &Folded) -> bool {
        match self {
            Self::Move(moves) => moves.get(&policy).is_some_and(|votes| *votes < 0),
            Self::Create { .. } => false,
            Self::Undo { .. } => {
                let last = chain.last.as_ref();
                last.is_some_and(|record| record.changes.contains_key(&policy))
            }
            Self::End => true,
        }
    }

    /// Judges what can be judged without knowing anything.
    ///
    /// # Errors
    /// That it changes nothing, or too much at once.
    pub fn check_shape(&self) -> Result<(), Refusal> {
        let Self::Move(moves) = self else {
            return Ok(());
        };
        if moves.values().all(|votes| *votes == 0) {
            return Err(Refusal::Nothing);
        }
        if moves.len() > MOST_CHANGES {
            return Err(Refusal::TooMany { most: MOST_CHANGES });
        }
        moves.values().try_for_each(|votes| check_size(*votes))
    }

    /// Judges it.
    ///
    /// # Errors
    /// Why the user may not do it.
    pub fn judge(
        &self,
        chain: &Folded,
        standings: &Standings,
        salary: i64,
        penalty_percent: i64,
    ) -> Result<Draft, Refusal> {
        self.check_shape()?;
        let ledger = &chain.ledger;
        let changes = match self {
            Self::Move(moves) => moved(moves, ledger, standings, penalty_percent)?,
            Self::Create { policy, votes } => created(*policy, *votes)?,
            Self::Undo { now_micros } => undone(chain, standings, *now_micros)?,
            Self::End => ended(ledger, standings),
        };
        let draft = Draft {
            roots: counted_elsewhere(&changes, ledger, standings),
            changes,
        };
        if self.kind() != RecordKind::Final {
            check(&draft, ledger, standings, salary)?;
        }
        Ok(draft)
    }
}

/// What a user has after a draft.
#[must_use]
pub fn entries_after(draft: &Draft, ledger: &Ledger) -> BTreeMap<PolicyId, Entry> {
    let mut entries = ledger.entries.clone();
    let changed = draft.changes.iter();
    entries.extend(changed.map(|(policy, change)| (*policy, change.entry)));
    entries
}

fn moved(
    moves: &BTreeMap<PolicyId, i64>,
    ledger: &Ledger,
    standings: &Standings,
    penalty_percent: i64,
) -> Result<BTreeMap<PolicyId, Change>, Refusal> {
    let mut changes = BTreeMap::new();
    for (policy, votes) in moves.iter().filter(|(_, votes)| **votes != 0) {
        check_takes_votes(*policy, *votes, standings)?;
        let before = ledger.entries.get(policy).copied().unwrap_or_default();
        let withdrawn = (-votes).max(0);
        let entry = Entry {
            total: before.total + votes,
            withdrawn: before.withdrawn + withdrawn,
            burned_hundredths: before.burned_hundredths
                + price_hundredths(withdrawn, penalty_percent),
        };
        let increment = *votes;
        changes.insert(*policy, Change { increment, entry });
    }
    Ok(changes)
}

fn check_size(votes: i64) -> Result<(), Refusal> {
    match votes.unsigned_abs() > MOST_VOTES.unsigned_abs() {
        true => Err(Refusal::TooLarge { votes }),
        false => Ok(()),
    }
}

fn check_takes_votes(policy: PolicyId, votes: i64, standings: &Standings) -> Result<(), Refusal> {
    let into = standings.root(policy);
    if into != policy {
        return Err(Refusal::MergedPolicy { policy, into });
    }
    match standings.of(policy).map(|it| it.state) {
        Some(PolicyState::Active) => Ok(()),
        Some(PolicyState::Withdrawn) if votes < 0 => Ok(()),
        Some(PolicyState::Withdrawn) => Err(Refusal::WithdrawnPolicy(policy)),
        Some(state) if state.is_released() => Err(Refusal::ReleasedPolicy(policy)),
        _ => Err(Refusal::NoSuchPolicy(policy)),
    }
}

fn created(policy: PolicyId, votes: i64) -> Result<BTreeMap<PolicyId, Change>, Refusal> {
    check_size(votes)?;
    let total = votes;
    let entry = Entry {
        total,
        ..Entry::default()
    };
    let increment = votes;
    Ok(BTreeMap::from([(policy, Change { increment, entry })]))
}

fn undone(
    chain: &Folded,
    standings: &Standings,
    now_micros: i64,
) -> Result<BTreeMap<PolicyId, Change>, Refusal> {
    let last = chain.last.as_ref().ok_or(Refusal::NothingToUndo)?;
    if last.kind != RecordKind::Vote {
        return Err(Refusal::NotUndoable("it is an undo itself"));
    }
    if last.policy_created.is_some() {
        return Err(Refusal::NotUndoable("a policy was created"));
    }
    if now_micros - last.version.made_at_micros() > UNDO_MICROS {
        return Err(Refusal::NotUndoable("ten minutes have passed"));
    }
    let mut changes = BTreeMap::new();
    for (policy, change) in &last.changes {
        let root = standings.root(*policy);
        if standings.is_released(root) {
            return Err(Refusal::ReleasedPolicy(root));
        }
        let is_withdrawn = standings.of(root).map(|it| it.state) == Some(PolicyState::Withdrawn);
        if is_withdrawn && change.increment < 0 {
            return Err(Refusal::WithdrawnPolicy(root));
        }
        let before = chain.before.entries.get(policy);
        let entry = before.copied().unwrap_or_default();
        let increment = -change.increment;
        changes.insert(*policy, Change { increment, entry });
    }
    Ok(changes)
}

fn ended(ledger: &Ledger, standings: &Standings) -> BTreeMap<PolicyId, Change> {
    let kept = positions(&ledger.entries, standings).into_iter();
    let kept = kept.filter(|(root, it)| it.total != 0 && !standings.is_released(*root));
    kept.map(|(root, position)| {
        let before = ledger.entries.get(&root).copied().unwrap_or_default();
        let increment = -position.total;
        let entry = Entry {
            total: before.total + increment,
            ..before
        };
        (root, Change { increment, entry })
    })
    .collect()
}

/// The policies of the user that count for one that is lowered, and which that is.
fn counted_elsewhere(
    changes: &BTreeMap<PolicyId, Change>,
    ledger: &Ledger,
    standings: &Standings,
) -> BTreeMap<PolicyId, PolicyId> {
    let lowered = |root: &PolicyId| {
        let mut changed = changes.iter();
        changed.any(|(policy, it)| it.increment < 0 && standings.root(*policy) == *root)
    };
    let held = ledger.entries.keys();
    let held = held.map(|policy| (*policy, standings.root(*policy)));
    held.filter(|(policy, root)| policy != root && lowered(root))
        .collect()
}

fn check(
    draft: &Draft,
    ledger: &Ledger,
    standings: &Standings,
    salary: i64,
) -> Result<(), Refusal> {
    let before = positions(&ledger.entries, standings);
    let after = positions(&entries_after(draft, ledger), standings);
    for policy in draft.changes.keys() {
        let root = standings.root(*policy);
        let total = after.get(&root).map_or(0, |it| it.total);
        if total < 0 {
            let has = before.get(&root).map_or(0, |it| it.total);
            return Err(Refusal::TooFewOnPolicy {
                policy: root,
                has,
                asked: has - total,
            });
        }
    }
    let left = balance(salary, &after, standings);
    match left < 0 {
        true => Err(Refusal::Overdraft { needed: -left }),
        false => Ok(()),
    }
}
