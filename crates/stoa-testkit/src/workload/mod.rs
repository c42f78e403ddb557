//! Random histories of a database, each from one seed.
//!
//! [`History::generate`] turns a seed and a [`Shape`] into a list of [`Step`]s. Each seed
//! switches whole kinds of steps, changes and write times off and weighs the others anew
//! ("swarm"), because a mix of everything rarely goes deep into anything. Keys, paths and
//! values come from small pools, so that they collide.
//!
//! **The discipline of the grace.** A store may purge by itself, at a flush or a compaction,
//! whatever is older than the grace, and then late writes with old write times show again.
//! For answers to be exact, nothing may ever be purgeable but at a [`Step::Purge`]. So the
//! generator's clock moves in small steps, and where a move would pass the grace of any
//! deletion or expiry still around, the move becomes a `Purge` step, at which the store must
//! purge fully, as the model does. [`History::keeps_grace`] checks this; the shrinker only
//! tries histories that keep it.

mod conditions;
mod generator;
mod grace;
mod print;
mod shape;
mod swarm;
#[cfg(test)]
mod tests;
mod writes;

use std::fmt;

pub use crate::workload::shape::{
    ColumnKind, ColumnPlace, ColumnShape, Shape, TableKind, TableShape,
};

use crate::facts::TableId;
use crate::operations::{CompareAndSet, ModelBatch, Read};

/// One thing a client, an operator or the world does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes a batch.
    Write(ModelBatch),
    /// Writes if a condition holds.
    CompareAndSet(CompareAndSet),
    /// Reads a partition.
    Read(Read),
    /// Reads all of a table.
    Scan {
        /// The table.
        table: TableId,
        /// The time at which expiry is judged.
        now_seconds: i64,
    },
    /// Time passes.
    AdvanceClock {
        /// The time from now on.
        now_seconds: i64,
    },
    /// The wall clock misbehaves.
    JumpClock {
        /// How.
        jump: Jump,
        /// The time from now on.
        now_seconds: i64,
    },
    /// Memory goes to disk. Changes no answer.
    Flush,
    /// Files are merged. Changes no answer.
    Compact,
    /// Time passes, and then everything purgeable is purged, in all tables.
    Purge {
        /// The time from now on.
        now_seconds: i64,
        /// The grace.
        gc_grace_seconds: i64,
    },
    /// The database is closed and opened. Changes no answer.
    Reopen,
    /// A table is emptied.
    Truncate(TableId),
    /// A snapshot is taken.
    OpenSnapshot {
        /// Its name.
        slot: u8,
    },
    /// Reads as of a snapshot; nothing to do if it is not open.
    ReadSnapshot {
        /// The snapshot's name.
        slot: u8,
        /// The read.
        read: Read,
    },
    /// A snapshot is given up.
    CloseSnapshot {
        /// Its name.
        slot: u8,
    },
}

/// How a wall clock misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Back by ten years.
    Back,
    /// Forward by a year.
    Forward,
    /// It stands still for some steps.
    Freeze,
}

/// A list of steps and what they were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The seed.
    pub seed: u64,
    /// The tables written to.
    pub tables: Vec<TableShape>,
    /// The time before the first step.
    pub start_seconds: i64,
    /// The grace of all tables.
    pub gc_grace_seconds: i64,
    /// The steps.
    pub steps: Vec<Step>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::step_text(self))
    }
}

impl History {
    /// The history of a seed: always the same one for the same shape.
    pub fn generate(seed: u64, shape: &Shape) -> Self {
        generator::generate(seed, shape)
    }

    /// The same history with other steps.
    pub fn with_steps(&self, steps: &[Step]) -> Self {
        Self {
            steps: steps.to_vec(),
            tables: self.tables.clone(),
            ..*self
        }
    }

    /// Whether nothing is ever purgeable but at a purge.
    pub fn keeps_grace(&self) -> bool {
        grace::is_kept(self)
    }

    /// The history as text, one line a step, the seed first.
    pub fn print(&self) -> String {
        print::history_text(self)
    }
}
