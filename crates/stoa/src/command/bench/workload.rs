//! What is done to a CQL back end, whichever it is: tables, statements, and one operation of each
//! work.

use anyhow::{Result, ensure};
use clap::ValueEnum;
use stoa_session::statement::{Batch, BatchKind};
use stoa_session::{Prepared, Session, Shortcuts as _};

/// A thing that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Work {
    /// Insert a row
    Insert,
    /// Read one row
    Read,
    /// Read a slice of 100 rows
    Slice,
    /// A conditional write
    Lwt,
    /// Add to a counter
    Counter,
}

impl Work {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Read => "read",
            Self::Slice => "slice-100",
            Self::Lwt => "lwt",
            Self::Counter => "counter",
        }
    }

    /// The works that were asked for: all if none is named.
    pub(super) fn chosen(only: &[Self]) -> impl Iterator<Item = Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(move |work| only.is_empty() || only.contains(work))
    }
}

/// Makes the keyspace of measurements on one machine.
pub(super) const KEYSPACE: &str = "CREATE KEYSPACE stoa_bench \
    WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

/// Partitions that are read, and the rows in each.
const PARTITIONS: i32 = 20;
pub(super) const PARTITION_ROWS: i32 = 100;
/// Where inserted partitions begin.
const INSERTED: i32 = 1_000_000;
/// How many counters there are: enough that callers seldom meet at one.
const COUNTERS: i32 = 1_000;

/// The statements in the order of [`Work`].
pub(super) const TEXTS: [&str; 5] = [
    "INSERT INTO stoa_bench_rows (k, c, body, n) VALUES (?, ?, ?, ?)",
    "SELECT body, n FROM stoa_bench_rows WHERE k = ? AND c = ?",
    "SELECT c, body, n FROM stoa_bench_rows WHERE k = ?",
    "INSERT INTO stoa_bench_states (k, n) VALUES (?, ?) IF NOT EXISTS",
    "UPDATE stoa_bench_counters SET n = n + ? WHERE k = ?",
];

pub(super) const BODY: &str =
    "a text of some eighty bytes, which is about what a small row of a program holds";

/// Makes the tables in the keyspace in use.
pub(super) async fn make_tables(session: &dyn Session) -> Result<()> {
    drop_tables(session).await?;
    for text in [
        "CREATE TABLE stoa_bench_rows (k int, c int, body text, n bigint, PRIMARY KEY (k, c))",
        "CREATE TABLE stoa_bench_states (k int PRIMARY KEY, n int)",
        "CREATE TABLE stoa_bench_counters (k int PRIMARY KEY, n counter)",
    ] {
        session.run_text(text).await?;
    }
    Ok(())
}

/// Drops them, if they are there.
pub(super) async fn drop_tables(session: &dyn Session) -> Result<()> {
    for table in ["rows", "states", "counters"] {
        let text = format!("DROP TABLE IF EXISTS stoa_bench_{table}");
        session.run_text(&text).await?;
    }
    Ok(())
}

/// The prepared statements of all works.
#[derive(Debug)]
pub(super) struct Statements {
    insert: Prepared,
    read: Prepared,
    slice: Prepared,
    lwt: Prepared,
    counter: Prepared,
}

impl Statements {
    /// Prepares all, and fills the partitions that are read.
    pub(super) async fn new(session: &dyn Session) -> Result<Self> {
        let [insert, read, slice, lwt, counter] = TEXTS;
        let statements = Self {
            insert: session.prepare(insert).await?,
            read: session.prepare(read).await?,
            slice: session.prepare(slice).await?,
            lwt: session.prepare(lwt).await?,
            counter: session.prepare(counter).await?,
        };
        for partition in 0..PARTITIONS {
            let mut batch = Batch::new(BatchKind::Unlogged);
            for place in 0..PARTITION_ROWS {
                let values = (partition, place, BODY, i64::from(place));
                batch.push(statements.insert.bind(values)?);
            }
            session.batch(&batch).await?;
        }
        Ok(statements)
    }

    /// One operation. No two of one work may have the same number.
    pub(super) async fn once(&self, session: &dyn Session, work: Work, number: i32) -> Result<()> {
        let (partition, place) = place(number);
        match work {
            Work::Insert => {
                let (partition, place) = new_place(number);
                let values = (partition, place, BODY, i64::from(number));
                session.execute(&self.insert.bind(values)?, None).await?;
            }
            Work::Read => {
                let bound = self.read.bind((partition, place))?;
                let row: Option<(String, i64)> = session.first(&bound).await?;
                ensure!(row.is_some(), "a row that was written is not read");
            }
            Work::Slice => {
                let bound = self.slice.bind((partition,))?;
                let rows: Vec<(i32, String, i64)> = session.all(&bound).await?;
                ensure!(rows.len() == PARTITION_ROWS as usize, "rows are missing");
            }
            Work::Lwt => {
                let applied = session.apply(&self.lwt.bind((number, number))?).await?;
                ensure!(applied.is_yes(), "a new key is taken");
            }
            Work::Counter => {
                let bound = self.counter.bind((1_i64, counter_of(number)))?;
                session.execute(&bound, None).await?;
            }
        }
        Ok(())
    }
}

/// A partition and a place in it that were filled.
pub(super) fn place(number: i32) -> (i32, i32) {
    (number % PARTITIONS, number / PARTITIONS % PARTITION_ROWS)
}

/// A partition and a place in it that were not.
pub(super) fn new_place(number: i32) -> (i32, i32) {
    (INSERTED + number / PARTITION_ROWS, number % PARTITION_ROWS)
}

/// A counter.
pub(super) fn counter_of(number: i32) -> i32 {
    number % COUNTERS
}
