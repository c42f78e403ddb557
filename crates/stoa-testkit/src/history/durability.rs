//! Durability: what a database is after a crash, given the order of its commits.
//!
//! The database recovered must be what some prefix of the commits makes, and that prefix must
//! hold every commit that was acknowledged, and every commit that anybody saw before the
//! crash: an answer once given must stay true.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::history::batches::CellId;

/// A commit: its tag went into its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The tag, used once.
    pub tag: u64,
    /// The cells.
    pub cells: Vec<CellId>,
    /// Whether the client was told that it is durable.
    pub acknowledged: bool,
}

/// How a crash broke a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurabilityFailure {
    /// A commit is gone though the client was told it is durable.
    LostAcknowledged {
        /// Its tag.
        tag: u64,
    },
    /// A commit is gone though somebody had read it.
    LostSeen {
        /// Its tag.
        tag: u64,
    },
    /// What was recovered is not what any prefix makes.
    NotAPrefix {
        /// The length of the prefix that comes nearest.
        nearest: usize,
        /// A cell in which that differs.
        cell: CellId,
        /// What it should hold.
        expected: Option<u64>,
        /// What it holds.
        got: Option<u64>,
    },
    /// A tag was seen that no commit wrote.
    UnknownTag {
        /// The tag.
        tag: u64,
    },
}

impl fmt::Display for DurabilityFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LostAcknowledged { tag } => {
                write!(f, "commit {tag} was acknowledged and is lost")
            }
            Self::LostSeen { tag } => write!(f, "commit {tag} was seen and is lost"),
            Self::NotAPrefix {
                nearest,
                cell,
                expected,
                got,
            } => write!(
                f,
                "no prefix of the commits: after {nearest} of them cell {cell} holds {expected:?}, \
                 recovered {got:?}"
            ),
            Self::UnknownTag { tag } => write!(f, "tag {tag} was seen and never written"),
        }
    }
}

impl std::error::Error for DurabilityFailure {}

/// Checks a recovery. `commits` are in their order, `seen` are the tags read before the
/// crash, `recovered` is every cell that holds a tag afterwards. Returns the length of the
/// longest prefix that was recovered.
///
/// # Errors
///
/// The promise that was broken.
pub fn check_durability(
    commits: &[Commit],
    seen: &BTreeSet<u64>,
    recovered: &BTreeMap<CellId, u64>,
) -> Result<usize, DurabilityFailure> {
    let is_written = |tag: &u64| commits.iter().any(|commit| commit.tag == *tag);
    if let Some(tag) = seen.iter().find(|tag| !is_written(tag)) {
        return Err(DurabilityFailure::UnknownTag { tag: *tag });
    }
    let kept = longest_prefix(commits, recovered)?;
    for commit in commits.iter().skip(kept) {
        let tag = commit.tag;
        if commit.acknowledged {
            return Err(DurabilityFailure::LostAcknowledged { tag });
        }
        if seen.contains(&tag) {
            return Err(DurabilityFailure::LostSeen { tag });
        }
    }
    Ok(kept)
}

fn longest_prefix(
    commits: &[Commit],
    recovered: &BTreeMap<CellId, u64>,
) -> Result<usize, DurabilityFailure> {
    let mut state: BTreeMap<CellId, u64> = BTreeMap::new();
    let mut nearest = differences(&state, recovered);
    let mut nearest_length = 0;
    for (index, commit) in commits.iter().enumerate() {
        state.extend(commit.cells.iter().map(|cell| (*cell, commit.tag)));
        let differing = differences(&state, recovered);
        if differing.len() <= nearest.len() {
            nearest = differing;
            nearest_length = index + 1;
        }
    }
    match nearest.first() {
        None => Ok(nearest_length),
        Some((cell, expected, got)) => Err(DurabilityFailure::NotAPrefix {
            nearest: nearest_length,
            cell: *cell,
            expected: *expected,
            got: *got,
        }),
    }
}

/// The cells in which two states differ, with what each holds.
fn differences(
    left: &BTreeMap<CellId, u64>,
    right: &BTreeMap<CellId, u64>,
) -> Vec<(CellId, Option<u64>, Option<u64>)> {
    let cells: BTreeSet<CellId> = left.keys().chain(right.keys()).copied().collect();
    let both = cells
        .into_iter()
        .map(|cell| (cell, left.get(&cell).copied(), right.get(&cell).copied()));
    both.filter(|(_, left, right)| left != right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits() -> Vec<Commit> {
        let commit = |tag, cells: &[CellId], acknowledged| Commit {
            tag,
            cells: cells.to_vec(),
            acknowledged,
        };
        vec![
            commit(1, &[0, 1], true),
            commit(2, &[1, 2], true),
            commit(3, &[0], false),
            commit(4, &[2, 3], false),
        ]
    }

    fn check(seen: &[u64], recovered: &[(CellId, u64)]) -> Result<usize, DurabilityFailure> {
        check_durability(
            &commits(),
            &seen.iter().copied().collect(),
            &recovered.iter().copied().collect(),
        )
    }

    #[test]
    fn prefixes_with_all_that_was_promised_are_accepted() {
        assert_eq!(check(&[1], &[(0, 1), (1, 2), (2, 2)]), Ok(2));
        assert_eq!(check(&[3], &[(0, 3), (1, 2), (2, 2)]), Ok(3));
        assert_eq!(check(&[4], &[(0, 3), (1, 2), (2, 4), (3, 4)]), Ok(4));
        assert_eq!(
            check_durability(&[], &BTreeSet::new(), &BTreeMap::new()),
            Ok(0)
        );
    }

    #[test]
    fn broken_promises_are_named() {
        let lost = DurabilityFailure::LostAcknowledged { tag: 2 };
        assert_eq!(check(&[], &[(0, 1), (1, 1)]), Err(lost));
        let lost = DurabilityFailure::LostAcknowledged { tag: 1 };
        assert_eq!(check(&[], &[]), Err(lost));
        let unseen = DurabilityFailure::LostSeen { tag: 4 };
        assert_eq!(check(&[4], &[(0, 3), (1, 2), (2, 2)]), Err(unseen));
        let unknown = DurabilityFailure::UnknownTag { tag: 9 };
        assert_eq!(check(&[9], &[(0, 1), (1, 2), (2, 2)]), Err(unknown));
    }

    #[test]
    fn states_that_no_prefix_makes_are_caught() {
        let hole = check(&[], &[(0, 1), (1, 2), (2, 4), (3, 4)]);
        let failure = DurabilityFailure::NotAPrefix {
            nearest: 4,
            cell: 0,
            expected: Some(3),
            got: Some(1),
        };
        assert_eq!(hole, Err(failure));
        let torn = check(&[], &[(0, 3), (1, 2), (2, 4)]);
        assert!(
            matches!(
                torn,
                Err(DurabilityFailure::NotAPrefix {
                    cell: 3,
                    got: None,
                    ..
                })
            ),
            "{torn:?}"
        );
        let foreign = check(&[], &[(0, 1), (1, 2), (2, 2), (9, 7)]);
        assert!(
            matches!(foreign, Err(DurabilityFailure::NotAPrefix { cell: 9, .. })),
            "{foreign:?}"
        );
    }
}
