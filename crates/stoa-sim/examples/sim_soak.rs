//! Runs many seeds of the voting simulation: a small program that is quick to build, for long runs.
//!
//! `sim_soak votes COUNT [FIRST]`, `sim_soak rules COUNT [FIRST]`, `sim_soak find COUNT [FIRST]`, and
//! `sim_soak without COUNT [FIRST]`. They do what `stoa sim` does, on all processors: seeds by all
//! rules, the pure rules alone, the stored seed of each rule, how many seeds break without each rule.
//! The exit code is 1 where anything breaks, or something never happened that should have.

use std::io::Write;
use std::process::ExitCode;

use stoa_sim::rules;
use stoa_sim::votes::many::Stop;
use stoa_sim::votes::needed::Needed;
use stoa_sim::votes::{Trace, VoteSimulation};
use stoa_votes::rules::named::Rule;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let count: u64 = words.next().unwrap_or_default().parse()?;
    let first: u64 = words.next().map_or(Ok(0), |word| word.parse())?;
    let is_fine = match what.as_str() {
        "votes" => votes(first, count)?,
        "rules" => pure_rules(first, count)?,
        "find" => find(first, count)?,
        "without" => without(first, count)?,
        _ => return Err("one of: votes, rules, find, without".into()),
    };
    Ok(match is_fine {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn votes(first: u64, count: u64) -> Result<bool, Failure> {
    let simulation = VoteSimulation::new(None)?;
    let summary = simulation.run_many(first, count, threads(), Stop::AtFailure, &|_| ());
    let mut out = std::io::stdout().lock();
    let named = summary.happenings.named().into_iter();
    for (name, count) in named.chain(summary.faults.named()) {
        writeln!(out, "{name:<24}{count:>14}")?;
    }
    for name in summary.never() {
        writeln!(out, "{name} never happened")?;
    }
    if let Some(seed) = summary.first_failed {
        writeln!(out, "seed {seed} broke:")?;
        for finding in simulation.run(seed, Trace::Dropped).findings {
            writeln!(out, "  {finding}")?;
        }
        let (cuts, smallest) = simulation.shrink(seed);
        writeln!(out, "and without {cuts}:")?;
        for finding in smallest.findings {
            writeln!(out, "  {finding}")?;
        }
    }
    writeln!(out, "{} of {} seeds broke", summary.failed, summary.seeds)?;
    Ok(summary.is_fine())
}

fn pure_rules(first: u64, count: u64) -> Result<bool, Failure> {
    let summary = rules::run_many(first, count, threads(), None, &|_| ());
    let mut out = std::io::stdout().lock();
    for (name, count) in summary.happened.named() {
        writeln!(out, "{name:<24}{count:>14}")?;
    }
    if let Some(seed) = summary.first_failed {
        writeln!(out, "seed {seed}: {:?}", rules::run(seed, None).findings)?;
    }
    writeln!(out, "{} of {} seeds broke", summary.failed, summary.seeds)?;
    Ok(summary.first_failed.is_none() && summary.never().is_empty())
}

fn find(first: u64, count: u64) -> Result<bool, Failure> {
    let mut is_complete = true;
    for (rule, name) in Rule::NAMES {
        let found = Needed::find(rule, (first, count), threads(), &|_| ())?;
        let mut out = std::io::stdout().lock();
        match found {
            Some(Needed {
                seed, invariant, ..
            }) => writeln!(out, "    (Rule::{rule:?}, {seed}, \"{invariant}\"),")?,
            None => {
                is_complete = false;
                writeln!(out, "{name}: none")?;
            }
        }
    }
    Ok(is_complete)
}

fn without(first: u64, count: u64) -> Result<bool, Failure> {
    for (rule, name) in Rule::NAMES {
        let simulation = VoteSimulation::new(Some(rule))?;
        let summary = simulation.run_many(first, count, threads(), Stop::AtTheEnd, &|_| ());
        let mut out = std::io::stdout().lock();
        writeln!(out, "{name:<16}{:>8} of {}", summary.failed, summary.seeds)?;
    }
    Ok(true)
}
