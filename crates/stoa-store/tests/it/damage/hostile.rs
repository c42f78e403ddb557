//! E7: hostile bytes in every decoder, and hostile folders, with bounded memory.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, Counter, CounterState, Deletion, Expiry, Liveness,
    RowRef, ValueRef,
};
use stoa_store::codec::Reader;
use stoa_store::integrity::{CommitRecord, Mark};
use stoa_store::key::{self, PartitionKey};
use stoa_store::kv::SpaceId;
use stoa_store::purge_queue;
use stoa_store::record::Record;
use stoa_store::row::PackedRow;
use stoa_store::row::packed;
use stoa_store::table::{Table, TableId, TableOptions};
use stoa_store::tombstone::RangeDeletion;
use stoa_testkit::powercut::{Snapshot, Workshop};
use stoa_testkit::rng::Rng;

use super::child::{self, do_cases};
use super::folders::{self, Ending, files};
use super::plan::{Plan, Shape};
use super::suite::Effort;
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder};

/// Inputs of one case of the decoders.
const INPUTS: u64 = 1000;
/// The most memory that hostile bytes may cost.
const MOST_KIB: u64 = 64 << 10;

/// Feeds the decoders twenty inputs for every folder that is opened.
pub(crate) fn run(effort: &Effort) -> Tally {
    let mut tally = Tally::new("hostile", effort.seed);
    let seed = effort.seed.to_string();
    let batches = (effort.count * 20).div_ceil(INPUTS);
    tally.add(child::work_through(effort, &["decoders", &seed], batches));
    tally.note("decoder inputs", batches * INPUTS);
    let parts = [(Ending::Closed, "Closed"), (Ending::Killed, "Killed")];
    for (ending, name) in parts {
        let folder = folders::make(Shape::Short, effort.seed, ending);
        let task = ["folders", child::word(folder.workshop.folder()), &seed];
        let cases = effort.count / parts.len() as u64;
        tally.add(child::work_through(effort, &task, cases));
        tally.note(&format!("folders, {name}"), cases);
    }
    tally
}

/// The most memory this process has used.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).expect("a peak")
}

/// A right verdict becomes wrong if memory has grown too much since `before`.
fn bounded(verdict: Verdict, before: u64) -> Verdict {
    let grown = peak_kib().saturating_sub(before);
    match grown > MOST_KIB {
        true => Verdict::Dead(format!("used {grown} KiB more than whole files do")),
        false => verdict,
    }
}

/// The child that feeds decoders.
pub(crate) fn run_decoders(words: &[String]) {
    let seed: u64 = words[0].parse().expect("a seed");
    let whole = whole_inputs();
    let before = peak_kib();
    do_cases(words, |case| {
        let mut rng = Rng::new(seed ^ case << 20);
        for _ in 0..INPUTS {
            decode(&input(&mut rng, &whole));
        }
        bounded(Verdict::Right(0), before)
    });
}

/// Encodings of sound things, to be mutated.
fn whole_inputs() -> Vec<Vec<u8>> {
    let deletion = Deletion {
        timestamp: 77,
        deleted_at: 1_700_000_000,
    };
    let expiry = Expiry {
        ttl_seconds: 60,
        expires_at: 1_700_000_060,
    };
    let cell = |state| {
        ColumnRef::Cell(CellRef {
            timestamp: 99,
            state,
        })
    };
    let counter = Counter {
        timestamp: 5,
        state: CounterState::Total(-7),
    };
    let value = ValueRef::Inline(b"some value of a cell");
    let row = RowRef {
        original_clustering: Some(b"clustering"),
        liveness: Some(Liveness {
            timestamp: 98,
            expiry: Some(expiry),
        }),
        deletion: Some(deletion),
        columns: vec![
            (ColumnId(1), cell(CellState::Live(value))),
            (ColumnId(2), cell(CellState::Expiring(value, expiry))),
            (ColumnId(300), ColumnRef::Counter(counter)),
        ],
    };
    let table = Table {
        id: TableId(3),
        space: SpaceId(20),
        options: TableOptions::default(),
        has_records: true,
    };
    let range = RangeDeletion {
        start: b"\x40a".to_vec(),
        end: b"\x40b".to_vec(),
        deletion,
    };
    let packed_row = PackedRow::encode(&row).expect("a row");
    let mut single = Vec::new();
    let state = CellState::Live(value);
    packed::put_single_cell(
        &mut single,
        &CellRef {
            timestamp: 1,
            state,
        },
    );
    vec![
        packed_row.as_bytes().to_vec(),
        single,
        table.encode(),
        range.encode(),
        Record::default().encode(),
        whole_mark().encode(),
        purge_entry(),
    ]
}

/// The key of an entry of the purge queue: table, time, partition, a range from a position.
fn purge_entry() -> Vec<u8> {
    let partition = PartitionKey::new(b"partition").expect("a short key");
    let mut key = [7_u64.to_be_bytes(), 9_u64.to_be_bytes()].concat();
    key.extend_from_slice(partition.prefix());
    key.extend_from_slice(b"\x01\x40a");
    assert!(purge_queue::is_entry(&key, b"\x40b"), "a sound entry");
    key
}

fn whole_mark() -> Mark {
    Mark {
        generation: 3,
        commit: 10,
        chain_hash: 1,
        seqno: 20,
        clean: false,
        flushing: true,
        journals: Vec::new(),
    }
}

/// Random bytes, or something sound with a few changes.
fn input(rng: &mut Rng, whole: &[Vec<u8>]) -> Vec<u8> {
    if rng.chance(20) {
        return (0..rng.below(80)).map(|_| rng.next_u64() as u8).collect();
    }
    let mut bytes = rng.pick(whole).cloned().unwrap_or_default();
    for _ in 0..=rng.below(4) {
        let place = rng.index(bytes.len());
        match rng.below(6) {
            0 => bytes.truncate(place),
            // The largest numbers that a varint can say.
            1 => {
                let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
                bytes.splice(place..place, huge);
            }
            2 => bytes.insert(place, rng.next_u64() as u8),
            3 => {
                let copy = bytes.get(place..).unwrap_or_default().to_vec();
                bytes.extend(copy);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << rng.below(8);
                }
            }
        }
    }
    bytes
}

/// Every decoder looks at the bytes; what it says does not matter, that it ends does.
fn decode(bytes: &[u8]) {
    let _ = packed::decode(bytes);
    let _ = packed::read_single_cell(bytes);
    let _ = Record::decode(bytes);
    let _ = RangeDeletion::decode(b"\x40a", bytes);
    let _ = Table::decode(TableId(1), bytes);
    let _ = CommitRecord::decode(bytes);
    let _ = Mark::decode(bytes);
    let _ = purge_queue::is_entry(bytes, bytes);
    let _ = key::split(bytes);
    let mut reader = Reader::new(bytes);
    while reader.bytes("part").is_ok() && !reader.is_empty() {}
    let mut reader = Reader::new(bytes);
    while reader.signed("part").is_ok() && !reader.is_empty() {}
}

/// The child that opens folders.
pub(crate) fn run_folders(words: &[String]) {
    let base = Snapshot::of_folder(Path::new(&words[0])).expect("the folder can be read");
    let seed: u64 = words[1].parse().expect("a seed");
    let plan = Plan::new(Shape::Short, seed);
    let bounds = Bounds::exactly(plan.last());
    let names: Vec<(String, u64)> = files(&base);
    let mut workshop = Workshop::new().expect("a folder in memory");
    for _ in 0..3 {
        workshop.lay_snapshot(&base).expect("the folder is laid");
        let whole = check_folder(workshop.folder(), &plan, bounds);
        assert_eq!(
            whole,
            Verdict::Right(plan.last()),
            "a whole folder is right"
        );
    }
    let before = peak_kib();
    do_cases(words, |case| {
        let mut rng = Rng::new(seed ^ case << 20 ^ 0xf01d);
        workshop.lay_snapshot(&base).expect("the folder is laid");
        let mut done = Vec::new();
        for _ in 0..=rng.below(3) {
            done.push(spoil(&mut rng, workshop.folder(), &names));
        }
        let verdict = check_folder(workshop.folder(), &plan, bounds);
        let verdict = match verdict {
            // Known and written down in docs/reliability.md: only a full check reads whole tables
            // and sees that one is not the one that was written there.
            Verdict::Lost(_) | Verdict::Silent(_) if done.iter().any(|it| is_exchange(it)) => {
                child::say("note a sound table of another space in place of one was believed");
                Verdict::Right(0)
            }
            Verdict::Lost(what) => Verdict::Lost(format!("{done:?}: {what}")),
            Verdict::Silent(what) => Verdict::Silent(format!("{done:?}: {what}")),
            Verdict::Dead(what) => Verdict::Dead(format!("{done:?}: {what}")),
            other => other,
        };
        bounded(verdict, before)
    });
}

/// Whether a table was replaced by another one.
fn is_exchange(done: &str) -> bool {
    let tables = done
        .split(" over ")
        .filter(|name| name.contains("/tables/"));
    done.contains(" over ") && tables.count() == 2
}

/// Spoils one file of a folder and says how. A file may be gone already.
fn spoil(rng: &mut Rng, folder: &Path, names: &[(String, u64)]) -> String {
    let (name, written) = rng.pick(names).cloned().expect("a file");
    let (other, _) = rng.pick(names).cloned().expect("a file");
    let path: PathBuf = folder.join(&name);
    // Not read whole: a journal reserves a lot, and memory is measured here.
    let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else {
        return format!("{name} is gone");
    };
    let place = rng.below(written.max(1));
    let put = |bytes: &[u8]| file.write_all_at(bytes, place).expect("a file is written");
    let mut random = |count: usize| -> Vec<u8> {
        std::iter::repeat_with(|| rng.next_u64() as u8)
            .take(count)
            .collect()
    };
    let garbage = random(64);
    let what = match rng.below(9) {
        0 => {
            file.set_len(place).expect("a file is cut");
            "cut"
        }
        1 => {
            let end = file.metadata().expect("a length").len();
            file.write_all_at(&garbage, end).expect("a file is longer");
            "longer"
        }
        2 => {
            fs::remove_file(&path).expect("a file is removed");
            "removed"
        }
        3 => {
            // The other file may be gone.
            let _ = fs::copy(folder.join(&other), &path);
            return format!("{other} over {name}");
        }
        4 => {
            let copy = path.with_file_name(rng.below(100).to_string());
            // A folder may have that name.
            let _ = fs::copy(&path, copy);
            "copied"
        }
        5 => {
            put(&(u64::MAX >> rng.below(40)).to_le_bytes());
            "a huge number in"
        }
        6 => {
            put(&[0; 200]);
            "zeros in"
        }
        7 => {
            put(&garbage);
            "garbage in"
        }
        _ => {
            let mut byte = [0];
            // An empty file stays empty.
            let read = file.read_at(&mut byte, place).expect("a byte");
            put(&[byte[0] ^ 1 << rng.below(8)][..read]);
            "a flip in"
        }
    };
    format!("{what} {name} at {place}")
}
