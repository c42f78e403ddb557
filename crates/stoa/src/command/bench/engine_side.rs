//! The engine as one of two sides: a table of the same rows, and the statements that programs
//! prepare to write and read them.
//!
//! What a program pays is measured: its values are ready, but binding them, executing the
//! statement and reading typed values out of the answer count.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_engine::{Database, Embedded};
use stoa_session::{Answer, Bound, Prepared, Session};
use stoa_store::Options;
use tokio::runtime::Runtime;

use super::data::{Row, Typed};
use super::pair::Side;
use super::single::periodic;
use super::store::Stopwatch;
use crate::connect;

/// How statements are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Through `dyn Session`, as every program above the waist does.
    Session,
    /// By the engine's own calls, in the calling thread.
    Now,
}

const TABLE: &str = "CREATE TABLE stoa_bench.rows (p bigint, c int, title text, number bigint, \
    day bigint, id text, body text, PRIMARY KEY (p, c))";
const INSERT: &str = "INSERT INTO stoa_bench.rows (p, c, title, number, day, id, body) \
    VALUES (?, ?, ?, ?, ?, ?, ?)";
const READ: &str = "SELECT title, number, day, id, body FROM stoa_bench.rows WHERE p = ? AND c = ?";
const SLICE: &str = "SELECT title, number, day, id, body FROM stoa_bench.rows WHERE p = ?";
const UPDATE: &str = "UPDATE stoa_bench.rows SET title = ? WHERE p = ? AND c = ?";

/// A database with a table of rows.
pub(super) struct EngineSide {
    runtime: Runtime,
    pub(super) database: Database,
    session: Embedded,
    insert: Prepared,
    read: Prepared,
    slice: Prepared,
    update: Prepared,
}

impl EngineSide {
    /// The database in a folder; one that is new gets its table.
    pub(super) fn open(folder: &Path, options: Options) -> Result<Self> {
        let is_new = !folder.exists();
        let database = Database::open(folder, options)?;
        let session = database.session();
        let side = |text: &str| session.prepare_now(text);
        if is_new {
            run(&session, super::workload::KEYSPACE)?;
            run(&session, TABLE)?;
        }
        Ok(Self {
            runtime: connect::runtime()?,
            insert: side(INSERT)?,
            read: side(READ)?,
            slice: side(SLICE)?,
            update: side(UPDATE)?,
            database,
            session,
        })
    }

    /// Executes a text.
    pub(super) fn run(&self, text: &str) -> Result<()> {
        run(&self.session, text)
    }

    pub(super) fn prepare(&self, text: &str) -> Result<Prepared> {
        Ok(self.session.prepare_now(text)?)
    }

    pub(super) fn session(&self) -> &Embedded {
        &self.session
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Does one work after another.
    pub(super) fn each<W>(
        &self,
        way: Way,
        works: &[W],
        bind: impl Fn(&W) -> Result<Bound>,
        look: impl Fn(&Answer) -> Result<()>,
    ) -> Result<Duration> {
        let session: &dyn Session = &self.session;
        self.runtime.block_on(async {
            let watch = Stopwatch::start();
            for work in works {
                let bound = bind(work)?;
                let answer = match way {
                    Way::Session => session.execute(&bound, None).await?,
                    Way::Now => self.session.execute_now(&bound, None)?,
                };
                look(&answer)?;
            }
            Ok(watch.elapsed())
        })
    }

    pub(super) fn bind_insert(&self, row: &Typed) -> Result<Bound> {
        let values = (
            row.partition,
            row.place,
            row.title.as_str(),
            row.number,
            row.day,
            row.id.as_str(),
            row.body.as_str(),
        );
        Ok(self.insert.bind(values)?)
    }

    pub(super) fn bind_read(&self, row: &Typed) -> Result<Bound> {
        Ok(self.read.bind((row.partition, row.place))?)
    }

    pub(super) fn bind_slice(&self, row: &Typed) -> Result<Bound> {
        Ok(self.slice.bind((row.partition,))?)
    }

    fn bind_update(&self, row: &Typed) -> Result<Bound> {
        let values = (row.title.as_str(), row.partition, row.place);
        Ok(self.update.bind(values)?)
    }
}

fn run(session: &Embedded, text: &str) -> Result<()> {
    session.run_now(&stoa_session::Statement::new(text), None)?;
    Ok(())
}

/// Reads the rows of an answer as a program does, and counts them.
pub(super) fn look_at_rows(answer: &Answer, wanted: usize) -> Result<()> {
    let mut seen = 0;
    if let Some(rows) = answer.rows() {
        for row in rows.typed::<(&str, i64, i64, &str, &str)>()? {
            black_box(row?);
            seen += 1;
        }
    }
    ensure!(seen == wanted, "{seen} of {wanted} rows were read");
    Ok(())
}

/// The values of rows.
pub(super) fn typed(rows: &[Row], updated: Option<u64>) -> Vec<Typed> {
    rows.iter().map(|row| row.typed(updated)).collect()
}

impl Side for EngineSide {
    type Way = Way;

    const WAYS: &'static [(&'static str, Way)] = &[("", Way::Session), ("-now", Way::Now)];

    fn make(folder: &Path) -> Result<Self> {
        Self::open(folder, periodic())
    }

    fn insert(&self, way: Way, rows: &[Row]) -> Result<Duration> {
        let rows = typed(rows, None);
        self.each(way, &rows, |row| self.bind_insert(row), |_| Ok(()))
    }

    fn read(&self, way: Way, rows: &[Row]) -> Result<Duration> {
        let (rows, look) = (typed(rows, None), |answer: &Answer| look_at_rows(answer, 1));
        self.each(way, &rows, |row| self.bind_read(row), look)
    }

    fn slice(&self, way: Way, rows: &[Row], wanted: usize) -> Result<Duration> {
        let look = |answer: &Answer| look_at_rows(answer, wanted);
        let rows = typed(rows, None);
        self.each(way, &rows, |row| self.bind_slice(row), look)
    }

    fn update(&self, way: Way, rows: &[Row], time: u64) -> Result<Duration> {
        let rows = typed(rows, Some(time));
        self.each(way, &rows, |row| self.bind_update(row), |_| Ok(()))
    }

    fn settle(&self) -> Result<()> {
        Ok(self.database.store().purge()?)
    }

    fn close(&self) -> Result<()> {
        Ok(self.database.close()?)
    }
}
