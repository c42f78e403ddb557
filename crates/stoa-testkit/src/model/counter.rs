//! Counters: the one column kind whose answer depends on the order of writing.
//!
//! An increment is resolved on the server against the value it finds, so a counter is kept
//! as the ordered log of what happened to it, and played back together with the deletions of
//! its row, in the order in which all of them came. The rules (`Cells.resolveCounter`,
//! `CounterMutation` and CASSANDRA-7346):
//!
//! 1. An increment adds to the total it finds, and the later write time stays.
//! 2. A deletion of the row, a range or the partition removes a counter whose write time it
//!    shadows; the next increment starts from nothing.
//! 3. What a deletion already there shadows has no effect, increment or tombstone.
//! 4. A tombstone of the cell wins over any total, whatever their write times, and
//!    increments leave it. Of two tombstones the greater one stays.

#[cfg(test)]
mod tests;

use crate::facts::Deletion;
use crate::model::rules;

/// The place of a fact in the order in which a partition was written.
pub(crate) type Sequence = u64;

/// One thing that happened to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterEvent {
    /// An increment.
    Add {
        /// The write time.
        timestamp_micros: i64,
        /// What was added.
        delta: i64,
    },
    /// A tombstone of the cell.
    Delete(Deletion),
}

/// What a counter is after all that happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterState {
    /// A total.
    Total {
        /// The latest write time.
        timestamp_micros: i64,
        /// The sum.
        total: i64,
    },
    /// A tombstone.
    Tombstone(Deletion),
}

/// Plays the log of one counter together with the deletions that cover its row.
pub(crate) fn replay(
    log: &[(Sequence, CounterEvent)],
    deletions: &[(Sequence, Deletion)],
) -> Option<CounterState> {
    let mut happened: Vec<(Sequence, Happened)> = Vec::new();
    happened.extend(
        deletions
            .iter()
            .map(|(at, deletion)| (*at, Happened::Covering(*deletion))),
    );
    happened.extend(log.iter().map(|(at, event)| (*at, Happened::Event(*event))));
    happened.sort_by_key(|(at, _)| *at);

    let mut covering: Option<Deletion> = None;
    let mut state: Option<CounterState> = None;
    for (_, what) in happened {
        match what {
            Happened::Covering(deletion) => {
                covering = rules::winning_deletion(covering.into_iter().chain([deletion]));
                state = state.filter(|state| !rules::shadows(covering, state.timestamp_micros()));
            }
            Happened::Event(event) => {
                if !rules::shadows(covering, event.timestamp_micros()) {
                    state = Some(after(state, event));
                }
            }
        }
    }
    state
}

/// One thing that happened to a counter or to all of its row.
enum Happened {
    Covering(Deletion),
    Event(CounterEvent),
}

fn after(state: Option<CounterState>, event: CounterEvent) -> CounterState {
    match (state, event) {
        (
            None,
            CounterEvent::Add {
                timestamp_micros,
                delta,
            },
        ) => CounterState::Total {
            timestamp_micros,
            total: delta,
        },
        (
            Some(CounterState::Total {
                timestamp_micros: before,
                total,
            }),
            CounterEvent::Add {
                timestamp_micros,
                delta,
            },
        ) => CounterState::Total {
            timestamp_micros: before.max(timestamp_micros),
            total: total.wrapping_add(delta),
        },
        (Some(CounterState::Tombstone(deletion)), CounterEvent::Add { .. }) => {
            CounterState::Tombstone(deletion)
        }
        (Some(CounterState::Tombstone(before)), CounterEvent::Delete(deletion))
            if !rules::supersedes(deletion, Some(before)) =>
        {
            CounterState::Tombstone(before)
        }
        (_, CounterEvent::Delete(deletion)) => CounterState::Tombstone(deletion),
    }
}

impl CounterEvent {
    fn timestamp_micros(&self) -> i64 {
        match self {
            Self::Add {
                timestamp_micros, ..
            } => *timestamp_micros,
            Self::Delete(deletion) => deletion.timestamp_micros,
        }
    }
}

impl CounterState {
    fn timestamp_micros(&self) -> i64 {
        match self {
            Self::Total {
                timestamp_micros, ..
            } => *timestamp_micros,
            Self::Tombstone(deletion) => deletion.timestamp_micros,
        }
    }

    /// The one event that leads to this state from nothing.
    pub(crate) fn as_event(self) -> CounterEvent {
        match self {
            Self::Total {
                timestamp_micros,
                total,
            } => CounterEvent::Add {
                timestamp_micros,
                delta: total,
            },
            Self::Tombstone(deletion) => CounterEvent::Delete(deletion),
        }
    }
}
