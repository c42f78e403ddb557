//! `stoa bench votes`: the voting domain on the embedded database, against its bare statements.

mod board;
mod day;
mod ledger;
mod meanwhile;
mod races;
mod reads;
mod saves;
mod town;

pub(super) use town::percentile;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::figure::Goal;
use super::printer::Printer;
use crate::connect;
use saves::Community;

const LONG_ABOUT: &str = "\
Measure the voting domain on the embedded database against its bare statements.

saves    64 users vote at once, each for a policy of their own choice, durably: a vote counts when its
         answer is there. The peer sends the same statements with ready values and judges nothing,
         in alternating rounds of the same run.
day      a recount of a policy with so many voters of today, and the close of a day of as many votes
board    any page of a ranking of so many policies in five categories, over any number of days, while others vote and the task that
         refreshes it runs
ledger   everything counted again from a public ledger of so many records
storms   64 windows of one user spend everything on one basis: exactly one wins, and the balance is
         0 after each of so many storms
names    four people race for a name in spellings that look alike: exactly one owns it, so many times
reads    so many pages of rankings while others vote and policies are merged, released, hidden and
         measured: no policy twice in a list, ranks and neighbours that fit, and no total that never was

What must never happen has the unit `wrong` and the goal 0. Goals are stated for the sizes of --full;
a smaller work has none. The exit code is 0 also where a goal is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench votes                        a few minutes\n  \
        stoa bench votes --full                 up to 100,000 policies and a million users, takes long\n  \
        stoa bench votes --only saves,board     two works only\n  \
        stoa bench votes --quick --json         tiny sizes, one JSON object a line"
)]
pub(crate) struct Arguments {
    /// Tiny sizes: shows that everything works, not how fast
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Up to 100,000 policies, 1,000,000 users and as many records
    #[arg(long)]
    full: bool,
    /// Measure only these works
    #[arg(long, value_delimiter = ',', value_name = "WORKS")]
    only: Vec<Work>,
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// Where the data is while measuring; a temporary folder otherwise
    #[arg(long, value_name = "DIR")]
    dir: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Work {
    Saves,
    Day,
    Board,
    Ledger,
    Storms,
    Names,
    Reads,
}

#[derive(Debug, Clone, PartialEq)]
struct Sizes {
    communities: Vec<Community>,
    /// Votes of each user in a round.
    each: usize,
    rounds: usize,
    /// Votes of a policy, and of a day.
    votes: usize,
    /// Policies of a board, and for how many seconds it is looked at.
    policies: usize,
    seconds: f64,
    /// Records of a ledger.
    records: usize,
    storms: usize,
    names: usize,
    reads: usize,
}

impl Sizes {
    fn of(arguments: &Arguments) -> Self {
        let community = |policies, users| Community { policies, users };
        match (arguments.quick, arguments.full) {
            (true, _) => Self {
                communities: vec![
                    community(20, 4 * town::AT_ONCE),
                    community(40, 5 * town::AT_ONCE),
                ],
                each: 2,
                rounds: 1,
                votes: 200,
                policies: 50,
                seconds: 0.2,
                records: 100,
                storms: 2,
                names: 5,
                reads: 200,
            },
            (_, true) => Self::full(),
            _ => Self {
                communities: vec![community(1_000, 1_000), community(10_000, 10_000)],
                policies: 10_000,
                seconds: 10.0,
                records: 50_000,
                storms: 200,
                names: 1_000,
                reads: 50_000,
                ..Self::full()
            },
        }
    }

    /// The sizes that goals are stated for.
    fn full() -> Self {
        let community = |policies, users| Community { policies, users };
        Self {
            communities: vec![community(1_000, 1_000), community(100_000, 1_000_000)],
            each: 40,
            rounds: 5,
            votes: 100_000,
            policies: 100_000,
            seconds: 40.0,
            records: 1_000_000,
            storms: 10_000,
            names: 100_000,
            reads: 1_000_000,
        }
    }

    /// A goal, if a size is the one that it is stated for.
    fn goal<T: PartialEq>(&self, size: impl Fn(&Self) -> T, goal: Goal) -> Goal {
        match size(self) == size(&Self::full()) {
            true => goal,
            false => Goal::None,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = match &arguments.dir {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let wanted: BTreeSet<Work> = match arguments.only.is_empty() {
        true => Work::value_variants().iter().copied().collect(),
        false => arguments.only.iter().copied().collect(),
    };
    let (sizes, mut printer) = (Sizes::of(arguments), Printer::new(arguments.json));
    let runtime = connect::runtime()?;
    for work in wanted {
        let dir = folder.path().join(format!("{work:?}"));
        runtime.block_on(measure(work, &dir, &sizes, &mut printer))?;
        if dir.exists() {
            std::fs::remove_dir_all(&dir)?;
        }
    }
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(work: Work, dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    match work {
        Work::Saves => saves::measure(dir, sizes, printer).await,
        Work::Day => day::measure(dir, sizes, printer).await,
        Work::Board => board::measure(dir, sizes, printer).await,
        Work::Ledger => ledger::measure(dir, sizes, printer).await,
        Work::Storms => races::storms(dir, sizes, printer).await,
        Work::Names => races::names(dir, sizes, printer).await,
        Work::Reads => reads::look(dir, sizes, printer).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_those_of_full_sizes() {
        let goal = Goal::OursBelow(1.0);
        let full = Sizes::full();
        assert_eq!(full.goal(|it| it.storms, goal), goal);
        let small = Sizes { storms: 9, ..full };
        assert_eq!(small.goal(|it| it.storms, goal), Goal::None);
        assert_eq!(small.goal(|it| it.names, goal), goal);
    }
}
