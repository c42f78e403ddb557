//! Random scripts on the embedded engine and on a live Cassandra; what `cargo xtask oracle` runs.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command-line tool answers on its terminal"
)]

mod harness;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::tally::Tally;
use harness::{Wish, run};
use indicatif::{ProgressBar, ProgressStyle};
use stoa_session::BackEnd;
use stoa_types::clock::SystemClock;

const USAGE: &str = "\
usage: oracle [--statements N] [--schemas M] [--seed S] [--jobs J] [--tries T] [--out DIR]
              [--store URI]

--statements  about so many in all (20000)
--schemas     over so many schemas (one for every 1000 statements)
--seed        the first seed; each schema has the next (1)
--jobs        so many at once (6)
--tries       so often is a script run to make it small; 0 for never (120)
--out         a folder for the scripts that differ
--store       the cluster; without it, what STOA_CASSANDRA says";

/// Statements of a schema where only their sum is given.
const STATEMENTS_EACH: usize = 1_000;

/// Where there is no terminal, a line tells of progress every so many schemas.
const LINE_EVERY: usize = 50;

#[tokio::main]
async fn main() -> ExitCode {
    let (wish, out) = match parse(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(problem) => {
            eprintln!("oracle: {problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let bar = bar(wish.schemas);
    let progress = bar.clone();
    let shown = AtomicUsize::new(0);
    let told = run(wish, Arc::new(SystemClock::new()), move |tally| {
        let from = shown.swap(tally.findings.len(), Ordering::SeqCst);
        for finding in tally.findings.iter().skip(from) {
            progress.suspend(|| println!("{finding}"));
        }
        if progress.is_hidden() && tally.schemas.is_multiple_of(LINE_EVERY) {
            let (schemas, statements) = (tally.schemas, tally.statements);
            eprintln!("oracle: {schemas} schemas, {statements} statements so far");
        }
        progress.set_position(u64::try_from(tally.schemas).unwrap_or(u64::MAX));
        progress.set_message(format!(
            "{} statements, {} differ",
            tally.statements,
            tally.findings.len()
        ));
    });
    let told = told.await;
    bar.finish_and_clear();
    match told.and_then(|tally| report(&tally, out.as_deref())) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("oracle: {problem}");
            ExitCode::from(2)
        }
    }
}

fn bar(schemas: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} schemas, {eta} left, {msg}");
    let bar = ProgressBar::new(u64::try_from(schemas).unwrap_or(u64::MAX));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn report(tally: &Tally, out: Option<&Path>) -> Result<ExitCode, String> {
    if let Some(folder) = out {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    for finding in &tally.findings {
        if let (Some(folder), Some(script)) = (out, &finding.script) {
            let path = folder.join(format!("seed_{}.script", finding.seed));
            std::fs::write(path, script).map_err(|error| error.to_string())?;
        }
    }
    println!("{}", tally.summary());
    Ok(match tally.findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<(Wish, Option<PathBuf>), String> {
    let mut store = std::env::var("STOA_CASSANDRA").ok();
    let (mut statements, mut schemas, mut seed, mut jobs, mut tries) = (20_000, None, 1, 6, 120);
    let mut out = None;
    while let Some(flag) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("{flag} needs a value"))?;
        let number = || {
            value
                .parse::<usize>()
                .map_err(|_| format!("{flag}: not a number: {value}"))
        };
        match flag.as_str() {
            "--statements" => statements = number()?,
            "--schemas" => schemas = Some(number()?.max(1)),
            "--seed" => seed = value.parse().map_err(|_| format!("not a seed: {value}"))?,
            "--jobs" => jobs = number()?.max(1),
            "--tries" => tries = number()?,
            "--out" => out = Some(PathBuf::from(value)),
            "--store" => store = Some(value),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    let store = store.ok_or("--store is missing, and so is STOA_CASSANDRA")?;
    let address = match store.parse() {
        Ok(BackEnd::Cluster(address)) => *address,
        Ok(_) => return Err(format!("{store} is not a cluster; expected cql://HOST")),
        Err(problem) => return Err(format!("{store}: {problem}")),
    };
    let schemas = schemas.unwrap_or_else(|| statements.div_ceil(STATEMENTS_EACH).max(1));
    let wish = Wish {
        address,
        seed,
        schemas,
        statements_each: statements.div_ceil(schemas),
        jobs,
        tries,
    };
    Ok((wish, out))
}
