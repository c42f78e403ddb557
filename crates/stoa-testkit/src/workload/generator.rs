//! Turns a seed into a history.

use std::collections::BTreeSet;

use crate::facts::{Interval, TableId};
use crate::operations::{Order, Read};
use crate::rng::Rng;
use crate::workload::grace::Grace;
use crate::workload::shape::{Shape, TableShape};
use crate::workload::swarm::StepKind;
use crate::workload::writes::Writer;
use crate::workload::{History, Jump, Step};

const YEAR_SECONDS: i64 = 31_536_000;

/// The clock turns back here, so that the longest time to live still ends before 2106, the
/// last year Cassandra 5.0 can express.
const LATEST_SECONDS: i64 = 2_600_000_000;

/// How many snapshots may be open at once.
const SNAPSHOTS: u8 = 3;

pub(crate) fn generate(seed: u64, shape: &Shape) -> History {
    let mut rng = Rng::new(seed);
    let gc_grace_seconds = rng.pick(&shape.gc_graces_seconds).copied().unwrap_or(0);
    let mut generator = Generator {
        writer: Writer::new(rng, shape),
        gc_grace_seconds,
        grace: Grace::new(gc_grace_seconds),
        frozen_steps: 0,
        snapshots: BTreeSet::new(),
        steps: Vec::new(),
    };
    while generator.steps.len() < shape.steps {
        generator.step();
    }
    History {
        seed,
        tables: shape.tables.clone(),
        start_seconds: shape.start_seconds,
        gc_grace_seconds,
        steps: generator.steps,
    }
}

struct Generator<'shape> {
    writer: Writer<'shape>,
    gc_grace_seconds: i64,
    grace: Grace,
    /// For so many steps the clock stands still.
    frozen_steps: u64,
    snapshots: BTreeSet<u8>,
    steps: Vec<Step>,
}

impl Generator<'_> {
    fn step(&mut self) {
        self.frozen_steps = self.frozen_steps.saturating_sub(1);
        let kind = self.writer.rng.weighted(&self.writer.swarm.steps).copied();
        match kind.unwrap_or(StepKind::Write) {
            StepKind::Write => self.write(),
            StepKind::CompareAndSet => self.compare_and_set(),
            StepKind::Read => {
                let read = self.read();
                self.steps.extend(read.map(Step::Read));
            }
            StepKind::Scan => {
                let now_seconds = self.writer.now_seconds;
                let table = self.table();
                self.steps
                    .extend(table.map(|table| Step::Scan { table, now_seconds }));
            }
            StepKind::Advance => self.advance(),
            StepKind::JumpBack => self.jump(Jump::Back, -10 * YEAR_SECONDS),
            StepKind::JumpForward => self.jump(Jump::Forward, YEAR_SECONDS),
            StepKind::Freeze => {
                self.frozen_steps = 1 + self.writer.rng.below(20);
                self.jump(Jump::Freeze, 0);
            }
            StepKind::Flush => self.steps.push(Step::Flush),
            StepKind::Compact => self.steps.push(Step::Compact),
            StepKind::Purge => self.purge(),
            StepKind::Reopen => {
                self.close_snapshots();
                self.steps.push(Step::Reopen);
            }
            StepKind::Truncate => {
                self.close_snapshots();
                let table = self.table();
                self.steps.extend(table.map(Step::Truncate));
            }
            StepKind::OpenSnapshot => self.open_snapshot(),
            StepKind::ReadSnapshot => self.read_snapshot(),
            StepKind::CloseSnapshot => {
                if let Some(slot) = self.snapshots.pop_first() {
                    self.steps.push(Step::CloseSnapshot { slot });
                }
            }
        }
    }

    fn write(&mut self) {
        let batch = self.writer.batch();
        batch
            .mutations
            .iter()
            .for_each(|mutation| self.grace.note(mutation));
        self.steps.push(Step::Write(batch));
    }

    fn compare_and_set(&mut self) {
        if let Some(request) = self.writer.compare_and_set() {
            self.grace.note(&request.mutation);
            self.steps.push(Step::CompareAndSet(request));
        }
    }

    fn table(&mut self) -> Option<TableId> {
        let tables: &[TableShape] = &self.writer.shape.tables;
        self.writer.rng.pick(tables).map(|table| table.id)
    }

    fn read(&mut self) -> Option<Read> {
        let table = self.table()?;
        let slices = self.slices();
        let rng = &mut self.writer.rng;
        let partition = rng.pick(&self.writer.shape.partitions)?.clone();
        // A request may bring its own time; it never purges.
        let ahead_seconds = if rng.chance(10) {
            rng.between(1, 700)
        } else {
            0
        };
        Some(Read {
            table,
            partition,
            now_seconds: self.writer.now_seconds.saturating_add(ahead_seconds),
            slices,
            order: if rng.chance(30) {
                Order::Reversed
            } else {
                Order::Forward
            },
            limit: if rng.chance(40) {
                rng.pick(&[1, 2, 3, 7]).copied()
            } else {
                None
            },
            page_rows: if rng.chance(50) {
                rng.pick(&[1, 2, 7, 5_000]).copied()
            } else {
                None
            },
        })
    }

    /// Sorted and disjoint intervals, most of the time only one.
    fn slices(&mut self) -> Vec<Interval> {
        if self.writer.rng.chance(40) {
            return vec![Interval::all()];
        }
        if self.writer.rng.chance(60) {
            return vec![self.writer.interval()];
        }
        let count = 2 + 2 * self.writer.rng.index(2);
        let bounds = self.writer.bounds(count + 1);
        let mut bounds = bounds.into_iter();
        let mut slices = Vec::new();
        while let Some(start) = bounds.next() {
            slices.push(Interval {
                start,
                end: bounds.next(),
            });
        }
        slices
    }

    fn advance(&mut self) {
        if self.frozen_steps == 0 {
            let expiry = self
                .next_expiry_seconds()
                .filter(|_| self.writer.rng.chance(40));
            let now_seconds = expiry.unwrap_or_else(|| {
                let most_seconds = self.writer.rng.weighted(&[(70, 3), (25, 60), (5, 3_600)]);
                let most_seconds = most_seconds.copied().unwrap_or(1);
                self.writer.now_seconds + self.writer.rng.between(1, most_seconds)
            });
            self.move_clock(now_seconds, Step::AdvanceClock { now_seconds });
        }
    }

    /// The second in which the next thing expires, or the last one before: where an answer
    /// changes, off by one shows.
    fn next_expiry_seconds(&mut self) -> Option<i64> {
        let now_seconds = self.writer.now_seconds;
        let end_seconds = self.grace.next_end_seconds(now_seconds)?;
        let at_seconds = end_seconds - i64::from(self.writer.rng.chance(40));
        (at_seconds > now_seconds && at_seconds <= now_seconds + 1_000).then_some(at_seconds)
    }

    fn jump(&mut self, jump: Jump, by_seconds: i64) {
        let now_seconds = self.writer.now_seconds + by_seconds;
        if now_seconds <= LATEST_SECONDS && now_seconds > 0 {
            self.move_clock(now_seconds, Step::JumpClock { jump, now_seconds });
        }
    }

    /// Makes the move, or a purge of it if the move would pass the grace of anything.
    fn move_clock(&mut self, now_seconds: i64, step: Step) {
        if self.grace.is_passed_at(now_seconds) {
            self.purge_at(now_seconds);
        } else {
            self.writer.now_seconds = now_seconds;
            self.steps.push(step);
        }
    }

    /// Most purges come late enough to forget every deletion made so far.
    fn purge(&mut self) {
        let wait_seconds = if self.writer.rng.chance(70) {
            self.gc_grace_seconds + 1
        } else {
            0
        };
        let wait_seconds = wait_seconds + self.writer.rng.between(0, 5);
        self.purge_at(self.writer.now_seconds + wait_seconds);
        if self.writer.now_seconds > LATEST_SECONDS {
            self.jump(Jump::Back, -10 * YEAR_SECONDS);
        }
    }

    fn purge_at(&mut self, now_seconds: i64) {
        self.writer.now_seconds = now_seconds;
        self.grace.purge(now_seconds);
        let gc_grace_seconds = self.gc_grace_seconds;
        self.steps.push(Step::Purge {
            now_seconds,
            gc_grace_seconds,
        });
    }

    fn open_snapshot(&mut self) {
        let free = (0..SNAPSHOTS).find(|slot| !self.snapshots.contains(slot));
        if let Some(slot) = free {
            self.snapshots.insert(slot);
            self.steps.push(Step::OpenSnapshot { slot });
        }
    }

    fn read_snapshot(&mut self) {
        let open: Vec<u8> = self.snapshots.iter().copied().collect();
        if let (Some(slot), Some(read)) = (self.writer.rng.pick(&open).copied(), self.read()) {
            self.steps.push(Step::ReadSnapshot { slot, read });
        }
    }

    /// No snapshot outlives the tables or the process it was taken in.
    fn close_snapshots(&mut self) {
        while let Some(slot) = self.snapshots.pop_first() {
            self.steps.push(Step::CloseSnapshot { slot });
        }
    }
}
