//! What runs in a process of its own: to be killed, to have its memory measured, to be counted.
//!
//! The bench starts its own binary again with these hidden commands. A child answers with one line
//! on standard output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Subcommand, ValueEnum};
use stoa_store::catalog::CatalogChange;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{Options, Store};

use super::data::{PARTITION_ROWS, Row};
use super::engine::open_and_query;
use super::memory::own_peak_kib;
use super::repeat::{self, Repeated};
use super::single::{periodic, store_with_table};
use super::store::clock;
use crate::connect;

#[derive(Subcommand)]
pub(crate) enum Child {
    /// Fill a store with rows
    Fill {
        #[arg(long)]
        dir: PathBuf,
        #[arg(long)]
        rows: u64,
        #[arg(long)]
        end: End,
    },
    /// Open an empty store and tell the memory it takes
    MemoryEmpty {
        #[arg(long)]
        dir: PathBuf,
    },
    /// Open an empty database, query it and tell the memory it takes
    MemoryDatabase {
        #[arg(long)]
        dir: PathBuf,
    },
    /// Fill many tables, read them, and tell the memory that took
    MemoryTables {
        #[arg(long)]
        dir: PathBuf,
        #[arg(long)]
        tables: u64,
        #[arg(long)]
        rows: u64,
    },
    /// Answer every request with so many bytes, until it is killed
    Bare {
        #[arg(long)]
        dir: PathBuf,
        #[arg(long)]
        bytes: usize,
    },
    /// Do something so many times, to be counted from outside
    Repeat {
        #[arg(long)]
        dir: PathBuf,
        #[arg(long)]
        what: Repeated,
        /// For how many operations keys and rows are made
        #[arg(long)]
        prepared: u64,
        /// How many of them are done
        #[arg(long)]
        times: u64,
    },
}

/// How a filled store is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum End {
    /// Closed.
    Close,
    /// Open, waiting to be killed.
    Wait,
}

impl Child {
    fn arguments(&self) -> Vec<String> {
        let text = |it: &dyn std::fmt::Display| it.to_string();
        let name = |it: Option<clap::builder::PossibleValue>| {
            it.map(|it| it.get_name().to_owned()).unwrap_or_default()
        };
        let (command, dir, rest) = match self {
            Self::Fill { dir, rows, end } => {
                let end = name(end.to_possible_value());
                let rest = vec!["--rows".to_owned(), text(rows), "--end".to_owned(), end];
                ("fill", dir, rest)
            }
            Self::MemoryEmpty { dir } => ("memory-empty", dir, Vec::new()),
            Self::MemoryDatabase { dir } => ("memory-database", dir, Vec::new()),
            Self::MemoryTables { dir, tables, rows } => {
                let (tables, rows) = (text(tables), text(rows));
                let rest = vec!["--tables".to_owned(), tables, "--rows".to_owned(), rows];
                ("memory-tables", dir, rest)
            }
            Self::Bare { dir, bytes } => {
                let rest = vec!["--bytes".to_owned(), text(bytes)];
                ("bare", dir, rest)
            }
            Self::Repeat {
                dir,
                what,
                prepared,
                times,
            } => {
                let what = name(what.to_possible_value());
                let mut rest = vec!["--what".to_owned(), what];
                rest.extend(["--prepared".to_owned(), text(prepared)]);
                rest.extend(["--times".to_owned(), text(times)]);
                ("repeat", dir, rest)
            }
        };
        let dir = dir.display().to_string();
        let head = ["bench", "child", command, "--dir", &dir].map(str::to_owned);
        head.into_iter().chain(rest).collect()
    }

    /// The command line that runs it, under `wrapper` if there is one.
    pub(super) fn command(&self, wrapper: &[&str]) -> Result<Command> {
        let me = std::env::current_exe().context("cannot find the own binary")?;
        let mut command = match wrapper.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(me);
                command
            }
            None => Command::new(me),
        };
        command.args(self.arguments());
        Ok(command)
    }
}

/// Runs a child to its end and returns what it said.
pub(super) fn answer(child: &Child) -> Result<String> {
    let output = child
        .command(&[])?
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start the own binary again")?;
    ensure!(output.status.success(), "a child failed: {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a child until it says that it is ready, then kills it.
pub(super) fn run_until_killed(child: &Child) -> Result<()> {
    let mut running = child
        .command(&[])?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the own binary again")?;
    let mut line = String::new();
    if let Some(stdout) = running.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    running.kill()?;
    running.wait()?;
    if line.trim() != "ready" {
        bail!("a child ended before it was ready");
    }
    Ok(())
}

/// Does the child's work; this runs in the process of its own.
pub(super) fn run(child: &Child) -> Result<()> {
    match child {
        Child::Fill { dir, rows, end } => fill(dir, *rows, *end),
        Child::MemoryEmpty { dir } => {
            let store = Store::open(dir, Options::default(), clock())?;
            say(&own_peak_kib()?.to_string())?;
            Ok(store.close()?)
        }
        Child::MemoryDatabase { dir } => {
            let database = open_and_query(dir)?;
            say(&own_peak_kib()?.to_string())?;
            Ok(database.close()?)
        }
        Child::MemoryTables { dir, tables, rows } => memory_tables(dir, *tables, *rows),
        Child::Bare { bytes, .. } => bare(*bytes),
        Child::Repeat {
            dir,
            what,
            prepared,
            times,
        } => repeat::run(dir, *what, *prepared, *times),
    }
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

fn bare(bytes: usize) -> Result<()> {
    let told = |address: std::net::SocketAddr| {
        // Whoever started this is gone if nobody reads it.
        let _ = say(&address.to_string());
    };
    // Killed by whoever started it.
    let served = stoa_web::bare::serve(bytes, told, std::future::pending());
    Ok(connect::runtime()?.block_on(served)?)
}

fn fill(dir: &Path, rows: u64, end: End) -> Result<()> {
    let store = store_with_table(dir, periodic())?;
    for first in (0..rows).step_by(PARTITION_ROWS as usize) {
        let last = (first + PARTITION_ROWS).min(rows);
        let updates = (first..last).map(|row| Row(row).insert());
        store.write(updates.collect::<Result<_>>()?)?;
    }
    store.sync()?;
    match end {
        End::Close => Ok(store.close()?),
        End::Wait => {
            say("ready")?;
            // Whoever started this kills it; if they are gone, their end of the pipe closes.
            std::io::stdin().read_to_end(&mut Vec::new())?;
            Ok(())
        }
    }
}

fn memory_tables(dir: &Path, tables: u64, rows: u64) -> Result<()> {
    let store = Store::open(dir, periodic(), clock())?;
    let ids: Vec<TableId> = (1..=tables).map(TableId).collect();
    store.change_catalog(CatalogChange {
        create: ids
            .iter()
            .map(|id| (*id, TableOptions::default()))
            .collect(),
        ..CatalogChange::default()
    })?;
    for first in (0..rows).step_by(20) {
        for id in &ids {
            let updates = (first..(first + 20).min(rows)).map(|row| {
                let mut update = Row(row).insert()?;
                update.table = *id;
                Ok(update)
            });
            store.write(updates.collect::<Result<_>>()?)?;
        }
    }
    let view = store.view()?;
    for id in &ids {
        for row in (0..rows).step_by(10).map(Row) {
            let partition = view.partition(*id, row.partition()?)?;
            ensure!(
                partition.row(&row.clustering())?.is_some(),
                "a row is missing"
            );
        }
    }
    drop(view);
    say(&own_peak_kib()?.to_string())?;
    Ok(store.close()?)
}
