//! What the workload does, drawn from a seed, and a plain model of what is stored after each step.
//!
//! Changes are numbered from 1 in the order of their commits. Every change also writes its number
//! to the *head* (a row, or a record when it changes the catalogue), so the head of a store says
//! which prefix of the changes it should hold, and the model says what that is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_store::commit::spill::value_hash;
use stoa_testkit::rng::Rng;

/// The table that holds the head; it is made first and never dropped.
pub(crate) const HEAD_TABLE: u64 = 1;
/// The table of counters.
pub(crate) const COUNTERS: u64 = 5;

/// How large a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Some dozens of changes: creation, flushes, compactions, purges, TRUNCATE, DROP, reopening.
    Small,
    /// Values so large that the journal is rotated, then small ones.
    Rotation,
    /// Forty batches in one journal.
    Journal,
    /// A few changes, for runs that are repeated for every call that can fail.
    Short,
}

impl Shape {
    pub(crate) const ALL: [Self; 4] = [Self::Small, Self::Rotation, Self::Journal, Self::Short];

    pub(crate) fn named(name: &str) -> Self {
        let same = |one: &Self| format!("{one:?}") == name;
        Self::ALL.into_iter().find(same).expect("a shape")
    }
}

/// One change to one partition.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Put { row: u8, bytes: u32 },
    PutStatic { bytes: u32 },
    PutElement { row: u8, path: u8, bytes: u32 },
    Count { row: u8, delta: i64 },
    DeleteRow { row: u8 },
    DeleteRange { from: u8, to: u8 },
    DeletePartition,
}

/// What one change does.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Batch(Vec<(u64, u8, Edit)>),
    Catalog {
        create: Vec<u64>,
        truncate: Vec<u64>,
        drop: Vec<u64>,
    },
}

/// One step of the workload.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Change {
        number: u64,
        kind: Kind,
    },
    Flush,
    Compact(u64),
    Purge,
    Housekeep,
    Sync,
    /// Closes the store, or only lets go of it, and opens it again.
    Reopen {
        cleanly: bool,
    },
}

/// A visible column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Value(u64, usize),
    Counter(i64),
    Elements(BTreeMap<Vec<u8>, (u64, usize)>),
}

/// Table, partition, and the clustering unless it is the static row.
pub(crate) type Spot = (u64, Vec<u8>, Option<Vec<u8>>);

/// Everything that can be seen of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) head: u64,
    pub(crate) tables: BTreeSet<u64>,
    pub(crate) rows: BTreeMap<Spot, BTreeMap<u32, Shown>>,
}

impl Content {
    /// The first thing in which two contents differ.
    pub(crate) fn difference(&self, found: &Self) -> Option<String> {
        if self.tables != found.tables {
            return Some(format!("tables {:?}, not {:?}", found.tables, self.tables));
        }
        let spots: BTreeSet<&Spot> = self.rows.keys().chain(found.rows.keys()).collect();
        let unlike = |spot: &&&Spot| self.rows.get(**spot) != found.rows.get(**spot);
        let spot = spots.iter().find(unlike)?;
        let (right, wrong) = (self.rows.get(*spot), found.rows.get(*spot));
        Some(format!("{spot:?} holds {wrong:?}, not {right:?}"))
    }
}

/// The workload of one seed.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    states: Vec<Arc<Content>>,
}

impl Plan {
    pub(crate) fn new(shape: Shape, seed: u64) -> Self {
        let mut author = Author {
            rng: Rng::new(seed ^ 0x0da3_a6e5),
            steps: Vec::new(),
            number: 0,
            sparing: shape == Shape::Journal,
        };
        match shape {
            Shape::Small => author.write_small(),
            Shape::Rotation => author.write_rotation(),
            Shape::Journal => author.write_journal(),
            Shape::Short => author.write_short(),
        }
        Self::of_steps(author.steps)
    }

    fn of_steps(steps: Vec<Step>) -> Self {
        let mut states = vec![Arc::new(Content::default())];
        let mut state = Content::default();
        for step in &steps {
            if let Step::Change { number, kind } = step {
                apply(&mut state, *number, kind);
                states.push(Arc::new(state.clone()));
            }
        }
        Self { steps, states }
    }

    /// The number of the last change.
    pub(crate) fn last(&self) -> u64 {
        self.states.len() as u64 - 1
    }

    /// What is stored after this change.
    pub(crate) fn state(&self, number: u64) -> Option<&Content> {
        let state = self.states.get(usize::try_from(number).ok()?)?;
        Some(state)
    }
}

/// The bytes that a change puts at a place.
pub(crate) fn value(number: u64, partition: u8, row: u8, bytes: u32) -> Vec<u8> {
    let mut rng = Rng::new(number << 16 | u64::from(partition) << 8 | u64::from(row));
    let mut value = number.to_be_bytes().to_vec();
    while value.len() < bytes as usize {
        value.extend_from_slice(&rng.next_u64().to_be_bytes());
    }
    value.truncate((bytes as usize).max(8));
    value
}

/// The stored form of a row number: byte-comparable, never a position.
pub(crate) fn clustering(row: u8) -> Vec<u8> {
    vec![0x40, row, 0x38]
}

/// A position below the row with this number.
pub(crate) fn position(row: u8) -> Vec<u8> {
    vec![0x40, row]
}

fn apply(state: &mut Content, number: u64, kind: &Kind) {
    state.head = number;
    match kind {
        Kind::Batch(edits) => {
            for (table, partition, edit) in edits {
                apply_edit(state, number, (*table, *partition), edit);
            }
        }
        Kind::Catalog {
            create,
            truncate,
            drop,
        } => {
            let gone: BTreeSet<u64> = truncate.iter().chain(drop).copied().collect();
            state.rows.retain(|(table, _, _), _| !gone.contains(table));
            state.tables.retain(|table| !drop.contains(table));
            state.tables.extend(create);
        }
    }
}

fn apply_edit(state: &mut Content, number: u64, (table, partition): (u64, u8), edit: &Edit) {
    let spot = |row: Option<u8>| (table, vec![partition], row.map(clustering));
    let shown = |row: u8, bytes: u32| {
        let value = value(number, partition, row, bytes);
        (value_hash(&value), value.len())
    };
    match edit {
        Edit::Put { row, bytes } => {
            let (hash, length) = shown(*row, *bytes);
            let columns = state.rows.entry(spot(Some(*row))).or_default();
            columns.insert(1, Shown::Value(hash, length));
        }
        Edit::PutStatic { bytes } => {
            let (hash, length) = shown(0, *bytes);
            let columns = state.rows.entry(spot(None)).or_default();
            columns.insert(4, Shown::Value(hash, length));
        }
        Edit::PutElement { row, path, bytes } => {
            let columns = state.rows.entry(spot(Some(*row))).or_default();
            let elements = columns
                .entry(2)
                .or_insert_with(|| Shown::Elements(BTreeMap::new()));
            if let Shown::Elements(elements) = elements {
                elements.insert(vec![*path], shown(*row, *bytes));
            }
        }
        Edit::Count { row, delta } => {
            let columns = state.rows.entry(spot(Some(*row))).or_default();
            if let Shown::Counter(total) = columns.entry(3).or_insert(Shown::Counter(0)) {
                *total += delta;
            }
        }
        Edit::DeleteRow { row } => {
            state.rows.remove(&spot(Some(*row)));
        }
        Edit::DeleteRange { from, to } => {
            let (from, to) = (position(*from), position(*to));
            state.rows.retain(|(t, p, row), _| {
                let inside = row.as_ref().is_some_and(|row| from <= *row && *row < to);
                !(*t == table && *p == [partition] && inside)
            });
        }
        Edit::DeletePartition => {
            state
                .rows
                .retain(|(t, p, _), _| !(*t == table && *p == [partition]));
        }
    }
}

struct Author {
    rng: Rng,
    steps: Vec<Step>,
    number: u64,
    /// Only small values.
    sparing: bool,
}

impl Author {
    fn change(&mut self, kind: Kind) {
        self.number += 1;
        let number = self.number;
        self.steps.push(Step::Change { number, kind });
    }

    fn catalog(&mut self, create: &[u64], truncate: &[u64], drop: &[u64]) {
        self.change(Kind::Catalog {
            create: create.to_vec(),
            truncate: truncate.to_vec(),
            drop: drop.to_vec(),
        });
    }

    fn batches(&mut self, count: usize, tables: &[u64]) {
        for _ in 0..count {
            let edits = 1 + self.rng.below(if self.sparing { 2 } else { 4 });
            let edits = (0..edits).map(|_| self.edit(tables)).collect();
            self.change(Kind::Batch(edits));
        }
    }

    fn edit(&mut self, tables: &[u64]) -> (u64, u8, Edit) {
        let rng = &mut self.rng;
        let table = rng.pick(tables).copied().unwrap_or(HEAD_TABLE);
        let (partition, row) = (rng.below(4) as u8, rng.below(12) as u8);
        if table == COUNTERS {
            let delta = rng.between(-50, 100);
            return (table, partition, Edit::Count { row, delta });
        }
        let bytes = match rng.below(20) {
            _ if self.sparing => 8 + rng.below(60) as u32,
            0 => 9_000,
            1 => 4_500,
            2..=5 => 700,
            _ => 8 + rng.below(60) as u32,
        };
        let edit = match rng.below(20) {
            0 => Edit::DeletePartition,
            1 | 2 => Edit::DeleteRange {
                from: row,
                to: row + 1 + rng.below(6) as u8,
            },
            3 => Edit::DeleteRow { row },
            4 | 5 => Edit::PutStatic { bytes },
            6..=9 => Edit::PutElement {
                row,
                path: rng.below(5) as u8,
                bytes,
            },
            _ => Edit::Put { row, bytes },
        };
        (table, partition, edit)
    }

    fn write_small(&mut self) {
        self.catalog(&[1, 2, 3, COUNTERS], &[], &[]);
        self.batches(10, &[1, 2, 3, COUNTERS]);
        self.steps.push(Step::Housekeep);
        self.batches(4, &[1, 2, 3, COUNTERS]);
        self.steps.push(Step::Flush);
        self.batches(5, &[1, 2, 3, COUNTERS]);
        self.steps.extend([Step::Housekeep, Step::Sync]);
        self.catalog(&[4], &[2], &[]);
        self.batches(6, &[1, 2, 3, 4, COUNTERS]);
        self.steps.extend([Step::Flush, Step::Compact(1)]);
        self.steps.push(Step::Reopen { cleanly: true });
        self.batches(6, &[1, 2, 3, 4, COUNTERS]);
        self.catalog(&[], &[4], &[3]);
        self.steps.extend([Step::Purge, Step::Housekeep]);
        self.batches(6, &[1, 2, 4, COUNTERS]);
        self.steps.push(Step::Reopen { cleanly: false });
        self.batches(5, &[1, 2, 4, COUNTERS]);
        self.steps.extend([Step::Flush, Step::Compact(2)]);
        self.batches(3, &[1, 2, 4, COUNTERS]);
        self.steps.push(Step::Reopen { cleanly: true });
        self.batches(3, &[1, 2, 4, COUNTERS]);
    }

    fn write_rotation(&mut self) {
        self.catalog(&[1, 2], &[], &[]);
        self.batches(2, &[1, 2]);
        for row in 0..9 {
            let bytes = 8_000_000;
            let edits = vec![(
                2,
                0,
                Edit::Put {
                    row: row % 2,
                    bytes,
                },
            )];
            self.change(Kind::Batch(edits));
        }
        let to = 200;
        self.change(Kind::Batch(vec![(2, 0, Edit::DeleteRange { from: 0, to })]));
        self.steps.extend([Step::Flush, Step::Housekeep]);
        self.batches(4, &[1, 2]);
        self.steps
            .extend([Step::Flush, Step::Purge, Step::Housekeep]);
        self.batches(3, &[1, 2]);
        self.steps.push(Step::Reopen { cleanly: false });
        self.batches(2, &[1, 2]);
    }

    fn write_journal(&mut self) {
        self.catalog(&[1, 2, COUNTERS], &[], &[]);
        self.batches(20, &[1, 2, COUNTERS]);
        self.steps.push(Step::Housekeep);
        self.batches(20, &[1, 2, COUNTERS]);
    }

    fn write_short(&mut self) {
        self.catalog(&[1, 2, COUNTERS], &[], &[]);
        self.batches(5, &[1, 2, COUNTERS]);
        self.steps.extend([Step::Housekeep, Step::Flush]);
        self.batches(3, &[1, 2, COUNTERS]);
        self.catalog(&[3], &[2], &[]);
        self.steps.extend([Step::Flush, Step::Compact(1)]);
        self.steps.push(Step::Housekeep);
        self.batches(4, &[1, 2, 3, COUNTERS]);
        self.steps.push(Step::Purge);
        self.batches(2, &[1, 2, 3, COUNTERS]);
    }
}
