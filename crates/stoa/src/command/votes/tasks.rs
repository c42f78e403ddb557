//! `stoa votes tasks`: what is done in the background; which tasks there are, what became of them,
//! and running them at once.

mod equipment;
pub(crate) mod ledger_folder;
pub(crate) mod mail_out;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use chrono::NaiveDate;
use clap::Args;
use serde_json::json;
use stoa_session::Session;
use stoa_tasks::Tables;
use stoa_votes::Votes;
use stoa_votes::tasks::catalog::described;

use self::equipment::Equipment;
use super::task_records::TaskRecords;
use crate::terminal::{self, Palette};

#[derive(Args)]
#[command(
    long_about = "List the background tasks, or run one of them now.\n\nInstances share the tasks out among \
        themselves. Each may run at any time, several times and anywhere, and be killed in the middle: \
        it is run again and ends at the same.\n\nMail is sent only where --mail names a server, words are \
        indexed only where --index names a folder, and the public ledger is kept only where --export \
        names one.",
    after_help = "Examples:\n  \
        stoa votes tasks --list                                   every task, and how often it runs\n  \
        stoa votes tasks --run votes.drain_intents --data data    run one now\n  \
        stoa votes tasks --run-due --data data                    run everything that is due, once\n  \
        stoa votes tasks --run-due --data data --mail smtp://localhost:25 --site https://votes.example.org\n  \
        stoa votes tasks --run votes.refresh_search --data data --index words\n  \
        stoa votes tasks --run-due --data data --export public    keep the public ledger there\n  \
        stoa votes tasks --runs --data data                       how each ran last, and who lives\n  \
        stoa votes tasks --log --day 2026-11-16 --data data       what failed on a day"
)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Arguments {
    /// List every task with how often it runs
    #[arg(long, group = "what")]
    list: bool,
    /// Run the task of this name now
    #[arg(long, value_name = "NAME", group = "what")]
    run: Option<String>,
    /// Run every task that is due, once
    #[arg(long, group = "what")]
    run_due: bool,
    /// Show how each task ran last, and which instances live
    #[arg(long, group = "what")]
    runs: bool,
    /// Show what failed, and what audits found, the last first
    #[arg(long, group = "what")]
    log: bool,
    /// The day of the log; today, if none is named
    #[arg(long, value_name = "YYYY-MM-DD", requires = "log")]
    #[arg(conflicts_with_all = ["list", "run", "run_due", "runs"])]
    day: Option<NaiveDate>,
    #[command(flatten)]
    equipment: Equipment,
    #[command(flatten)]
    pub(super) common: super::TaskArguments,
}

impl Arguments {
    /// What needs no votes at all: the list.
    pub(super) fn list(&self) -> Result<Option<ExitCode>> {
        if !self.list {
            return Ok(None);
        }
        let mut out = std::io::stdout().lock();
        if self.common.json {
            for task in described() {
                let object = json!({
                    "task": task.name,
                    "every_seconds": task.every.as_secs(),
                    "about": task.about,
                    "serves": task.serves,
                });
                writeln!(out, "{object}")?;
            }
            return Ok(Some(ExitCode::SUCCESS));
        }
        writeln!(out, "{:<26}{:<12}what it does", "task", "every")?;
        for task in described() {
            let every = every(task.every.as_secs());
            writeln!(out, "{:<26}{every:<12}{}", task.name, task.about)?;
        }
        Ok(Some(ExitCode::SUCCESS))
    }
}

fn every(seconds: u64) -> String {
    match seconds {
        86_400 => "day".to_owned(),
        3_600 => "hour".to_owned(),
        60 => "minute".to_owned(),
        it if it.is_multiple_of(60) => format!("{} minutes", it / 60),
        it => format!("{it} seconds"),
    }
}

/// Does what was asked for.
pub(super) async fn run(
    session: Arc<dyn Session>,
    votes: Votes,
    arguments: &Arguments,
) -> Result<ExitCode> {
    if let Some(name) = &arguments.run {
        return run_one(votes, arguments, name).await;
    }
    let tables = Tables::open(session, &arguments.common.keyspace).await?;
    let shown = TaskRecords {
        tables: Arc::new(tables),
        json: arguments.common.json,
    };
    if arguments.run_due {
        return shown.run_due(arguments.equipment.tasks(votes)?).await;
    }
    match arguments.log {
        true => shown.log(arguments.day).await?,
        false => shown.runs().await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the task that was named.
async fn run_one(votes: Votes, arguments: &Arguments, name: &str) -> Result<ExitCode> {
    let task = arguments.equipment.task(votes, name)?;
    let bar = terminal::progress();
    bar.set_message(name.to_owned());
    let mut told = Ok(Vec::new());
    for shard in 0..task.shards() {
        match (task.run(shard).await, &mut told) {
            (Ok(done), Ok(all)) => all.extend(Some(done.what).filter(|what| !what.is_empty())),
            (Err(error), told) => *told = Err(error.to_string()),
            (Ok(_), Err(_)) => {}
        }
    }
    bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    let is_fine = told.is_ok();
    let text = told.map_or_else(|error| error, |all| all.join("; "));
    if arguments.common.json {
        writeln!(
            out,
            "{}",
            json!({ "task": name, "ok": is_fine, "told": text })
        )?;
    } else {
        let palette = Palette::for_stdout();
        let verdict = match is_fine {
            true => palette.good("done"),
            false => palette.bad("failed"),
        };
        writeln!(out, "{name}: {verdict} {text}")?;
    }
    Ok(match is_fine {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
