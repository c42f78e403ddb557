//! Isolation of batches: seen whole, and by all in one order.
//!
//! Each batch writes its own tag into several cells, over partitions and tables. A snapshot
//! read returns the tags of several cells. There must be one order of all batches and reads
//! in which each read sees, in each cell, the last batch before it that wrote the cell.
//!
//! For a crash, add a read of everything after it, and leave the batches without end that
//! were not acknowledged: what was acknowledged or seen must then be there, without knowing
//! the order of commits. (`durability` checks more where that order is known.)

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::history::order::{Operation, OrderFailure, Specification, find_order};

/// A cell, by number, whatever partition or table it is in.
pub type CellId = u32;

/// What a client did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchAction {
    /// Wrote its tag into cells. Each tag is used once.
    Write {
        /// The tag.
        tag: u64,
        /// The cells.
        cells: Vec<CellId>,
    },
    /// Read cells from one snapshot; `None` for a cell never written.
    Read(Vec<(CellId, Option<u64>)>),
}

/// How batches were not isolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchFailure {
    /// A read saw a tag that no batch wrote there.
    UnknownTag {
        /// The read's position in the list of operations.
        operation: usize,
        /// The cell.
        cell: CellId,
        /// The tag.
        tag: u64,
    },
    /// A read saw a part of a batch: two cells that the two batches it saw in them both write.
    Torn {
        /// The read's position in the list of operations.
        operation: usize,
        /// One cell and its tag.
        left: (CellId, Option<u64>),
        /// The other cell and its tag.
        right: (CellId, Option<u64>),
    },
    /// Each read is whole, but there is no order for all of them.
    Order(OrderFailure),
}

impl fmt::Display for BatchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTag {
                operation,
                cell,
                tag,
            } => {
                write!(
                    f,
                    "operation {operation} saw tag {tag} in cell {cell}, never written there"
                )
            }
            Self::Torn {
                operation,
                left,
                right,
            } => {
                write!(
                    f,
                    "operation {operation} saw {left:?} beside {right:?}, parts of batches"
                )
            }
            Self::Order(failure) => write!(f, "{failure}"),
        }
    }
}

impl std::error::Error for BatchFailure {}

/// Checks that batches were isolated.
///
/// # Errors
///
/// The first read that is wrong by itself, or that there is no order for all of them.
pub fn check_batches(
    operations: &[Operation<BatchAction>],
    max_states: usize,
) -> Result<(), BatchFailure> {
    let mut batches: BTreeMap<u64, BTreeSet<CellId>> = BTreeMap::new();
    for operation in operations {
        if let BatchAction::Write { tag, cells } = &operation.action {
            batches.entry(*tag).or_default().extend(cells);
        }
    }
    for (position, operation) in operations.iter().enumerate() {
        if let BatchAction::Read(seen) = &operation.action {
            check_tags(position, seen, &batches)?;
            check_whole(position, seen, &batches)?;
        }
    }
    find_order(&Cells, operations, max_states)
        .map(|_| ())
        .map_err(BatchFailure::Order)
}

type Batches = BTreeMap<u64, BTreeSet<CellId>>;

fn check_tags(
    operation: usize,
    seen: &[(CellId, Option<u64>)],
    batches: &Batches,
) -> Result<(), BatchFailure> {
    for (cell, tag) in seen {
        if let Some(tag) = *tag
            && !writes(batches, Some(tag), *cell)
        {
            return Err(BatchFailure::UnknownTag {
                operation,
                cell: *cell,
                tag,
            });
        }
    }
    Ok(())
}

/// Of two batches that both write two cells, the later one hides the other in both.
fn check_whole(
    operation: usize,
    seen: &[(CellId, Option<u64>)],
    batches: &Batches,
) -> Result<(), BatchFailure> {
    for (index, left) in seen.iter().enumerate() {
        for right in seen.iter().skip(index + 1) {
            let is_torn = left.1 != right.1
                && (left.1.is_none() || writes(batches, left.1, right.0))
                && (right.1.is_none() || writes(batches, right.1, left.0));
            if is_torn {
                return Err(BatchFailure::Torn {
                    operation,
                    left: *left,
                    right: *right,
                });
            }
        }
    }
    Ok(())
}

fn writes(batches: &Batches, tag: Option<u64>, cell: CellId) -> bool {
    tag.and_then(|tag| batches.get(&tag))
        .is_some_and(|cells| cells.contains(&cell))
}

/// All cells, at first never written.
struct Cells;

impl Specification for Cells {
    type State = BTreeMap<CellId, u64>;
    type Action = BatchAction;

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn apply(&self, state: &Self::State, action: &BatchAction) -> Option<Self::State> {
        match action {
            BatchAction::Write { tag, cells } => {
                let mut state = state.clone();
                state.extend(cells.iter().map(|cell| (*cell, *tag)));
                Some(state)
            }
            BatchAction::Read(seen) => {
                let fits = seen
                    .iter()
                    .all(|(cell, tag)| state.get(cell) == tag.as_ref());
                fits.then(|| state.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn write(invoked: u64, returned: u64, tag: u64, cells: &[CellId]) -> Operation<BatchAction> {
        Operation::new(
            invoked,
            returned,
            BatchAction::Write {
                tag,
                cells: cells.to_vec(),
            },
        )
    }

    fn lost(invoked: u64, tag: u64, cells: &[CellId]) -> Operation<BatchAction> {
        Operation::unknown(
            invoked,
            BatchAction::Write {
                tag,
                cells: cells.to_vec(),
            },
        )
    }

    fn read(invoked: u64, returned: u64, tags: &[u64]) -> Operation<BatchAction> {
        let tags = tags.iter().map(|tag| (*tag > 0).then_some(*tag));
        Operation::new(
            invoked,
            returned,
            BatchAction::Read((0..).zip(tags).collect()),
        )
    }

    #[test]
    fn good_histories_are_accepted() {
        let good = [
            (
                "in turn",
                vec![write(1, 2, 1, &[0, 1]), read(3, 4, &[1, 1])],
            ),
            (
                "while written",
                vec![
                    write(1, 9, 1, &[0, 1]),
                    read(2, 3, &[0, 0]),
                    read(4, 5, &[1, 1]),
                ],
            ),
            (
                "partly overwritten",
                vec![
                    write(1, 2, 1, &[0, 1]),
                    write(3, 4, 2, &[1, 2]),
                    read(5, 6, &[1, 2, 2]),
                ],
            ),
            (
                "lost, not there",
                vec![lost(1, 1, &[0, 1]), read(2, 3, &[0, 0])],
            ),
            (
                "lost, there",
                vec![lost(1, 1, &[0, 1]), read(2, 3, &[1, 1])],
            ),
            (
                "crash keeps all",
                vec![
                    write(1, 2, 1, &[0, 1]),
                    lost(3, 2, &[0, 1]),
                    read(9, 10, &[2, 2]),
                ],
            ),
        ];
        for (name, history) in good {
            assert_eq!(check_batches(&history, 1_000), Ok(()), "{name}");
        }
    }

    #[test]
    fn torn_and_foreign_reads_are_named() {
        let torn = vec![write(1, 9, 1, &[0, 1]), read(2, 3, &[1, 0])];
        let failure = BatchFailure::Torn {
            operation: 1,
            left: (0, Some(1)),
            right: (1, None),
        };
        assert_eq!(check_batches(&torn, 1_000), Err(failure));
        let mixed = vec![
            write(1, 9, 1, &[0, 1]),
            write(2, 9, 2, &[0, 1]),
            read(3, 8, &[1, 2]),
        ];
        assert!(matches!(
            check_batches(&mixed, 1_000),
            Err(BatchFailure::Torn { operation: 2, .. })
        ));
        let foreign = vec![write(1, 2, 1, &[0]), read(3, 4, &[1, 1])];
        let failure = BatchFailure::UnknownTag {
            operation: 1,
            cell: 1,
            tag: 1,
        };
        assert_eq!(check_batches(&foreign, 1_000), Err(failure));
    }

    #[test]
    fn anomalies_of_order_are_caught() {
        let (one, two) = (write(1, 20, 1, &[0]), write(2, 20, 2, &[1]));
        let bad = [
            (
                "stale",
                vec![write(1, 2, 1, &[0]), write(3, 4, 2, &[0]), read(5, 6, &[1])],
            ),
            (
                "back in time",
                vec![write(1, 9, 1, &[0]), read(2, 3, &[1]), read(4, 5, &[0])],
            ),
            (
                "two readers, two orders",
                vec![one, two, read(3, 4, &[1, 0]), read(3, 4, &[0, 2])],
            ),
            (
                "later batch without the earlier",
                vec![
                    write(1, 2, 1, &[0]),
                    write(3, 4, 2, &[1]),
                    read(5, 6, &[0, 2]),
                ],
            ),
            (
                "crash loses the acknowledged",
                vec![write(1, 2, 1, &[0]), lost(3, 2, &[1]), read(9, 10, &[0, 2])],
            ),
            (
                "crash loses the seen",
                vec![lost(1, 1, &[0]), read(2, 3, &[1]), read(9, 10, &[0])],
            ),
        ];
        for (name, history) in bad {
            let failure = check_batches(&history, 1_000);
            let impossible = BatchFailure::Order(OrderFailure::Impossible {
                longest: vec![],
                stuck: vec![],
            });
            let failure = failure.expect_err(name);
            assert_eq!(
                std::mem::discriminant(&failure),
                std::mem::discriminant(&impossible),
                "{name}"
            );
            assert!(
                failure.to_string().contains("no order"),
                "{name}: {failure}"
            );
        }
    }

    #[test]
    fn simulated_histories_are_accepted_and_torn_reads_in_them_caught() {
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let mut state = BTreeMap::new();
            let mut history = Vec::new();
            for tag in 1..80 {
                let at = tag * 10 + 50;
                let (begin, end) = (at - rng.below(30), at + 1 + rng.below(30));
                if rng.chance(50) {
                    history.push(write(begin, end, tag, &[0, 1, 2]));
                    state.extend([(0, tag), (1, tag), (2, tag)]);
                } else {
                    let tags: Vec<u64> = (0..3)
                        .map(|cell| state.get(&cell).copied().unwrap_or(0))
                        .collect();
                    history.push(read(begin, end, &tags));
                }
            }
            assert_eq!(check_batches(&history, 50_000), Ok(()), "seed {seed}");
            let last = history.len() as u64 * 10 + 500;
            history.push(write(last, last + 1, 900, &[0, 1, 2]));
            history.push(write(last + 2, last + 3, 901, &[0, 1, 2]));
            history.push(read(last + 4, last + 5, &[901, 901, 900]));
            assert!(check_batches(&history, 50_000).is_err(), "seed {seed}");
        }
    }
}
