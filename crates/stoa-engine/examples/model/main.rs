//! The long trial of the engine against the model of CQL: `cargo xtask model`.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a command for developers: it says what it found and what went wrong"
)]

use std::process::ExitCode;
use std::sync::Arc;

use stoa_testkit::random::{Family, Shape, generate};
use stoa_testkit::trial::{Settings, Tally, Trial};
use stoa_types::clock::ManualClock;

mod rival;

use rival::Embedded;

/// When the trials begin.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

const USAGE: &str =
    "usage: model [--statements N] [--schemas N] [--seed N] [--findings N] [--disk] [--everything]";

/// What was asked for.
struct Wish {
    statements: usize,
    schemas: usize,
    seed: u64,
    findings: usize,
    is_on_disk: bool,
    is_everything: bool,
}

impl Wish {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wish = Self {
            statements: 200_000,
            schemas: 200,
            seed: 1,
            findings: 5,
            is_on_disk: false,
            is_everything: false,
        };
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--disk" => {
                    wish.is_on_disk = true;
                    continue;
                }
                "--everything" => {
                    wish.is_everything = true;
                    continue;
                }
                _ => {}
            }
            let value = arguments
                .next()
                .ok_or_else(|| format!("{name} needs a number; {USAGE}"))?;
            let number: u64 = value
                .parse()
                .map_err(|_| format!("{name} needs a number, not {value}; {USAGE}"))?;
            let count = usize::try_from(number).unwrap_or(usize::MAX);
            match name.as_str() {
                "--statements" => wish.statements = count,
                "--schemas" => wish.schemas = count.max(1),
                "--seed" => wish.seed = number,
                "--findings" => wish.findings = count,
                _ => return Err(format!("unknown argument {name}; {USAGE}")),
            }
        }
        Ok(wish)
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let wish = match Wish::read(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    match run(&wish).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all scripts; false if anything differs or a planted answer was not seen.
async fn run(wish: &Wish) -> Result<bool, String> {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = wish.is_on_disk.then(|| folder.path().to_path_buf());
    let mut embedded = Embedded::open(place, &clock)?;
    let settings = Settings {
        excuses: &[],
        upset_every: 400,
        plant_most: 12,
        shrink_tries: 300,
    };
    let mut trial = Trial::new(&mut embedded, clock, settings);
    let mut shape = Shape::new((wish.statements / wish.schemas).max(1));
    if !wish.is_everything {
        shape.without = vec![Family::View, Family::InsertJson];
    }
    let mut found = 0;
    for number in 0..wish.schemas {
        let seed = wish.seed.wrapping_add(number as u64);
        let case = generate(seed, &shape).map_err(|error| error.to_string())?;
        if let Some(finding) = trial.case(&case).await? {
            found += 1;
            println!("{finding}");
            if found >= wish.findings {
                break;
            }
        }
        if number % 100 == 99 {
            println!("{} statements, {found} differences", trial.tally.statements);
        }
    }
    report(&trial.tally, found, wish.seed);
    Ok(found == 0 && trial.tally.unseen == 0)
}

fn report(tally: &Tally, found: usize, seed: u64) {
    let unknown = tally.not_modelled();
    let planted: usize = tally.planted.values().sum();
    println!(
        "seed {seed}: {} statements over {} schemas, {} upsets, {} refused by both; \
         {unknown} not modelled ({:.1} %); {found} differences; {planted} planted, {} not seen",
        tally.statements,
        tally.schemas,
        tally.upsets,
        tally.refused,
        100.0 * unknown as f64 / tally.statements.max(1) as f64,
        tally.unseen,
    );
    for (reason, count) in &tally.excused {
        println!("{count:>9} excused: {reason}");
    }
    let mut reasons: Vec<_> = tally.unknown.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.iter().take(25) {
        println!("{count:>9} {reason}");
    }
}
