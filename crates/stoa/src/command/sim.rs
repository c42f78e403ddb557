//! `stoa sim votes`: the voting domain on a simulated cluster on which everything goes wrong.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use stoa_sim::votes::many::{LONG_RUN, Stop, Summary};
use stoa_sim::votes::{Outcome, Trace, VoteSimulation};
use stoa_votes::rules::named::Rule;

use crate::terminal::{self, Palette};

const LONG_ABOUT: &str = "\
Run the voting domain on a simulated cluster on which everything goes wrong.

Each seed is a small community that acts for three days: users with several windows open, requests
that are sent twice, moderators who merge and close policies, background workers, days that end. The
cluster under it has three replicas that go down, messages that are slow or lost, writes that come
hours late or never, conditional writes whose outcome nobody knows, clients that die or sleep between
any two calls, and clocks that are off. The code of the domain is the real one. At the end the
books are audited, to the single vote.

One seed is one run: a seed that breaks something can be run again by --seed, and is then shown with
what happened last. --without leaves one of the rules out on which the counting rests; seeds must
then break something, or the rule would not be needed.

The exit code is 0 if no seed broke anything, and 1 otherwise. A run of 10,000 seeds and more also
fails if something that should go wrong never did.";

#[derive(Args)]
#[command(long_about = "Run real code on a simulated cluster, from one seed")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The voting domain
    Votes(VotesArguments),
}

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa sim votes --seeds 10000                  as in every test run\n  \
        stoa sim votes --seed 612                     one seed, and what happened if it fails\n  \
        stoa sim votes --seeds 2000 --without fence   how many seeds break without a rule"
)]
struct VotesArguments {
    /// How many seeds to run; 1 if only --seed is given, else 1,000
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The first seed
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Leave a rule out, such as head-cas
    #[arg(long, value_name = "RULE")]
    without: Option<Rule>,
    /// Lines of what happened last to show of a failing seed
    #[arg(long, value_name = "N", default_value_t = 60)]
    lines: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let What::Votes(arguments) = &arguments.what;
    let simulation = VoteSimulation::new(arguments.without)
        .context("the simulated cluster does not know the domain's schema")?;
    let first = arguments.seed.unwrap_or(0);
    let otherwise = if arguments.seed.is_some() { 1 } else { 1_000 };
    let count = arguments.seeds.unwrap_or(otherwise);
    let bar = terminal::progress();
    let watch = |done: u64| {
        if done.is_multiple_of(100) {
            bar.set_message(format!("{done} of {count} seeds"));
        }
    };
    let stop = match arguments.without {
        Some(_) => Stop::AtTheEnd,
        None => Stop::AtFailure,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let summary = simulation.run_many(first, count, threads, stop, &watch);
    bar.finish_and_clear();
    let failing = summary.first_failed;
    let shown = failing.map(|seed| simulation.run(seed, Trace::Kept));
    let mut out = std::io::stdout().lock();
    if arguments.json {
        write_json(&mut out, arguments, &summary, shown.as_ref())?;
    } else {
        write_text(&mut out, arguments, &summary, shown.as_ref())?;
    }
    let is_fine = failing.is_none() && summary.never().is_empty();
    Ok(if is_fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn write_text(
    out: &mut impl Write,
    arguments: &VotesArguments,
    summary: &Summary,
    shown: Option<&Outcome>,
) -> Result<()> {
    let palette = Palette::for_stdout();
    let rules = match arguments.without {
        Some(rule) => format!("without {rule}"),
        None => "by all rules".to_owned(),
    };
    let verdict = format!(
        "{} of {} seeds broke something",
        summary.failed, summary.seeds
    );
    let verdict = match summary.failed {
        0 => palette.good(&verdict),
        _ => palette.bad(&verdict),
    };
    writeln!(out, "votes, {rules}: {verdict}")?;
    let rows = summary.happenings.named().into_iter();
    let rows: Vec<_> = rows.chain(summary.faults.named()).collect();
    for pair in rows.chunks(2) {
        for (name, count) in pair {
            write!(out, "  {name:<22}{count:>12}")?;
        }
        writeln!(out)?;
    }
    for name in summary.never() {
        let never = format!("{name} never happened in {LONG_RUN} seeds or more");
        writeln!(out, "{}", palette.bad(&never))?;
    }
    let Some(outcome) = shown else {
        return Ok(());
    };
    writeln!(out, "\nseed {} broke:", outcome.seed)?;
    for finding in &outcome.findings {
        writeln!(out, "  {finding}")?;
    }
    let skipped = outcome.trace.len().saturating_sub(arguments.lines);
    if arguments.lines > 0 {
        writeln!(out, "\nwhat happened last (virtual microseconds):")?;
    }
    for line in outcome.trace.iter().skip(skipped) {
        writeln!(out, "{line}")?;
    }
    let without = arguments.without.map(|rule| format!(" --without {rule}"));
    let again = format!(
        "stoa sim votes --seed {}{} --lines 20000",
        outcome.seed,
        without.unwrap_or_default()
    );
    writeln!(out, "\n{again} shows all")?;
    Ok(())
}

fn write_json(
    out: &mut impl Write,
    arguments: &VotesArguments,
    summary: &Summary,
    shown: Option<&Outcome>,
) -> Result<()> {
    let counts = |named: &[(&str, u64)]| -> serde_json::Value {
        let pairs = named.iter();
        pairs
            .map(|(name, count)| ((*name).to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let findings = shown.map(|outcome| {
        let findings = outcome.findings.iter();
        findings.map(ToString::to_string).collect::<Vec<_>>()
    });
    let object = json!({
        "simulation": "votes",
        "without": arguments.without.map(|rule| rule.to_string()),
        "seeds": summary.seeds,
        "failed": summary.failed,
        "first_failed": summary.first_failed,
        "findings": findings,
        "never": summary.never(),
        "happened": counts(&summary.happenings.named()),
        "faults": counts(&summary.faults.named()),
    });
    writeln!(out, "{object}")?;
    Ok(())
}
