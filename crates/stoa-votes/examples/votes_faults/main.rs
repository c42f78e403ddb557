//! A community that votes on a real cluster of three nodes while one of them is killed, started,
//! paused and resumed; what `cargo xtask votes-faults` runs.
//!
//! Two instances serve people who have two windows each, run every task that counts, and merge
//! policies. Days pass meanwhile. In the end every save that was acknowledged must be in its chain,
//! none may be left unsettled, the audit must find nothing, and the public ledger must count again
//! to the same.
//!
//! `STOA_CASSANDRA` is the cluster's URI.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command-line tool answers on its terminal"
)]

mod community;
mod day_clock;
mod journal;
mod verdict;
mod windows;

use std::process::ExitCode;
use std::sync::Arc;

use stoa_testkit::nodes::{Control, Deed};

use community::Community;
use windows::Windows;

const USAGE: &str = "\
usage: votes_faults [--count N] [--json]

--count  how many saves must be accepted at least, spread over all faults (10000)
--json   one object";

#[tokio::main]
async fn main() -> ExitCode {
    let result = match Wish::parse(std::env::args().skip(1)) {
        Ok(wish) => run(&wish).await,
        Err(problem) => Err(format!("{problem}\n{USAGE}")),
    };
    result.unwrap_or_else(|problem| {
        eprintln!("votes_faults: {problem}");
        ExitCode::from(2)
    })
}

struct Wish {
    count: u64,
    is_json: bool,
}

impl Wish {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut count, mut is_json) = (10_000, false);
        while let Some(flag) = arguments.next() {
            match flag.as_str() {
                "--json" => is_json = true,
                "--count" => {
                    let value = arguments.next().unwrap_or_default();
                    count = value
                        .parse()
                        .map_err(|_| format!("not a number: {value:?}"))?;
                }
                other => return Err(format!("unknown flag {other}")),
            }
        }
        Ok(Self { count, is_json })
    }
}

/// What happens to the nodes while people vote, one after another.
const DEEDS: [Deed; 4] = [
    Deed::Kill(3),
    Deed::Start(3),
    Deed::Pause(2),
    Deed::Resume(2),
];

async fn run(wish: &Wish) -> Result<ExitCode, String> {
    let control = Control::from_environment()?;
    progress(wish, "making the tables, on both instances");
    let community = Arc::new(Community::found().await?);
    progress(wish, "people join and make policies");
    community.settle().await?;
    let windows = Windows::open(&community);
    let each = wish.count / 5 + 1;
    windows.add(each).await?;
    for deed in DEEDS {
        let saved = community.journal.accepted();
        progress(wish, &format!("{saved} saves so far; {deed}"));
        let ruler = control.clone();
        let done = tokio::task::spawn_blocking(move || ruler.act(deed));
        done.await.map_err(|error| error.to_string())??;
        // Midnight passes under way, and what was saved before is closed.
        community.clock.jump_a_day();
        community.merge_two().await;
        windows.add(each).await?;
    }
    windows.close().await;
    progress(wish, "reading everything");
    let verdict = verdict::judge(&community).await?;
    verdict.print(wish.is_json);
    Ok(match verdict.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn progress(wish: &Wish, text: &str) {
    if !wish.is_json {
        eprintln!("votes_faults: {text}");
    }
}
