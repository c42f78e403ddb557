//! E10: `kill -9` under two writers, two readers and compactions, at a random moment.
//!
//! The child says every begin and end of an operation in one line; the order of the lines is the
//! order in real time. After the kill the parent opens the folder, adds what it finds as the last
//! reads, and checks the whole history: batches are whole, what was acknowledged or read is there,
//! and conditional writes had one order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{CellRef, CellState, ColumnId, ColumnRef, RowRef, ValueRef};
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Partition;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{CommitMode, Options, Store, StoreError, View};
use stoa_testkit::history::order::Operation;
use stoa_testkit::history::register::{RegisterAction, SetOutcome, check_register};
use stoa_testkit::powercut::Workshop;
use stoa_testkit::rng::Rng;
use stoa_types::clock::SystemClock;

use super::child::{self, Talker};
use super::suite::{Effort, WORKERS, shared};
use super::tally::{Tally, Verdict};
use super::verify::guarded;

const TABLES: u64 = 3;
const WRITERS: u64 = 2;
const READERS: u64 = 2;
/// Cells of each writer, over all tables; a batch sets all of them.
const CELLS: u64 = 6;
const REGISTERS: u64 = 2;
const ROW: &[u8] = b"\x40row\x38";
const MAX_STATES: usize = 2_000_000;
/// A folder is killed so often before a new one is begun.
const KILLS_PER_FOLDER: u64 = 10;

/// Cell `cell` of writer `writer`; conditional registers count as writer `WRITERS`.
fn place(writer: u64, cell: u64) -> (TableId, PartitionKey) {
    let key = PartitionKey::new(&[writer as u8, cell as u8]).expect("a short key");
    (TableId(cell % TABLES + 1), key)
}

fn set(writer: u64, cell: u64, timestamp: i64, number: u64) -> PartitionUpdate {
    // Large enough that flushes happen.
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.resize(400, cell as u8);
    let state = CellState::Live(ValueRef::Inline(&bytes));
    let cell_content = ColumnRef::Cell(CellRef { timestamp, state });
    let row = PackedRow::encode(&RowRef {
        columns: vec![(ColumnId(1), cell_content)],
        ..RowRef::default()
    });
    let (table, key) = place(writer, cell);
    PartitionUpdate::new(table, key).row(ROW.to_vec(), row.expect("a row"))
}

fn number_in(partition: &Partition<'_>) -> Result<Option<u64>, StoreError> {
    let Some(row) = partition.row(ROW)? else {
        return Ok(None);
    };
    let visible = row.visible(0)?;
    match visible.as_ref().and_then(|row| row.columns.first()) {
        Some((_, ColumnRef::Cell(cell))) => match cell.value() {
            Some(ValueRef::Inline(bytes)) => {
                Ok(bytes.first_chunk().copied().map(u64::from_be_bytes))
            }
            other => panic!("a cell holds {other:?}"),
        },
        other => panic!("a row holds {other:?}"),
    }
}

fn get(view: &View, writer: u64, cell: u64) -> Result<Option<u64>, StoreError> {
    let (table, key) = place(writer, cell);
    number_in(&view.partition(table, key)?)
}

fn open(folder: &Path, background: bool) -> Result<Store, StoreError> {
    let options = Options {
        commit_mode: CommitMode::Group,
        write_buffer_bytes: 16 << 10,
        cache_bytes: 1 << 20,
        background,
    };
    Store::open(folder, options, Arc::new(SystemClock::new()))
}

/// The child: works until it is killed. Numbers go on from `first`.
pub(crate) fn run_child(words: &[String]) {
    let [folder, first] = words else {
        panic!("a folder and a number")
    };
    let store = open(Path::new(folder), true).expect("the store opens");
    if store.view().expect("a view").catalog().tables().is_empty() {
        let tables = (1..=TABLES).map(|id| (TableId(id), TableOptions::default()));
        let create = tables.collect();
        let change = CatalogChange {
            create,
            ..CatalogChange::default()
        };
        store.change_catalog(change).expect("tables are made");
    }
    child::say("ready");
    let next = AtomicU64::new(first.parse().expect("a number"));
    let (store, next) = (&store, &next);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || write_for_ever(store, writer, next));
        }
        for reader in 0..READERS {
            scope.spawn(move || read_for_ever(store, reader));
        }
        scope.spawn(move || {
            for round in 0_u64.. {
                store
                    .compact(TableId(round % TABLES + 1))
                    .expect("a compaction");
            }
        });
    });
}

fn write_for_ever(store: &Store, writer: u64, next: &AtomicU64) {
    for round in 0_u64.. {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if round % 3 == 2 {
            conditional(store, writer, round / 3 % REGISTERS, number);
            continue;
        }
        child::say(&format!("begin {writer} {number}"));
        let written = store.decide(move |group| {
            let time = group.next_write_time()?;
            let cells = (0..CELLS).map(|cell| set(writer, cell, time, number));
            group.apply(&cells.collect::<Vec<_>>())
        });
        written.expect("a batch is written");
        child::say(&format!("ack {writer} {number}"));
    }
}

fn conditional(store: &Store, writer: u64, register: u64, new: u64) {
    let view = store.view().expect("a view");
    let expected = get(&view, WRITERS, register).expect("a read");
    drop(view);
    let shown = expected.map_or("-".to_owned(), |it| it.to_string());
    child::say(&format!("try {writer} {register} {shown} {new}"));
    let (table, key) = place(WRITERS, register);
    let seen = store.compare_and_set(table, key, move |partition, time| {
        let seen = number_in(partition)?;
        let update = (seen == expected).then(|| set(WRITERS, register, time, new));
        Ok((seen, update))
    });
    let seen = seen.expect("a condition is decided");
    let seen = seen.map_or("-".to_owned(), |it| it.to_string());
    child::say(&format!("tried {writer} {seen}"));
}

fn read_for_ever(store: &Store, reader: u64) {
    for round in 0_u64.. {
        let writer = round % WRITERS;
        let view = store.view().expect("a view");
        let cells: Vec<_> = (0..CELLS)
            .map(|cell| get(&view, writer, cell).expect("a read"))
            .collect();
        let whole = cells.iter().all(|cell| *cell == cells[0]);
        if !whole {
            child::say(&format!("torn {writer} {cells:?}"));
        } else if let Some(number) = cells[0] {
            child::say(&format!("read {writer} {number}"));
        }
        let register = round % REGISTERS;
        child::say(&format!("look {reader} {register}"));
        let seen = get(&store.view().expect("a view"), WRITERS, register).expect("a read");
        let seen = seen.map_or("-".to_owned(), |it| it.to_string());
        child::say(&format!("looked {reader} {seen}"));
    }
}

/// Kills children at random moments.
pub(crate) fn run(effort: &Effort) -> Tally {
    let mut tally = Tally::new("kills", effort.seed);
    tally.add(shared(effort, |worker, tally| {
        let mut workshop = Workshop::new().expect("a folder in memory");
        let mut rng = Rng::new(effort.seed ^ (worker as u64) << 32);
        let mut before = Known::default();
        let part = |worker: usize| effort.count * worker as u64 / WORKERS as u64;
        for kill in 0..part(worker + 1) - part(worker) {
            if kill % KILLS_PER_FOLDER == 0 {
                workshop = Workshop::new().expect("a folder in memory");
                before = Known::default();
            }
            let lines = 1 + rng.below(6000);
            let history = run_and_kill(workshop.folder(), before.highest + 1, lines);
            let folder = workshop.folder().to_owned();
            let after = &mut before;
            let verdict = guarded(|| check(&folder, &history, after, tally));
            let case = format!("worker {worker} kill {kill} after {lines} lines");
            tally.count(&case, verdict);
            effort.progress(1);
        }
    }));
    tally
}

/// Kills one child and adds an acknowledgement that it never gave: the check must see it.
#[cfg(test)]
pub(crate) fn run_with_lie(seed: u64) -> (Tally, bool) {
    let workshop = Workshop::new().expect("a folder in memory");
    let mut tally = Tally::new("kills", seed);
    let mut history = run_and_kill(workshop.folder(), 1, 500);
    let begun = history.iter().any(|line| line.starts_with("begin 0 "));
    history.insert(0, "begin 0 999999".to_owned());
    history.insert(1, "ack 0 999999".to_owned());
    let mut known = Known::default();
    let verdict = check(workshop.folder(), &history, &mut known, &mut tally);
    tally.count("a lie", verdict);
    (tally, begun)
}

/// Starts a child, reads so many of its lines, kills it and reads the rest.
fn run_and_kill(folder: &Path, first: u64, lines: u64) -> Vec<String> {
    let first = first.to_string();
    let task = ["kills", child::word(folder), &first];
    let mut talker = Talker::start(child::command(&task));
    let mut history = Vec::new();
    let mut kill_at = None;
    while let Ok(line) = talker.line() {
        history.push(line);
        if kill_at.is_none() && history.last().is_some_and(|line| line == "ready") {
            kill_at = Some(history.len() as u64 + lines);
        }
        if kill_at.is_some_and(|at| history.len() as u64 == at) {
            talker.child.kill().expect("a child can be killed");
        }
    }
    let ending = talker.end();
    history.push(format!("ending {ending}"));
    history
}

/// What the folder held after the kill before this one.
#[derive(Default)]
struct Known {
    batches: BTreeMap<u64, u64>,
    registers: BTreeMap<u64, Option<u64>>,
    highest: u64,
}

fn check(folder: &Path, history: &[String], known: &mut Known, tally: &mut Tally) -> Verdict {
    let ending = history.last().map_or("", String::as_str);
    if !ending.contains("signal: 9") {
        return Verdict::Dead(format!("the child ended by itself: {ending}"));
    }
    if let Some(torn) = history.iter().find(|line| line.starts_with("torn ")) {
        return Verdict::Silent(torn.clone());
    }
    // Without a thread for regular work, so that the folder is free as soon as the check ends.
    let store = match open(folder, false) {
        Ok(store) => store,
        Err(error) => return Verdict::Lost(format!("refused: {error}")),
    };
    let view = store.view().expect("a view");
    for writer in 0..WRITERS {
        match check_batches(&view, history, writer, known) {
            Ok(()) => {}
            Err(wrong) => return wrong,
        }
    }
    for register in 0..REGISTERS {
        let found = get(&view, WRITERS, register).expect("a read");
        let before = known.registers.get(&register).copied().flatten();
        let operations = register_history(history, register, before, found);
        tally.note("conditional writes and reads", operations.len() as u64);
        if let Err(failure) = check_register(&operations, MAX_STATES) {
            let text = format!("register {register}: {failure}; {operations:?}");
            return Verdict::Silent(text);
        }
        known.registers.insert(register, found);
    }
    let numbers = history.iter().flat_map(|line| numbers(line));
    known.highest = numbers.max().unwrap_or(0).max(known.highest);
    tally.note("operations acknowledged", count(history, "ack "));
    Verdict::Right(0)
}

fn count(history: &[String], word: &str) -> u64 {
    history.iter().filter(|line| line.starts_with(word)).count() as u64
}

fn numbers(line: &str) -> impl Iterator<Item = u64> + '_ {
    let is_ours = ["begin ", "try "].iter().any(|word| line.starts_with(word));
    let last = line.split(' ').next_back().filter(|_| is_ours);
    last.and_then(|it| it.parse().ok()).into_iter()
}

fn check_batches(
    view: &View,
    history: &[String],
    writer: u64,
    known: &mut Known,
) -> Result<(), Verdict> {
    let last = |word: &str| {
        let prefix = format!("{word} {writer} ");
        let numbers = history.iter().filter_map(|line| line.strip_prefix(&prefix));
        numbers.filter_map(|it| it.parse::<u64>().ok()).max()
    };
    let before = known.batches.get(&writer).copied().unwrap_or(0);
    let at_least = last("ack").max(last("read")).unwrap_or(0).max(before);
    let at_most = last("begin").unwrap_or(0).max(before);
    let mut cells = Vec::new();
    for cell in 0..CELLS {
        let found = match view.table(TableId(1)) {
            Ok(_) => get(view, writer, cell),
            // Killed before the tables were made.
            Err(_) => Ok(None),
        };
        cells.push(
            found
                .map_err(|error| Verdict::Lost(error.to_string()))?
                .unwrap_or(0),
        );
    }
    let found = cells[0];
    if cells.iter().any(|cell| *cell != found) {
        return Err(Verdict::Silent(format!("writer {writer}: torn {cells:?}")));
    }
    if found < at_least {
        let what = format!("writer {writer}: holds {found}, {at_least} was promised");
        return Err(Verdict::Lost(what));
    }
    if found > at_most {
        let what = format!("writer {writer}: holds {found}, only {at_most} was begun");
        return Err(Verdict::Silent(what));
    }
    known.batches.insert(writer, found);
    Ok(())
}

/// The operations on one register, with what was there before and what is there after.
fn register_history(
    history: &[String],
    register: u64,
    before: Option<u64>,
    after: Option<u64>,
) -> Vec<Operation<RegisterAction>> {
    let mut operations = Vec::new();
    if let Some(value) = before {
        operations.push(Operation::new(0, 1, RegisterAction::Write(value)));
    }
    let value = |word: &str| word.parse::<u64>().ok();
    // What each caller has begun: where, and what.
    let mut trying: BTreeMap<&str, (u64, Option<u64>, u64)> = BTreeMap::new();
    let mut looking: BTreeMap<&str, u64> = BTreeMap::new();
    let ours = register.to_string();
    for (order, line) in (2_u64..).zip(history) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["try", writer, register, expected, new] if register == ours => {
                let new = value(new).expect("a number");
                trying.insert(writer, (order, value(expected), new));
            }
            ["tried", writer, seen] => {
                if let Some((invoked, expected, new)) = trying.remove(writer) {
                    let seen = value(seen);
                    let outcome = match seen == expected {
                        true => SetOutcome::Applied,
                        false => SetOutcome::Refused { seen },
                    };
                    let action = RegisterAction::CompareAndSet {
                        expected,
                        new,
                        outcome,
                    };
                    operations.push(Operation::new(invoked, order, action));
                }
            }
            ["look", reader, register] if register == ours => {
                looking.insert(reader, order);
            }
            ["looked", reader, seen] => {
                if let Some(invoked) = looking.remove(reader) {
                    let action = RegisterAction::Read(value(seen));
                    operations.push(Operation::new(invoked, order, action));
                }
            }
            _ => {}
        }
    }
    for (invoked, expected, new) in trying.into_values() {
        let outcome = SetOutcome::Unknown;
        let action = RegisterAction::CompareAndSet {
            expected,
            new,
            outcome,
        };
        operations.push(Operation::unknown(invoked, action));
    }
    let end = history.len() as u64 + 3;
    operations.push(Operation::new(end, end + 1, RegisterAction::Read(after)));
    operations
}
