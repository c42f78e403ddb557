//! Isolation of batches: seen whole, and by all in one order.
//!
//! Each batch writes its own tag into several cells, over partitions and tables. A snapshot
//! read returns the tags of several cells. There must be one order of all batches and reads
//! in which each read sees, in each cell, the last batch before it that wrote the cell.
//!
//! For a crash, add a read of everything after it, and leave the batches without end that
//! were not acknowledged: what was acknowledged or seen must then be there, without knowing
//! the order of commits. (`durability` checks more where that order is known.)

#[cfg(test)]
mod tests;

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
