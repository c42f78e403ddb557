//! A tour of the store: what it keeps, how it is written and read, what it promises.
//!
//! Run it with a folder of your choice: `cargo run --release -p stoa-store --example tour -- demo`.
//! The folder must not hold a store yet. When the tour is over the folder stays, for you to look
//! at, to check and to damage.

use std::error::Error;
use std::io::{Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, Counter, CounterState, Deletion, Expiry, Liveness,
    RowRef, ValueRef,
};
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Slice;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::tombstone::RangeDeletion;
use stoa_store::{Options, Store};
use stoa_types::clock::{Clock, SystemClock};

// The store knows tables and columns by number. Names and types are the engine's.
const MESSAGES: TableId = TableId(1);
const VIEWS: TableId = TableId(2);
const TEXT: ColumnId = ColumnId(1);
const COUNT: ColumnId = ColumnId(1);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match tour() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell if standard error is closed.
            let _ = writeln!(stderr(), "tour: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tour() -> Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        return Err("say which folder to use: tour FOLDER".into());
    };
    let folder = Path::new(&folder);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    // With these options every write is on the disk before `write` returns. Writers that come
    // together share one sync of the disk.
    let store = Store::open(folder, Options::default(), Arc::clone(&clock))?;
    say(&format!("1. Opened a store in {}.", folder.display()))?;
    make_tables(&store)?;
    let now = clock.now_micros();
    insert_rows(&store, now)?;
    delete_a_range(&store, now)?;
    count(&store, now)?;
    compare_and_set(&store)?;
    read_backwards(&store, now)?;
    // Closing writes everything into sorted tables, so that opening is fast.
    store.close()?;
    say("8. Closed. Nothing that was acknowledged can be lost from here on, or before.")
}

/// The tables are made in one commit: both, or none.
fn make_tables(store: &Store) -> Result<()> {
    let create = vec![
        (MESSAGES, TableOptions::default()),
        (VIEWS, TableOptions::default()),
    ];
    store
        .change_catalog(CatalogChange {
            create,
            ..CatalogChange::default()
        })
        .map_err(|error| format!("{error}; does the folder hold an earlier tour?"))?;
    say("2. Made two tables: messages and views.")
}

/// A partition is found by its key; rows within it are sorted by their clustering.
fn insert_rows(store: &Store, now: i64) -> Result<()> {
    let mut update = PartitionUpdate::new(MESSAGES, room()?);
    for number in 1..=9 {
        let text = format!("message {number}");
        // Message 9 is gone after an hour.
        let expiry = (number == 9).then_some(Expiry {
            ttl_seconds: 3600,
            expires_at: seconds(now) + 3600,
        });
        update = update.row(clustering(number), message(&text, now, expiry)?);
    }
    // A second partition, so that there is something to look at afterwards.
    let mut crowd = PartitionUpdate::new(MESSAGES, PartitionKey::new(b"room 2")?);
    for number in 1..=2_000 {
        let text = format!("message {number} of a crowd");
        crowd = crowd.row(clustering(number), message(&text, now, None)?);
    }
    store.write(vec![update, crowd])?;
    say("3. Inserted 9 messages in one room and 2,000 in another, all in one write.")?;
    say("   Message 9 of the first room has a TTL of one hour.")
}

/// A deletion is a write as well: it has a timestamp and shadows what is older.
fn delete_a_range(store: &Store, now: i64) -> Result<()> {
    let mut update = PartitionUpdate::new(MESSAGES, room()?);
    update.ranges.push(RangeDeletion {
        start: clustering(3),
        end: clustering(6),
        deletion: Deletion {
            timestamp: now,
            deleted_at: seconds(now),
        },
    });
    store.write(vec![update])?;
    say("4. Deleted messages 3 to 5 with one range deletion; the rows were not touched.")?;
    // A write with an older timestamp loses, whenever it arrives.
    let late = message("too late", now - 1_000_000, None)?;
    let update = PartitionUpdate::new(MESSAGES, room()?).row(clustering(4), late);
    store.write(vec![update])?;
    say("   A late write of message 4, one second older than the deletion, changed nothing.")
}

/// Changes of counters are added up in the order of all commits.
fn count(store: &Store, now: i64) -> Result<()> {
    for change in [1, 1, 40] {
        let state = CounterState::Add(change);
        let counter = ColumnRef::Counter(Counter {
            timestamp: now,
            state,
        });
        let row = PackedRow::encode(&RowRef {
            columns: vec![(COUNT, counter)],
            ..RowRef::default()
        })?;
        let update = PartitionUpdate::new(VIEWS, room()?).row(clustering(0), row);
        store.write(vec![update])?;
    }
    let view = store.view()?;
    let partition = view.partition(VIEWS, room()?)?;
    let row = partition
        .row(&clustering(0))?
        .ok_or("the counter is gone")?;
    let row = row.visible(seconds(now))?.ok_or("the counter is gone")?;
    let Some((_, ColumnRef::Counter(counter))) = row.columns.first() else {
        return Err("the counter is something else".into());
    };
    let CounterState::Total(total) = counter.state else {
        return Err("the counter has no total".into());
    };
    say(&format!(
        "5. Added 1, 1 and 40 to a counter; it shows {total}."
    ))
}

/// A condition is decided where the commit happens, so nobody can get in between.
fn compare_and_set(store: &Store) -> Result<()> {
    for attempt in ["first", "second"] {
        let applied = store.decide(move |group| {
            let key = PartitionKey::new(b"room 1")?;
            let partition = group.partition(MESSAGES, &key)?;
            let exists = partition.row(&clustering(100))?.is_some();
            drop(partition);
            if exists {
                return Ok(false);
            }
            let timestamp = group.next_write_time()?;
            let row = RowRef {
                columns: vec![(TEXT, cell(b"there can be only one", timestamp, None))],
                ..RowRef::default()
            };
            let update = PartitionUpdate::new(MESSAGES, key);
            group.apply(&[update.row(clustering(100), PackedRow::encode(&row)?)])?;
            Ok(true)
        })?;
        let outcome = if applied { "applied" } else { "not applied" };
        say(&format!(
            "6. Insert message 100 if it does not exist, {attempt} attempt: {outcome}."
        ))?;
    }
    Ok(())
}

/// A view shows everything as of one commit, whatever is written meanwhile.
fn read_backwards(store: &Store, now: i64) -> Result<()> {
    let view = store.view()?;
    let partition = view.partition(MESSAGES, room()?)?;
    let slice = Slice {
        start: clustering(2),
        end: clustering(9),
    };
    say("7. Messages from 2 up to, not including, 9, backwards:")?;
    for row in partition.rows(&slice, Direction::Backward)? {
        let row = row?;
        let Some(visible) = row.visible(seconds(now))? else {
            continue;
        };
        for (_, column) in &visible.columns {
            if let ColumnRef::Cell(cell) = column
                && let Some(ValueRef::Inline(text)) = cell.value()
            {
                say(&format!("     {}", String::from_utf8_lossy(text)))?;
            }
        }
    }
    Ok(())
}

fn room() -> Result<PartitionKey> {
    Ok(PartitionKey::new(b"room 1")?)
}

/// Sorts as the number does: the engine encodes clustering columns like this.
fn clustering(number: u32) -> Vec<u8> {
    let mut bytes = vec![0x40];
    bytes.extend_from_slice(&number.to_be_bytes());
    bytes
}

fn message(text: &str, timestamp: i64, expiry: Option<Expiry>) -> Result<PackedRow> {
    Ok(PackedRow::encode(&RowRef {
        // The mark of an INSERT: the row exists even if all its columns are null.
        liveness: Some(Liveness { timestamp, expiry }),
        columns: vec![(TEXT, cell(text.as_bytes(), timestamp, expiry))],
        ..RowRef::default()
    })?)
}

fn cell(value: &[u8], timestamp: i64, expiry: Option<Expiry>) -> ColumnRef<'_> {
    let value = ValueRef::Inline(value);
    let state = match expiry {
        Some(expiry) => CellState::Expiring(value, expiry),
        None => CellState::Live(value),
    };
    ColumnRef::Cell(CellRef { timestamp, state })
}

fn seconds(micros: i64) -> i64 {
    micros.div_euclid(1_000_000)
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(stdout(), "{line}")?)
}
