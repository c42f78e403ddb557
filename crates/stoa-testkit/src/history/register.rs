//! Linearizability of single keys under reads, writes and compare-and-set.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::history::order::{Operation, OrderFailure, Specification, find_order};

/// What a client did to one key and what it was told. `None` is the value of a key that was
/// never written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterAction {
    /// Wrote a value. Use a value once only, or the check sees less.
    Write(u64),
    /// Read this.
    Read(Option<u64>),
    /// Wrote `new` if the value was `expected`.
    CompareAndSet {
        /// What had to be there.
        expected: Option<u64>,
        /// What was written then.
        new: u64,
        /// The answer.
        outcome: SetOutcome,
    },
}

/// The answer to a compare-and-set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOutcome {
    /// It was applied.
    Applied,
    /// It was not, and this was there.
    Refused {
        /// The value that was there.
        seen: Option<u64>,
    },
    /// Nobody knows. The operation counts as without end, whatever its order numbers say.
    Unknown,
}

/// Checks that one key could have been a single register.
///
/// # Errors
///
/// It could not, or the limit of states was reached.
pub fn check_register(
    operations: &[Operation<RegisterAction>],
    max_states: usize,
) -> Result<(), OrderFailure> {
    let observed = observed_values(operations);
    // What nobody knows and nobody saw needs no place in the order: leaving it out leaves the
    // value before it, which no answer contradicts either.
    let places: Vec<usize> = (0..)
        .zip(operations)
        .filter(|(_, operation)| !is_unknown(operation) || is_observed(operation, &observed))
        .map(|(place, _)| place)
        .collect();
    let kept: Vec<Operation<RegisterAction>> = places
        .iter()
        .filter_map(|place| operations.get(*place))
        .map(|operation| Operation {
            returned: operation.returned.filter(|_| !is_unknown(operation)),
            ..operation.clone()
        })
        .collect();
    let named = |kept: &[usize]| {
        kept.iter()
            .filter_map(|it| places.get(*it))
            .copied()
            .collect()
    };
    match find_order(&Register, &kept, max_states) {
        Ok(_) => Ok(()),
        Err(OrderFailure::Impossible { longest, stuck }) => Err(OrderFailure::Impossible {
            longest: named(&longest),
            stuck: named(&stuck),
        }),
        Err(undecided @ OrderFailure::Undecided { .. }) => Err(undecided),
    }
}

/// Checks every key by itself, which is enough: a history is linearizable if each key is.
///
/// # Errors
///
/// The first key that fails, and why.
pub fn check_registers<K: Clone + Ord>(
    keys: &BTreeMap<K, Vec<Operation<RegisterAction>>>,
    max_states: usize,
) -> Result<(), (K, OrderFailure)> {
    for (key, operations) in keys {
        check_register(operations, max_states).map_err(|failure| (key.clone(), failure))?;
    }
    Ok(())
}

fn observed_values(operations: &[Operation<RegisterAction>]) -> BTreeSet<u64> {
    let mut observed = BTreeSet::new();
    for operation in operations {
        match &operation.action {
            RegisterAction::Write(_) => {}
            RegisterAction::Read(value) => observed.extend(value),
            RegisterAction::CompareAndSet {
                expected, outcome, ..
            } => {
                observed.extend(expected);
                if let SetOutcome::Refused { seen } = outcome {
                    observed.extend(seen);
                }
            }
        }
    }
    observed
}

fn is_unknown(operation: &Operation<RegisterAction>) -> bool {
    let unknown = SetOutcome::Unknown;
    operation.returned.is_none()
        || matches!(&operation.action, RegisterAction::CompareAndSet { outcome, .. } if *outcome == unknown)
}

fn is_observed(operation: &Operation<RegisterAction>, observed: &BTreeSet<u64>) -> bool {
    match &operation.action {
        RegisterAction::Write(value) => observed.contains(value),
        RegisterAction::Read(_) => false,
        RegisterAction::CompareAndSet { new, .. } => observed.contains(new),
    }
}

/// One register, at first without a value.
struct Register;

impl Specification for Register {
    type State = Option<u64>;
    type Action = RegisterAction;

    fn initial(&self) -> Option<u64> {
        None
    }

    fn apply(&self, state: &Option<u64>, action: &RegisterAction) -> Option<Option<u64>> {
        match action {
            RegisterAction::Write(value) => Some(Some(*value)),
            RegisterAction::Read(value) => (state == value).then_some(*state),
            RegisterAction::CompareAndSet {
                expected,
                new,
                outcome,
            } => match outcome {
                SetOutcome::Applied => (state == expected).then_some(Some(*new)),
                SetOutcome::Refused { seen } => {
                    (state == seen && state != expected).then_some(*state)
                }
                SetOutcome::Unknown => Some(if state == expected {
                    Some(*new)
                } else {
                    *state
                }),
            },
        }
    }
}
