//! `stoa sim rules`: the pure rules of voting on random schedules.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use stoa_sim::rules;

use super::{Seeds, threads};
use crate::terminal::{self, Palette};

const LONG_ABOUT: &str = "\
Run the pure rules of voting on random schedules, without any store.

Each seed is a small community: windows with old states, merges, merges of merges, closed policies, a
changed configuration, undone records, ended accounts, days that end. The rules decide, and a second
model that shares no code with them and only adds up says whether they were right.

The exit code is 0 if no seed broke anything, and 1 otherwise.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa sim rules --seeds 1000000    some minutes\n  \
        stoa sim rules --seed 612         one seed, and what it broke"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    seeds: Seeds,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (first, count) = (arguments.seeds.first(), arguments.seeds.count());
    let bar = terminal::progress_of(count);
    bar.set_message("seeds");
    let watch = |done: u64| {
        if done.is_multiple_of(1_000) {
            bar.set_position(done);
        }
    };
    let summary = rules::run_many(first, count, threads(), None, &watch);
    bar.finish_and_clear();
    let shown = summary.first_failed.map(|seed| rules::run(seed, None));
    let findings = shown.map(|outcome| outcome.findings).unwrap_or_default();
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let mut out = std::io::stdout().lock();
    let happened = summary.happened.named();
    if arguments.json {
        let happened = happened.map(|(name, count)| (name.to_owned(), json!(count)));
        let happened: serde_json::Map<_, _> = happened.into_iter().collect();
        let object = json!({
            "simulation": "rules",
            "seeds": summary.seeds,
            "failed": summary.failed,
            "first_failed": summary.first_failed,
            "findings": findings,
            "never": summary.never(),
            "happened": happened,
        });
        writeln!(out, "{object}")?;
    } else {
        let palette = Palette::for_stdout();
        let (failed, seeds) = (summary.failed, summary.seeds);
        let verdict = format!("{failed} of {seeds} seeds broke something");
        let verdict = match failed {
            0 => palette.good(&verdict),
            _ => palette.bad(&verdict),
        };
        writeln!(out, "rules: {verdict}")?;
        for pair in happened.chunks(2) {
            for (name, count) in pair {
                write!(out, "  {name:<22}{count:>12}")?;
            }
            writeln!(out)?;
        }
        for name in summary.never() {
            writeln!(out, "{}", palette.bad(&format!("{name} never happened")))?;
        }
        if let Some(seed) = summary.first_failed {
            writeln!(out, "\nseed {seed} broke:")?;
        }
        for finding in &findings {
            writeln!(out, "  {finding}")?;
        }
    }
    let is_fine = summary.failed == 0 && summary.never().is_empty();
    Ok(if is_fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
