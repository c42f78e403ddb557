//! `stoa votes`: what an operator does with the voting domain, on the embedded database or on a
//! cluster.

pub(crate) mod demo;
mod export;
mod part_file;
pub(crate) mod task_records;
pub(crate) mod tasks;
mod verify;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use stoa_session::{Session, Shortcuts as _, Statement};
use stoa_types::{SystemClock, SystemIds};
use stoa_votes::rules::audit::{Books, Finding};
use stoa_votes::{Settings, Votes};

use crate::connect::{self, Place};
use crate::terminal::{self, Palette};

/// The keyspace of the domain, unless another is named.
pub(crate) const KEYSPACE: &str = "stoa_votes";

#[derive(Args)]
#[command(
    long_about = "Count, check and close votes.\n\nEvery task may run at any time, several times and on several machines at once: \
        the result is the same.",
    after_help = "Examples:\n  \
        stoa votes audit --data data        does everything follow from what people voted?\n  \
        stoa votes recount --data data      sum every policy anew\n  \
        stoa votes close-day --data data    close every day that is over\n  \
        stoa votes demo --data town         a community to look around in
  \
        stoa votes tasks --list             what is done in the background
  \
        stoa votes export --data data --out ledger.jsonl   write the public ledger\n  \
        stoa votes verify ledger.jsonl      count everything again, from the file alone\n  \
        stoa votes audit --store cql://127.0.0.1/stoa_votes --json"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Read everything and say what does not follow from the chains of users; exit code 1 if
    /// anything does not
    Audit(TaskArguments),
    /// Finish what was begun, and sum every policy anew
    Recount(TaskArguments),
    /// Close every day that is over, in their order
    CloseDay(TaskArguments),
    /// Fill a living community, to look around in
    Demo(demo::Arguments),
    /// List the background tasks, or run one of them now
    Tasks(Box<tasks::Arguments>),
    /// Write the public ledger of all closed days, as lines of JSON
    Export(export::Arguments),
    /// Count everything again from an exported ledger alone; exit code 1 if anything is wrong
    Verify(verify::Arguments),
}

#[derive(Args)]
struct TaskArguments {
    #[command(flatten)]
    place: Place,
    /// The keyspace of the domain
    #[arg(long, value_name = "NAME", default_value = KEYSPACE)]
    keyspace: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let common = match &arguments.task {
        Task::Audit(common) | Task::Recount(common) | Task::CloseDay(common) => common,
        Task::Export(arguments) => &arguments.common,
        Task::Tasks(arguments) => match arguments.list()? {
            Some(code) => return Ok(code),
            None => &arguments.common,
        },
        Task::Demo(arguments) => return demo::run(arguments),
        Task::Verify(arguments) => return verify::run(arguments),
    };
    connect::runtime()?.block_on(act(&arguments.task, common))
}

async fn act(task: &Task, common: &TaskArguments) -> Result<ExitCode> {
    let Some(back_end) = common.place.existing()? else {
        bail!("say where the votes are: --data DIR, or --store URI");
    };
    let connection = connect::back_end(&back_end).await?;
    let votes = open(Arc::clone(&connection.session), &common.keyspace).await?;
    let code = match task {
        Task::Audit(_) => audit(&votes, common).await?,
        Task::Recount(_) => recount(&votes, common).await?,
        Task::CloseDay(_) => close_days(&votes, common).await?,
        Task::Export(arguments) => export::run(&votes, arguments).await?,
        Task::Tasks(arguments) => {
            let session = Arc::clone(&connection.session);
            tasks::run(session, votes, arguments).await?
        }
        Task::Demo(arguments) => demo::run(arguments)?,
        // Needs no votes but those of the file.
        Task::Verify(arguments) => verify::run(arguments)?,
    };
    connection.close()?;
    Ok(code)
}

/// How much there is to read is not known before it is read.
async fn audit(votes: &Votes, common: &TaskArguments) -> Result<ExitCode> {
    let bar = terminal::progress();
    bar.set_message("reading everything");
    let books = votes.books().await?;
    bar.set_message("checking");
    let findings = books.audit();
    bar.finish_and_clear();
    write_audit(&mut std::io::stdout().lock(), common, &books, &findings)?;
    Ok(match findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

async fn recount(votes: &Votes, common: &TaskArguments) -> Result<ExitCode> {
    let bar = terminal::progress();
    bar.set_message("finishing what was begun");
    votes.drain().await?;
    votes.finish_merges().await?;
    bar.set_message("looking for policies");
    let roots = votes.roots().await?;
    bar.finish_and_clear();
    let counted = roots.len();
    let bar = terminal::progress_of(u64::try_from(counted)?);
    bar.set_message("policies counted");
    for root in roots {
        votes.recount(root).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    match common.json {
        true => writeln!(out, "{}", json!({ "policies": counted }))?,
        false => writeln!(out, "{counted} policies counted")?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn close_days(votes: &Votes, common: &TaskArguments) -> Result<ExitCode> {
    let days = votes.days_over().await?;
    let bar = terminal::progress_of(u64::try_from(days.len())?);
    bar.set_message("days closed");
    for day in days {
        // One that others are closing is left to what follows.
        if !votes.close_day(day).await? {
            break;
        }
        bar.inc(1);
    }
    // Another one may have ended meanwhile.
    let through = votes.close_days().await?;
    bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    match common.json {
        true => writeln!(out, "{}", json!({ "closed_through": through.to_string() }))?,
        false => writeln!(out, "all days up to {through} are closed")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses what is not plainly the name of a keyspace.
fn check_name(keyspace: &str) -> Result<()> {
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    match keyspace.chars().all(is_plain) {
        true => Ok(()),
        false => bail!(
            "a keyspace of votes is named by small letters, digits and _: {keyspace:?} is not"
        ),
    }
}

/// Nodes that keep each row, of a cluster that has as many.
const MOST_REPLICAS: usize = 3;

/// Makes a keyspace, unless it is there: every row on three nodes, or on all where there are fewer.
pub(crate) async fn create_keyspace(session: &dyn Session, keyspace: &str) -> Result<()> {
    check_name(keyspace)?;
    let peers = session.query("SELECT peer FROM system.peers", ()).await?;
    let replicas = (peers.into_rows().len() + 1).min(MOST_REPLICAS);
    let create = format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': {replicas}}}"
    );
    session.run_text(&create).await?;
    Ok(())
}

/// The domain in a keyspace that exists.
pub(crate) async fn open(session: Arc<dyn Session>, keyspace: &str) -> Result<Votes> {
    check_name(keyspace)?;
    let known = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let known = session.query(known, (keyspace,)).await?.into_rows();
    if known.is_empty() {
        bail!("there is no keyspace {keyspace}; name another with --keyspace");
    }
    let table = format!("SELECT head FROM {keyspace}.vote_chain LIMIT 1");
    session
        .run(&Statement::new(table), None)
        .await
        .with_context(|| format!("the keyspace {keyspace} holds no votes"))?;
    let clock = Arc::new(SystemClock::new());
    let ids = Arc::new(SystemIds::new());
    let settings = Settings::default();
    let votes = Votes::open(session, keyspace, clock, ids, settings).await?;
    // What is written here is stamped by this machine's clock, and days are closed by it.
    votes.measure_clock().await?;
    votes
        .check_clock()
        .context("set the clock of this machine first")?;
    Ok(votes)
}

fn write_audit(
    out: &mut impl Write,
    common: &TaskArguments,
    books: &Books,
    findings: &[Finding],
) -> Result<()> {
    let records: usize = books
        .chains
        .values()
        .map(|(_, records)| records.len())
        .sum();
    let counts = [
        ("users", books.chains.len()),
        ("records", records),
        ("policies", books.policies.len()),
        ("increments", books.increments.len()),
    ];
    if common.json {
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let counts = counts.map(|(name, count)| (name.to_owned(), json!(count)));
        let mut object: serde_json::Map<_, _> = counts.into_iter().collect();
        object.insert("findings".to_owned(), json!(findings));
        writeln!(out, "{}", serde_json::Value::from(object))?;
        return Ok(());
    }
    let palette = Palette::for_stdout();
    for (name, count) in counts {
        writeln!(out, "{name:<12}{count:>12}")?;
    }
    for finding in findings {
        writeln!(out, "{}", palette.bad(&finding.to_string()))?;
    }
    let verdict = match findings.len() {
        0 => palette.good("the books balance, to the single vote"),
        wrong => palette.bad(&format!("{wrong} findings")),
    };
    writeln!(out, "{verdict}")?;
    Ok(())
}
