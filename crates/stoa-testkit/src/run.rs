//! Runs a history against the model and against something that claims to behave like it.
//!
//! A driver only translates: it implements [`Subject`] in the engine's own words. Every
//! answer is compared as it comes, and when the steps are over all tables are compared once
//! more.

use std::collections::BTreeMap;
use std::fmt;

use crate::answer::{Difference, PartitionAnswer, compare, compare_rows};
use crate::facts::TableId;
use crate::model::Model;
use crate::operations::{CompareAndSet, CompareAndSetAnswer, ModelBatch, Read};
use crate::text::bytes_text;
use crate::workload::{History, Step};

/// What is tested. Any error ends the run as a failure.
pub trait Subject {
    /// A view of the database that later writes do not change.
    type Snapshot;
    /// What can go wrong.
    type Error: fmt::Display;

    /// Sets the clock that background work may look at.
    fn set_clock(&mut self, now_seconds: i64) -> Result<(), Self::Error>;
    /// Makes a batch.
    fn write(&mut self, batch: &ModelBatch) -> Result<(), Self::Error>;
    /// Makes a conditional write.
    fn compare_and_set(
        &mut self,
        request: &CompareAndSet,
    ) -> Result<CompareAndSetAnswer, Self::Error>;
    /// Reads a partition, in pages if asked, and puts the pages together.
    fn read(&mut self, read: &Read) -> Result<PartitionAnswer, Self::Error>;
    /// Reads every partition of a table that shows anything, in any order.
    fn scan(
        &mut self,
        table: TableId,
        now_seconds: i64,
    ) -> Result<Vec<(Vec<u8>, PartitionAnswer)>, Self::Error>;
    /// Writes memory to disk.
    fn flush(&mut self) -> Result<(), Self::Error>;
    /// Merges files.
    fn compact(&mut self) -> Result<(), Self::Error>;
    /// Purges all tables fully.
    fn purge(&mut self, now_seconds: i64, gc_grace_seconds: i64) -> Result<(), Self::Error>;
    /// Closes and opens the database.
    fn reopen(&mut self) -> Result<(), Self::Error>;
    /// Empties a table.
    fn truncate(&mut self, table: TableId) -> Result<(), Self::Error>;
    /// Takes a snapshot.
    fn open_snapshot(&mut self) -> Result<Self::Snapshot, Self::Error>;
    /// Reads a partition as of a snapshot.
    fn read_snapshot(
        &mut self,
        snapshot: &Self::Snapshot,
        read: &Read,
    ) -> Result<PartitionAnswer, Self::Error>;
}

/// How often a run met what is worth meeting. A test over many seeds adds them up and fails
/// where one stays 0, for then it tests less than it claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Batches written.
    pub writes: u64,
    /// Reads that showed something.
    pub full_reads: u64,
    /// Reads that showed nothing.
    pub empty_reads: u64,
    /// Reads as of a snapshot.
    pub snapshot_reads: u64,
    /// Conditional writes applied.
    pub applied: u64,
    /// Conditional writes refused.
    pub refused: u64,
    /// Purges that forgot something.
    pub purges: u64,
    /// Clock jumps.
    pub jumps: u64,
}

impl Coverage {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.writes += other.writes;
        self.full_reads += other.full_reads;
        self.empty_reads += other.empty_reads;
        self.snapshot_reads += other.snapshot_reads;
        self.applied += other.applied;
        self.refused += other.refused;
        self.purges += other.purges;
        self.jumps += other.jumps;
    }

    /// The names of what was never met.
    pub fn gaps(&self) -> Vec<&'static str> {
        let counts = [
            ("writes", self.writes),
            ("full reads", self.full_reads),
            ("empty reads", self.empty_reads),
            ("snapshot reads", self.snapshot_reads),
            ("applied", self.applied),
            ("refused", self.refused),
            ("purges", self.purges),
            ("jumps", self.jumps),
        ];
        counts
            .iter()
            .filter(|(_, count)| *count == 0)
            .map(|(name, _)| *name)
            .collect()
    }
}

/// The first step at which a subject failed or answered otherwise than the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// The position of the step; the number of steps if it was the comparison at the end.
    pub step: usize,
    /// What happened.
    pub what: String,
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

impl std::error::Error for RunFailure {}

/// Runs a history.
///
/// # Errors
///
/// The first wrong answer or error of the subject.
pub fn run<S: Subject>(history: &History, subject: &mut S) -> Result<Coverage, RunFailure> {
    let mut run = Run {
        subject,
        model: Model::new(),
        snapshots: BTreeMap::new(),
        coverage: Coverage::default(),
        now_seconds: history.start_seconds,
    };
    let failed = |step| move |what| RunFailure { step, what };
    run.set_clock(history.start_seconds).map_err(failed(0))?;
    for (index, step) in history.steps.iter().enumerate() {
        let failed = |what| RunFailure {
            step: index,
            what: format!("{step}: {what}"),
        };
        run.step(step).map_err(failed)?;
    }
    for table in &history.tables {
        run.scan(table.id, run.now_seconds)
            .map_err(failed(history.steps.len()))?;
    }
    Ok(run.coverage)
}

struct Run<'subject, S: Subject> {
    subject: &'subject mut S,
    model: Model,
    /// Each snapshot with the model as it was.
    snapshots: BTreeMap<u8, (S::Snapshot, Model)>,
    coverage: Coverage,
    now_seconds: i64,
}

impl<S: Subject> Run<'_, S> {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Write(batch) => {
                self.coverage.writes += 1;
                self.model.write(batch);
                self.subject.write(batch).map_err(text)
            }
            Step::CompareAndSet(request) => self.compare_and_set(request),
            Step::Read(read) => self.read(read),
            Step::Scan { table, now_seconds } => self.scan(*table, *now_seconds),
            Step::AdvanceClock { now_seconds } => self.set_clock(*now_seconds),
            Step::JumpClock { now_seconds, .. } => {
                self.coverage.jumps += 1;
                self.set_clock(*now_seconds)
            }
            Step::Flush => self.subject.flush().map_err(text),
            Step::Compact => self.subject.compact().map_err(text),
            Step::Purge {
                now_seconds,
                gc_grace_seconds,
            } => self.purge(*now_seconds, *gc_grace_seconds),
            Step::Reopen => self.subject.reopen().map_err(text),
            Step::Truncate(table) => {
                self.model.truncate(*table);
                self.subject.truncate(*table).map_err(text)
            }
            Step::OpenSnapshot { slot } => {
                let snapshot = self.subject.open_snapshot().map_err(text)?;
                self.snapshots.insert(*slot, (snapshot, self.model.clone()));
                Ok(())
            }
            Step::ReadSnapshot { slot, read } => self.read_snapshot(*slot, read),
            Step::CloseSnapshot { slot } => {
                self.snapshots.remove(slot);
                Ok(())
            }
        }
    }

    fn set_clock(&mut self, now_seconds: i64) -> Result<(), String> {
        self.now_seconds = now_seconds;
        self.subject.set_clock(now_seconds).map_err(text)
    }

    fn purge(&mut self, now_seconds: i64, gc_grace_seconds: i64) -> Result<(), String> {
        self.set_clock(now_seconds)?;
        let facts = self.model.fact_count();
        self.model.purge(now_seconds, gc_grace_seconds);
        self.coverage.purges += u64::from(self.model.fact_count() < facts);
        self.subject
            .purge(now_seconds, gc_grace_seconds)
            .map_err(text)
    }

    fn compare_and_set(&mut self, request: &CompareAndSet) -> Result<(), String> {
        let expected = self.model.compare_and_set(request);
        let got = self.subject.compare_and_set(request).map_err(text)?;
        let count = if expected.applied {
            &mut self.coverage.applied
        } else {
            &mut self.coverage.refused
        };
        *count += 1;
        compare_rows("row seen", expected.seen.as_ref(), got.seen.as_ref()).map_err(text)?;
        if expected.applied != got.applied {
            return Err(format!(
                "applied: expected {}, got {}",
                expected.applied, got.applied
            ));
        }
        Ok(())
    }

    fn read(&mut self, read: &Read) -> Result<(), String> {
        let expected = self.model.read(read);
        let count = match expected.is_empty() {
            true => &mut self.coverage.empty_reads,
            false => &mut self.coverage.full_reads,
        };
        *count += 1;
        let got = self.subject.read(read).map_err(text)?;
        compare(&expected, &got).map_err(text)
    }

    fn read_snapshot(&mut self, slot: u8, read: &Read) -> Result<(), String> {
        let Some((snapshot, model)) = self.snapshots.get(&slot) else {
            return Ok(());
        };
        self.coverage.snapshot_reads += 1;
        let got = self.subject.read_snapshot(snapshot, read).map_err(text)?;
        compare(&model.read(read), &got).map_err(text)
    }

    fn scan(&mut self, table: TableId, now_seconds: i64) -> Result<(), String> {
        let expected = self.model.scan(table, now_seconds);
        let got = self.subject.scan(table, now_seconds).map_err(text)?;
        compare_scans(&expected, got).map_err(|difference| format!("table {table} {difference}"))
    }
}

fn compare_scans(
    expected: &[(Vec<u8>, PartitionAnswer)],
    mut got: Vec<(Vec<u8>, PartitionAnswer)>,
) -> Result<(), Difference> {
    got.sort_by(|(left, _), (right, _)| left.cmp(right));
    let keys = |answers: &[(Vec<u8>, PartitionAnswer)]| -> Vec<String> {
        answers.iter().map(|(key, _)| bytes_text(key)).collect()
    };
    let (expected_keys, got_keys) = (keys(expected), keys(&got));
    if expected_keys != got_keys {
        return Err(Difference {
            place: "partitions".to_owned(),
            expected: expected_keys.join(" "),
            got: got_keys.join(" "),
        });
    }
    for ((key, expected), (_, got)) in expected.iter().zip(&got) {
        compare(expected, got).map_err(|difference| Difference {
            place: format!("partition {} {}", bytes_text(key), difference.place),
            ..difference
        })?;
    }
    Ok(())
}

fn text(error: impl fmt::Display) -> String {
    error.to_string()
}
