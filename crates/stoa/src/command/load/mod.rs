//! `stoa load`: reads a dump into a database.
//!
//! [`reader`] gives statements and notices damage, [`target`] executes those of the schema one
//! after another, [`writes`] those of rows many at a time, [`adjust`] turns them into what a back
//! end has to execute now.

mod adjust;
mod reader;
mod target;
mod writes;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use clap::{ArgGroup, Args};
use indicatif::ProgressBar;
use stoa_types::{Clock, SystemClock};

use self::reader::{Item, Reader, Trust};
use self::target::{Made, Tables, Target};
use self::writes::{Counts, Failed, Writes};
use super::replication::Replication;
use crate::connect::{self, Place};
use crate::terminal;

/// How often progress is shown, in statements.
const SHOWN_EVERY: u64 = 256;

const LONG_ABOUT: &str = "\
Read what `stoa dump` wrote into a database: a folder, memory, or a cluster.

A file is read to its end first, and refused before anything is changed if it is damaged or cut
short. From standard input that is noticed only when it comes, and said.

A load that was broken off is repeated by the same command: what is there already is written again
with the same timestamps, which changes nothing. Newer values are kept, because each value has its
timestamp. Only counters cannot be loaded twice: they are added to. So a table with counters must
be empty, or --add-counters say that adding is what is wanted.

TTLs go on as if nothing had happened: what would be gone by now is left out.

On a cluster, indexes and views are still being built when the command ends.

Exit codes: 0 everything was loaded; 1 something was not, and standard error says what.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    group(ArgGroup::new("back_end").required(true).args(["data", "memory", "store"])),
    after_help = "Examples:\n  \
        stoa load votes.cql --data data              into a folder\n  \
        stoa load votes.cql --store cql://10.0.0.1 --replication dc1:3   into a cluster\n  \
        stoa load votes.cql --memory                 only to see whether it can be loaded\n  \
        gunzip < votes.cql.gz | stoa load - --data data"
)]
pub(crate) struct Arguments {
    /// The dump; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Give all keyspaces this replication: a number of copies, or `dc1:3,dc2:3`
    #[arg(long, value_name = "COPIES")]
    replication: Option<Replication>,
    /// Add to counters that are there already
    #[arg(long)]
    add_counters: bool,
    /// Load a dump that was edited by hand: do not compare checksums
    #[arg(long)]
    unchecked: bool,
    /// How many rows are written at a time
    #[arg(long, value_name = "COUNT", default_value_t = 64)]
    writers: usize,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let back_end = arguments
        .place
        .back_end()?
        .context("say where to load it")?;
    let trust = match arguments.unchecked {
        true => Trust::Unchecked,
        false => Trust::Checked,
    };
    let input = Input::open(&arguments.file)?;
    if trust == Trust::Checked {
        input.verify()?;
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let runtime = connect::runtime()?;
    let connection = runtime.block_on(connect::back_end(&back_end))?;
    let (bar, reader) = input.reader(trust)?;
    let session = Arc::clone(&connection.session);
    let load = Load {
        name: input.name.clone(),
        bar,
        target: Target {
            session: Arc::clone(&session),
            replication: arguments.replication.clone(),
            may_add_counters: arguments.add_counters,
            tables: HashMap::new(),
        },
        writes: Writes::new(session, Arc::clone(&clock), arguments.writers),
        refused: 0,
    };
    let start = clock.monotonic();
    let done = runtime.block_on(load.all(reader));
    let closed = connection.close();
    let done = done?;
    closed?;
    done.tell(clock.monotonic().saturating_sub(start).as_secs_f64())?;
    Ok(match done.refused {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Where a dump comes from.
struct Input {
    name: String,
    /// The file; `None` is standard input.
    path: Option<PathBuf>,
}

impl Input {
    fn open(path: &Path) -> anyhow::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self {
                name: "stdin".to_owned(),
                path: None,
            });
        }
        Ok(Self {
            name: path.display().to_string(),
            path: Some(path.to_owned()),
        })
    }

    fn file(path: &Path) -> anyhow::Result<(ProgressBar, File)> {
        let file = File::open(path);
        let file = file.with_context(|| format!("cannot read {}", path.display()))?;
        let bar = terminal::progress_over(file.metadata()?.len());
        Ok((bar, file))
    }

    /// Reads a file to its end, if it is one that can be read again.
    fn verify(&self) -> anyhow::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let (bar, file) = Self::file(path)?;
        if !file.metadata()?.is_file() {
            return Ok(());
        }
        bar.set_message("checking the file");
        let input = BufReader::new(bar.wrap_read(file));
        let done = reader::verify(Reader::new(&self.name, input, Trust::Checked));
        bar.finish_and_clear();
        done.context("nothing was loaded")
    }

    fn reader(&self, trust: Trust) -> anyhow::Result<(ProgressBar, Reader<Box<dyn Read>>)> {
        let (bar, input): (ProgressBar, Box<dyn Read>) = match &self.path {
            Some(path) => {
                let (bar, file) = Self::file(path)?;
                let input = BufReader::new(bar.wrap_read(file));
                (bar, Box::new(input))
            }
            None => (terminal::progress(), Box::new(std::io::stdin())),
        };
        Ok((bar, Reader::new(&self.name, input, trust)))
    }
}

/// A load under way.
struct Load {
    name: String,
    bar: ProgressBar,
    target: Target,
    writes: Writes,
    refused: u64,
}

/// What was loaded.
struct Loaded {
    tables: usize,
    /// How many there are in the dump; `None` if it does not tell.
    rows: Option<u64>,
    counts: Counts,
    refused: u64,
}

impl Load {
    async fn all(mut self, mut reader: Reader<Box<dyn Read>>) -> anyhow::Result<Loaded> {
        let done = self.read(&mut reader).await;
        let finished = self.writes.finish().await;
        self.bar.finish_and_clear();
        let counts = self.writes.counts;
        let done = done.and(finished.map_err(|failed| self.failed(failed)));
        if let Err(problem) = done {
            let count = counts.written;
            let advice = "when that is put right, the same command goes on";
            return Err(anyhow!("{problem:#}; {count} writes were done, {advice}"));
        }
        Ok(Loaded {
            tables: self.target.tables.len(),
            rows: reader.totals().map(|it| it.rows),
            counts,
            refused: self.refused,
        })
    }

    async fn read(&mut self, reader: &mut Reader<Box<dyn Read>>) -> anyhow::Result<()> {
        let mut tables = Arc::new(Tables::new());
        let mut seen = 0_u64;
        while let Some(item) = reader.next()? {
            if is_write(&item.text) {
                let pushed = self.writes.push(item, &tables).await;
                pushed.map_err(|failed| self.failed(failed))?;
            } else {
                let finished = self.writes.finish().await;
                finished.map_err(|failed| self.failed(failed))?;
                self.make(&item).await?;
                tables = Arc::new(self.target.tables.clone());
            }
            seen += 1;
            if seen.is_multiple_of(SHOWN_EVERY) {
                let count = self.writes.counts.written;
                self.bar.set_message(format!("{count} writes"));
            }
        }
        Ok(())
    }

    async fn make(&mut self, item: &Item) -> anyhow::Result<()> {
        let place = format!("{}:{}", self.name, item.line);
        let statement = stoa_cql::parse(&item.text);
        let statement = statement.with_context(|| place.clone())?.statement;
        let made = self.target.make(statement, &item.text).await;
        if let Made::Refused(why) = made.with_context(|| place.clone())? {
            self.refused += 1;
            let first = item.text.lines().next().unwrap_or("");
            let told = format!("{place}: not made, because {why}: {first}");
            self.bar.suspend(|| writeln!(std::io::stderr(), "{told}"))?;
        }
        Ok(())
    }

    fn failed(&self, failed: Failed) -> anyhow::Error {
        failed
            .problem
            .context(format!("{}:{}", self.name, failed.line))
    }
}

impl Loaded {
    fn tell(&self, seconds: f64) -> anyhow::Result<()> {
        let Counts { written, gone } = self.counts;
        let rows = self
            .rows
            .map_or(String::new(), |rows| format!(", {rows} rows"));
        let tables = self.tables;
        let mut told =
            format!("{tables} tables{rows} loaded by {written} writes in {seconds:.1} s");
        if gone > 0 {
            told.push_str(&format!("; {gone} had ended by now"));
        }
        if self.refused > 0 {
            told.push_str(&format!(
                "; {} parts of the schema were not made",
                self.refused
            ));
        }
        writeln!(std::io::stderr(), "{told}").map_err(|problem| anyhow!(problem))
    }
}

/// Whether a statement writes rows; everything else is executed alone.
fn is_write(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("");
    ["INSERT", "UPDATE", "BEGIN"]
        .iter()
        .any(|it| word.eq_ignore_ascii_case(it))
}
