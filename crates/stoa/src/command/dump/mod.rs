//! `stoa dump`: a whole database as CQL text, with write times and expiries.
//!
//! Everything is asked of a [`Session`], so it is the same for the embedded engine and for a
//! cluster. [`schema`] says what there is, [`pages`] reads the rows, [`row`] takes them apart,
//! [`statements`] writes them as CQL, [`mod@format`] puts checks between them.

pub(crate) mod format;
mod pages;
mod row;
pub(crate) mod schema;
pub(crate) mod shape;
mod stamp;
mod statements;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use clap::{ArgGroup, Args};
use indicatif::ProgressBar;
use stoa_session::Session;
use stoa_types::text::{literal, parse};
use stoa_types::{Clock, DataType, SystemClock, Timestamp, Value};

use self::format::Writer;
use self::pages::Pages;
use self::schema::{Filter, Schema};
use self::shape::Shape;
use self::stamp::Using;
use super::replication::Replication;
use crate::connect::{self, Place};
use crate::terminal;

const LONG_ABOUT: &str = "\
Write a whole database as CQL text, for `stoa load` or any other CQL shell.

The text holds keyspaces, types, tables, all rows with the timestamp and the TTL of every cell, and
then indexes and views, which are built from the rows when they are loaded. Equal databases give
equal dumps, wherever they are: in a folder, in memory, on a cluster.

Not in it, because CQL does not show it: deletions, and when a row was made that has no values but
its key. TTLs count from the second that stands before the first of them; --as-of sets it, so that
two dumps can be compared.

Rows are read page by page while others may write. What is written meanwhile may be in the dump or
not; what was there before and is not changed is in it.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    group(ArgGroup::new("back_end").required(true).args(["data", "memory", "store"])),
    after_help = "Examples:\n  \
        stoa dump --data data -o votes.cql             everything in folder data\n  \
        stoa dump --store cql://10.0.0.1 -o votes.cql  everything on a cluster\n  \
        stoa dump --data data --table votes.users      one table, to standard output\n  \
        stoa dump --data data --schema-only            tables without their rows\n  \
        stoa dump --data data | gzip > votes.cql.gz\n  \
        stoa dump --data data | stoa load - --store cql://10.0.0.1 --replication dc1:3"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Only these keyspaces; may be given several times
    #[arg(long, value_name = "NAME")]
    keyspace: Vec<String>,
    /// Only these tables with their indexes and views; may be given several times
    #[arg(long, value_name = "KEYSPACE.TABLE")]
    table: Vec<String>,
    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Leave out the rows
    #[arg(long)]
    schema_only: bool,
    /// Give all keyspaces this replication: a number of copies, or `dc1:3,dc2:3`
    #[arg(long, value_name = "COPIES")]
    replication: Option<Replication>,
    /// From when TTLs count, such as `2026-11-16T07:20:00Z`, or in seconds since 1970; when the
    /// dump begins, if it is not said
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let back_end = arguments.place.existing()?.context("say what to dump")?;
    let filter = Filter::new(&arguments.keyspace, &arguments.table)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let base = match &arguments.as_of {
        Some(text) => second(text, &*clock)?,
        None => clock.now_micros().div_euclid(1_000_000),
    };
    let runtime = connect::runtime()?;
    let connection = runtime.block_on(connect::back_end(&back_end))?;
    let dump = Dump {
        session: Arc::clone(&connection.session),
        clock,
        base,
        bar: terminal::progress(),
        is_schema_only: arguments.schema_only,
    };
    let done = runtime.block_on(async {
        let schema = schema::read(&*dump.session, &filter, arguments.replication.as_ref()).await?;
        for text in &schema.left_out {
            let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
            dump.say(&format!("left out, because CQL cannot make it: {shown}"))?;
        }
        dump.to(&arguments.output, &schema).await
    });
    dump.bar.finish_and_clear();
    drop(dump);
    let closed = connection.close();
    done?;
    closed?;
    Ok(ExitCode::SUCCESS)
}

/// A moment as a person says it, in seconds since 1970.
fn second(text: &str, clock: &dyn Clock) -> anyhow::Result<i64> {
    if let Ok(seconds) = text.parse() {
        return Ok(seconds);
    }
    match parse(&DataType::Timestamp, text, clock) {
        Ok(Value::Timestamp(time)) => Ok(time.0.div_euclid(1_000)),
        _ => bail!("--as-of is a time, such as 2026-11-16T07:20:00Z, not {text:?}"),
    }
}

/// A dump under way.
struct Dump {
    session: Arc<dyn Session>,
    clock: Arc<dyn Clock>,
    /// The second from which TTLs count.
    base: i64,
    bar: ProgressBar,
    is_schema_only: bool,
}

impl Dump {
    fn say(&self, line: &str) -> std::io::Result<()> {
        self.bar.suspend(|| writeln!(std::io::stderr(), "{line}"))
    }

    async fn to(&self, file: &Path, schema: &Schema) -> anyhow::Result<()> {
        if file.as_os_str() == "-" {
            let mut out = BufWriter::new(std::io::stdout());
            return self.write(&mut out, schema).await.map(|_| ());
        }
        // A dump that is broken off leaves the older file of that name alone.
        let part = part_name(file)?;
        let shown = part.display().to_string();
        let created = File::create(&part).with_context(|| format!("cannot write {shown}"))?;
        let mut out = BufWriter::new(created);
        let done = match self.write(&mut out, schema).await {
            Ok(counts) => out
                .get_ref()
                .sync_all()
                .map(|()| counts)
                .map_err(|it| anyhow!(it)),
            Err(problem) => Err(problem),
        };
        let (tables, rows) = match done {
            Ok(counts) => counts,
            Err(problem) => {
                // What is left is of no use; the problem itself is what has to be told.
                let _ = std::fs::remove_file(&part);
                return Err(problem);
            }
        };
        let file_name = file.display();
        let renamed = std::fs::rename(&part, file);
        renamed.with_context(|| format!("cannot rename {shown} to {file_name}"))?;
        self.say(&format!(
            "{tables} tables, {rows} rows written to {file_name}"
        ))?;
        Ok(())
    }

    /// Writes a dump; answers how many tables and rows there are.
    async fn write(&self, out: &mut dyn Write, schema: &Schema) -> anyhow::Result<(u64, u64)> {
        let mut writer = Writer::begin(out)?;
        writer.comment("Load it with: stoa load FILE --data DIR, or --store cql://HOST")?;
        for statement in &schema.before {
            writer.comment("")?;
            writer.statement(statement)?;
        }
        let mut rows = Rows {
            writer: &mut writer,
            base: self.base,
            has_said_base: false,
        };
        for table in &schema.tables {
            let done = self.table(table, &mut rows).await;
            done.with_context(|| format!("cannot dump {}", table.table))?;
        }
        for statement in &schema.after {
            writer.comment("")?;
            writer.statement(statement)?;
        }
        Ok(writer.end()?)
    }

    async fn table(&self, table: &Shape, rows: &mut Rows<'_, '_>) -> anyhow::Result<()> {
        rows.writer.tables += 1;
        if self.is_schema_only {
            return Ok(());
        }
        rows.writer.comment("")?;
        rows.writer.comment(&format!("rows of {}", table.table))?;
        let (session, clock) = (Arc::clone(&self.session), Arc::clone(&self.clock));
        let mut pages = Pages::begin(session, clock, &table.select()).await?;
        let mut last = None;
        while let Some(page) = pages.next().await? {
            for answered in page.rows.iter() {
                rows.take(table, &answered, page.second, &mut last)?;
            }
            let count = rows.writer.rows;
            self.bar
                .set_message(format!("{count} rows, now of {}", table.table));
        }
        Ok(())
    }
}

/// Where a dump is written before it is whole.
fn part_name(file: &Path) -> anyhow::Result<PathBuf> {
    let mut name = file
        .file_name()
        .context("-o needs the name of a file")?
        .to_owned();
    name.push(".part");
    Ok(file.with_file_name(name))
}

/// The rows of a dump on their way into it.
struct Rows<'r, 'w> {
    writer: &'r mut Writer<'w>,
    base: i64,
    has_said_base: bool,
}

impl Rows<'_, '_> {
    /// Writes a row; and its static columns, if it is the first of its partition.
    fn take(
        &mut self,
        table: &Shape,
        answered: &stoa_session::Row<'_>,
        second: i64,
        last: &mut Option<Vec<String>>,
    ) -> anyhow::Result<()> {
        let using = Using {
            base: self.base,
            has_default_ttl: table.has_default_ttl,
        };
        let row = row::read(table, using, answered, second)?;
        let mut texts = Vec::new();
        if last.as_ref() != Some(&row.partition) {
            texts.extend(statements::of_statics(table, using, &row));
        }
        texts.extend(statements::of_row(table, using, &row));
        let columns = row.statics.iter().chain(&row.regulars);
        let has_ttl = columns
            .flat_map(|it| &it.cells)
            .any(|it| it.stamp.expires.is_some());
        if has_ttl && !self.has_said_base {
            self.has_said_base = true;
            self.writer.ttl_base(self.base, &shown(self.base)?)?;
        }
        for text in &texts {
            self.writer.statement(text)?;
        }
        // Nothing is left of a row that was gone by the time from which TTLs count.
        self.writer.rows += u64::from(!texts.is_empty());
        *last = Some(row.partition);
        Ok(())
    }
}

/// A second as a person reads it.
fn shown(second: i64) -> anyhow::Result<String> {
    let time = Value::Timestamp(Timestamp(second.saturating_mul(1_000)));
    Ok(literal(&DataType::Timestamp, &time)?.replace('\'', ""))
}
