//! `stoa sim`: the voting domain on a simulated cluster on which everything goes wrong, its pure
//! rules by themselves, and the algorithm that it must not be.

mod find;
mod rules;
mod slots;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use stoa_sim::votes::many::{LONG_RUN, Stop, Summary};
use stoa_sim::votes::{Clocks, Cuts, Failure, VoteSimulation};
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

One seed is one run: a seed that breaks something can be run again by --seed. The first one is run
again anyway, to see that it does the same, and then with fewer people and fewer kinds of faults as
long as it breaks the same; what happened last is shown of that run, which --less repeats. --without leaves one of the rules out on which the counting rests; seeds must
then break something, or the rule would not be needed. --find looks for the first such seed of a
rule, or of each of them, and prints it as the test of the rules stores it; with the default number
of seeds it finds the frequent ones, the rare ones take some 10,000.

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
    /// The pure rules of voting, without a store
    Rules(rules::Arguments),
    /// The negative control: the vote chain with two authorities, which breaks
    Slots(slots::Arguments),
}

/// Which seeds to run.
#[derive(Args)]
struct Seeds {
    /// How many seeds to run; 1 if only --seed is given, else 1,000
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The first seed
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

impl Seeds {
    fn first(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    fn count(&self) -> u64 {
        let otherwise = if self.seed.is_some() { 1 } else { 1_000 };
        self.seeds.unwrap_or(otherwise)
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa sim votes --seeds 10000                  as in every test run\n  \
        stoa sim votes --seed 612                     one seed, and what happened if it fails\n  \
        stoa sim votes --seeds 2000 --without fence   how many seeds break without a rule\n  \
        stoa sim votes --find all --seeds 40000       the list of seeds that a test stores"
)]
struct VotesArguments {
    #[command(flatten)]
    seeds: Seeds,
    /// Let clocks be off by up to ten minutes, where five are allowed
    #[arg(long)]
    far_clocks: bool,
    /// Leave a rule out, such as head-cas
    #[arg(long, value_name = "RULE")]
    without: Option<Rule>,
    /// Look for the first seed that breaks without a rule and holds with it; `all` for every rule
    #[arg(long, value_name = "RULE", conflicts_with_all = ["without", "far_clocks", "json"])]
    find: Option<find::Wanted>,
    /// Leave people or kinds of faults out, such as window-2,worker-0,naps
    #[arg(long, value_name = "LIST", requires = "seed")]
    less: Option<Cuts>,
    /// Lines of what happened last to show of a failing seed
    #[arg(long, value_name = "N", default_value_t = 60)]
    lines: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Votes(arguments) => run_votes(arguments),
        What::Rules(arguments) => rules::run(arguments),
        What::Slots(arguments) => slots::run(arguments),
    }
}

fn run_votes(arguments: &VotesArguments) -> Result<ExitCode> {
    if let Some(wanted) = &arguments.find {
        return find::run(wanted, &arguments.seeds);
    }
    let clocks = match arguments.far_clocks {
        true => Clocks::Far,
        false => Clocks::Near,
    };
    let simulation = VoteSimulation::new(arguments.without)
        .context("the simulated cluster does not know the domain's schema")?
        .with_clocks(clocks)
        .with_cuts(arguments.less.clone().unwrap_or_default());
    let (first, count) = (arguments.seeds.first(), arguments.seeds.count());
    let bar = terminal::progress_of(count);
    bar.set_message("seeds");
    let watch = |done: u64| bar.set_position(done);
    let stop = match arguments.without {
        Some(_) => Stop::AtTheEnd,
        None => Stop::AtFailure,
    };
    let summary = simulation.run_many(first, count, threads(), stop, &watch);
    bar.finish_and_clear();
    let failing = summary.first_failed;
    let shown = failing.map(|seed| simulation.explain(seed, summary.first_failed_hash));
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
    shown: Option<&Failure>,
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
    match shown {
        Some(failure) => write_failure(out, arguments, palette, failure),
        None => Ok(()),
    }
}

fn write_failure(
    out: &mut impl Write,
    arguments: &VotesArguments,
    palette: Palette,
    failure: &Failure,
) -> Result<()> {
    let seed = failure.outcome.seed;
    writeln!(out, "\nseed {seed} broke:")?;
    for finding in &failure.outcome.findings {
        writeln!(out, "  {finding}")?;
    }
    if !failure.is_repeatable() {
        let hashes = failure.hashes.map(|hash| format!("{hash:016x}")).join(", ");
        let loud = format!(
            "SEED {seed} DOES NOT REPEAT ITSELF: its runs have the event hashes {hashes}.\n\
             The simulation itself is broken; nothing that it says can be trusted."
        );
        writeln!(out, "\n{}", palette.bad(&loud))?;
    }
    let again = again(arguments, seed);
    let (smallest, cuts) = (&failure.smallest, &failure.cuts);
    if !cuts.is_empty() {
        writeln!(out, "\nit also breaks without {cuts}:")?;
        for finding in &smallest.findings {
            writeln!(out, "  {finding}")?;
        }
    }
    let skipped = smallest.trace.len().saturating_sub(arguments.lines);
    if arguments.lines > 0 {
        writeln!(out, "\nwhat happened last (virtual microseconds):")?;
    }
    for line in smallest.trace.iter().skip(skipped) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "\n{again} runs the seed again")?;
    if !cuts.is_empty() {
        writeln!(out, "{again} --less {cuts} --lines 20000 shows all of this")?;
    }
    Ok(())
}

/// The command that runs a seed again.
fn again(arguments: &VotesArguments, seed: u64) -> String {
    let without = arguments.without.map(|rule| format!(" --without {rule}"));
    let clocks = match arguments.far_clocks {
        true => " --far-clocks",
        false => "",
    };
    let without = without.unwrap_or_default();
    format!("stoa sim votes --seed {seed}{without}{clocks}")
}

fn write_json(
    out: &mut impl Write,
    arguments: &VotesArguments,
    summary: &Summary,
    shown: Option<&Failure>,
) -> Result<()> {
    let counts = |named: &[(&str, u64)]| -> serde_json::Value {
        let pairs = named.iter();
        pairs
            .map(|(name, count)| ((*name).to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let findings = shown.map(|failure| {
        let findings = failure.outcome.findings.iter();
        findings.map(ToString::to_string).collect::<Vec<_>>()
    });
    let object = json!({
        "simulation": "votes",
        "without": arguments.without.map(|rule| rule.to_string()),
        "seeds": summary.seeds,
        "failed": summary.failed,
        "first_failed": summary.first_failed,
        "findings": findings,
        "is_repeatable": shown.map(Failure::is_repeatable),
        "less": shown.map(|failure| failure.cuts.to_string()),
        "never": summary.never(),
        "happened": counts(&summary.happenings.named()),
        "faults": counts(&summary.faults.named()),
    });
    writeln!(out, "{object}")?;
    Ok(())
}
