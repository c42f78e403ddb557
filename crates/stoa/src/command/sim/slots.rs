//! `stoa sim slots`: the negative control, which must break.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use stoa_sim::slots;

use super::{Seeds, threads};
use crate::terminal;

const LONG_ABOUT: &str = "\
Run the vote chain with two authorities on simulated replicas, and show how it breaks.

It is the algorithm that the domain's own one replaced: votes take slots in the user's row and in the
row of every policy, the earliest wins each, and old records are added up and deleted. Totals end
wrong, and the judge says why, by what happened:

  F1  a slot that was used is forgotten, and an old window takes it again
  F2  a parent that had lost is taken for an accepted one once it is old
  F3  an old list of policies leaves a hole, and what follows it is deleted
  F4  a pending vote that is finished late is taken for counted
  F5  by wrong clocks a vote is older than what it follows, and is taken for counted

The exit code is 0 if some total is wrong: a simulation that found nothing here would be no
simulation.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa sim slots --seeds 1000   how many seeds end wrong, and why\n  \
        stoa sim slots --seed 44      one seed, and its wrong totals"
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
    let watch = |done: u64| bar.set_position(done);
    let summary = slots::run_many(first, count, threads(), &watch);
    bar.finish_and_clear();
    let shown = (count == 1).then(|| slots::run(first));
    let shown = shown.map(|outcome| outcome.wrong).unwrap_or_default();
    let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let flaws = summary.flaws.iter().map(|(flaw, times, least)| {
            json!({ "flaw": flaw.to_string(), "seeds": times, "first": least })
        });
        let object = json!({
            "simulation": "slots",
            "seeds": summary.seeds,
            "wrong": summary.wrong,
            "records": summary.records,
            "flaws": flaws.collect::<Vec<_>>(),
            "totals": shown,
        });
        writeln!(out, "{object}")?;
    } else {
        let (wrong, seeds) = (summary.wrong, summary.seeds);
        writeln!(out, "slots: {wrong} of {seeds} seeds end with wrong totals")?;
        for (flaw, times, least) in &summary.flaws {
            let flaw = flaw.to_string();
            write!(out, "  {flaw:<22}{times:>12}")?;
            match least {
                Some(seed) => writeln!(out, "   first by seed {seed}")?,
                None => writeln!(out)?,
            }
        }
        for line in &shown {
            writeln!(out, "{line}")?;
        }
    }
    Ok(if summary.wrong > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
