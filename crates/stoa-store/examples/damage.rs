//! The full figures of the damage suites: `cargo xtask damage [SUITE] [--count N] [--seed S] [--json]`.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a harness fails by panicking and says what it found"
)]

#[path = "../tests/it/damage/mod.rs"]
mod damage;

use std::process::ExitCode;

use stoa_testkit::powercut::{Strace, Unavailable};
use stoa_types::clock::{Clock, SystemClock};

use damage::suite::{Effort, SUITES, Suite};
use damage::tally::Tally;

const USAGE: &str = "usage: damage [all|SUITE...] [--count N] [--seed S] [--json]";

fn main() -> ExitCode {
    if let Some(task) = damage::child::task() {
        damage::run_child(&task);
        return ExitCode::SUCCESS;
    }
    let wish = match Wish::parse(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(problem) => {
            let names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
            eprintln!("{problem}\n{USAGE}\nsuites: {}", names.join(" "));
            return ExitCode::from(2);
        }
    };
    let strace = match Strace::probe() {
        Ok(strace) => Some(strace),
        Err(reason @ Unavailable::Skipped) => {
            eprintln!("SKIPPED: damage that needs strace: {reason}");
            None
        }
        Err(reason) => {
            eprintln!("{reason}; set STOA_SKIPPED=powercut to go without");
            return ExitCode::from(2);
        }
    };
    let mut tallies = Vec::new();
    for suite in &wish.suites {
        tallies.extend(run(suite, &wish, strace));
    }
    report(&tallies, wish.json);
    match tallies.iter().all(Tally::is_good) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn run(suite: &Suite, wish: &Wish, strace: Option<Strace>) -> Option<Tally> {
    let count = wish.count.unwrap_or(suite.full);
    let effort = Effort::new(count, wish.seed);
    let clock = SystemClock::new();
    let before = clock.monotonic();
    let points = match count {
        u64::MAX => "all".to_owned(),
        count => count.to_string(),
    };
    eprintln!("{}: {points} points, seed {}", suite.name, wish.seed);
    let Some(mut tally) = (suite.run)(strace, &effort) else {
        eprintln!("SKIPPED: {}", suite.name);
        return None;
    };
    tally.took = clock.monotonic().saturating_sub(before);
    eprint!("\r{}", tally.story());
    eprintln!("{}: done in {:.1} s", suite.name, tally.took.as_secs_f64());
    Some(tally)
}

fn report(tallies: &[Tally], json: bool) {
    if json {
        let lines: Vec<String> = tallies.iter().map(Tally::json).collect();
        println!("[{}]", lines.join(",\n "));
        return;
    }
    println!("suite           points    lost  silent    dead  errors named      time  seed");
    for tally in tallies {
        println!(
            "{:<13} {:>8} {:>7} {:>7} {:>7} {:>13} {:>7.1} s  {}",
            tally.suite,
            tally.points,
            tally.lost,
            tally.silent,
            tally.dead,
            tally.named,
            tally.took.as_secs_f64(),
            tally.seed
        );
    }
}

/// What the command line asks for.
struct Wish {
    suites: Vec<&'static Suite>,
    count: Option<u64>,
    seed: u64,
    json: bool,
}

impl Wish {
    fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wish = Self {
            suites: Vec::new(),
            count: None,
            seed: 1,
            json: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().unwrap_or_default();
                let number: Result<u64, _> = text.replace('_', "").parse();
                number.map_err(|_| format!("{word} needs a number, not `{text}`"))
            };
            match word.as_str() {
                "--count" => wish.count = Some(number()?),
                "--seed" => wish.seed = number()?,
                "--json" => wish.json = true,
                "all" => wish.suites.extend(SUITES),
                name => {
                    let suite = SUITES.iter().find(|suite| suite.name == name);
                    wish.suites
                        .push(suite.ok_or_else(|| format!("no suite `{name}`"))?);
                }
            }
        }
        if wish.suites.is_empty() {
            wish.suites.extend(SUITES);
        }
        Ok(wish)
    }
}
