//! Conformance scripts on a live Cassandra; what `cargo xtask conformance record|check` runs.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command-line tool answers on its terminal"
)]

#[path = "../tests/it/scripts.rs"]
mod scripts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stoa_session::BackEnd;
use stoa_session::uri::ClusterAddress;
use stoa_testkit::conformance::suite::{self, Case};

use scripts::{Tallies, Task};

const USAGE: &str = "\
usage: conformance record|check [--store URI] [--folder DIR] [--only WORD] [--jobs N]

record   write down what the cluster answers
check    compare what it answers with what is written down; exit code 1 if anything differs
--store  the cluster; without it, what STOA_CASSANDRA says";

/// Scripts that let time pass sleep most of it, so more run at once than there are cores.
const JOBS: usize = 4;

#[tokio::main]
async fn main() -> ExitCode {
    let wish = match Wish::parse(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(problem) => {
            eprintln!("conformance: {problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let Wish {
        task,
        address,
        folder,
        only,
        jobs,
    } = wish;
    let tallies = match chosen(&folder, &only) {
        Ok(cases) => scripts::run_all(task, &address, cases, jobs).await,
        Err(problem) => Err(problem),
    };
    match tallies {
        Ok(tallies) => report(task, &tallies),
        Err(problem) => {
            eprintln!("conformance: {problem}");
            ExitCode::from(2)
        }
    }
}

/// The scripts of a folder whose names contain a word.
fn chosen(folder: &Path, only: &str) -> Result<Vec<Case>, String> {
    let mut cases = suite::load(folder)?;
    cases.retain(|case| case.name.contains(only));
    match cases.is_empty() {
        true => Err(format!(
            "no script below {} is called {only:?}",
            folder.display()
        )),
        false => Ok(cases),
    }
}

struct Wish {
    task: Task,
    address: ClusterAddress,
    folder: PathBuf,
    only: String,
    jobs: usize,
}

impl Wish {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let task = match arguments.next().as_deref() {
            Some("record") => Task::Record,
            Some("check") => Task::Check,
            _ => return Err("expected record or check".to_owned()),
        };
        let mut store = std::env::var("STOA_CASSANDRA").ok();
        let (mut folder, mut only, mut jobs) = (PathBuf::from("conformance"), String::new(), JOBS);
        while let Some(flag) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--store" => store = Some(value),
                "--folder" => folder = value.into(),
                "--only" => only = value,
                "--jobs" => {
                    jobs = value
                        .parse()
                        .map_err(|_| format!("not a number: {value}"))?;
                }
                _ => return Err(format!("unknown flag {flag}")),
            }
        }
        let store = store.ok_or("--store is missing, and so is STOA_CASSANDRA")?;
        let address = match store.parse() {
            Ok(BackEnd::Cluster(address)) => *address,
            Ok(_) => return Err(format!("{store} is not a cluster; expected cql://HOST")),
            Err(problem) => return Err(format!("{store}: {problem}")),
        };
        Ok(Self {
            task,
            address,
            folder,
            only,
            jobs: jobs.max(1),
        })
    }
}

fn report(task: Task, tallies: &Tallies) -> ExitCode {
    let all = || tallies.values();
    for problem in all().flat_map(|tally| &tally.problems) {
        println!("{problem}");
    }
    let failed = match task {
        Task::Record => "not recorded",
        Task::Check => "differ",
    };
    println!(
        "{:<14} {:>8} {:>11} {:>13}",
        "", "scripts", "statements", failed
    );
    let line = |name: &str, scripts: usize, statements: usize, problems: usize| {
        println!("{name:<14} {scripts:>8} {statements:>11} {problems:>13}");
    };
    for (name, tally) in tallies {
        line(name, tally.scripts, tally.statements, tally.problems.len());
    }
    let problems = all().map(|tally| tally.problems.len()).sum();
    let (scripts, statements) = (
        all().map(|tally| tally.scripts),
        all().map(|tally| tally.statements),
    );
    line("all", scripts.sum(), statements.sum(), problems);
    match problems {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
