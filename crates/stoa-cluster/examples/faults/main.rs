//! Faults on a real cluster of three nodes, under load; what `cargo xtask faults` runs.
//!
//! ```text
//! one node at a time   killed, started, paused, resumed, while clients save, append and compare-
//!                      and-set: nothing acknowledged is lost, nothing happens twice, conditional
//!                      writes are linearizable, every error is an unknown outcome, and each of
//!                      those is explained: by its coordinator's fate, or by contention
//! two nodes down       "not saved" or "unknown" in time, never "saved"; then back without a restart
//! ```
//!
//! `STOA_CASSANDRA` is the cluster's URI, `STOA_CASSANDRA_NAME` its name, and `STOA_XTASK` the
//! program that kills and starts its nodes.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command-line tool answers on its terminal"
)]

mod clients;
mod ledger;
mod minority;
mod report;
mod tables;
mod timeline;

use std::process::ExitCode;
use std::sync::Arc;

use stoa_cluster::Cluster;
use stoa_session::BackEnd;
use stoa_testkit::nodes::{Control, Deed};

use clients::Pace;
use ledger::Ledger;
use tables::Tables;

const USAGE: &str = "\
usage: faults [--count N] [--busy] [--json]

--count  how many writes must be acknowledged at least, spread over all faults (10000)
--busy   the machine has other work: a conditional write that is late without a reason is told,
         and does not fail the run
--json   one object a line";

#[tokio::main]
async fn main() -> ExitCode {
    let result = match Wish::parse(std::env::args().skip(1)) {
        Ok(wish) => run(&wish).await,
        Err(problem) => Err(format!("{problem}\n{USAGE}")),
    };
    result.unwrap_or_else(|problem| {
        eprintln!("faults: {problem}");
        ExitCode::from(2)
    })
}

struct Wish {
    count: u64,
    is_busy: bool,
    is_json: bool,
}

impl Wish {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut count, mut is_busy, mut is_json) = (10_000, false, false);
        while let Some(flag) = arguments.next() {
            match flag.as_str() {
                "--busy" => is_busy = true,
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
        Ok(Self {
            count,
            is_busy,
            is_json,
        })
    }
}

/// What happens to the nodes while clients write, one after another.
const DEEDS: [Deed; 8] = [
    Deed::Kill(3),
    Deed::Start(3),
    Deed::Pause(2),
    Deed::Resume(2),
    Deed::Kill(1),
    Deed::Start(1),
    Deed::Pause(3),
    Deed::Resume(3),
];

async fn run(wish: &Wish) -> Result<ExitCode, String> {
    let control = Control::from_environment()?;
    let uri = std::env::var("STOA_CASSANDRA").map_err(|_| "STOA_CASSANDRA is not set")?;
    let address = match uri.parse() {
        Ok(BackEnd::Cluster(address)) => *address,
        other => return Err(format!("STOA_CASSANDRA is not a cql:// URI: {other:?}")),
    };
    let session = Cluster::connect(&address, None)
        .await
        .map_err(|error| error.to_string())?;
    let tables = Arc::new(
        Tables::make(session)
            .await
            .map_err(|error| error.to_string())?,
    );
    let ledger = Arc::new(Ledger::default());
    let clients = clients::start(&tables, &ledger);
    let each = wish.count / (u64::try_from(DEEDS.len()).unwrap_or(u64::MAX) + 1) + 1;
    clients.add(each).await?;
    for deed in DEEDS {
        progress(wish, &format!("{} writes so far; {deed}", ledger.saved()));
        ledger.begin(deed);
        clients.set_pace(match deed {
            Deed::Start(_) => Pace::Slow,
            Deed::Kill(_) | Deed::Pause(_) | Deed::Resume(_) => Pace::Brisk,
        });
        act(&control, deed).await?;
        ledger.end(deed);
        clients.set_pace(Pace::Brisk);
        clients.add(each).await?;
    }
    clients.stop().await;
    progress(wish, "two nodes down");
    let minority = minority::run(&tables, &control, &ledger).await?;
    progress(wish, "reading everything");
    let verdict = ledger
        .judge(&tables)
        .await
        .map_err(|error| error.to_string())?;
    report::print(&verdict, &minority, wish.is_json);
    Ok(match report::is_good(&verdict, &minority, wish.is_busy) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Does something to a node, while others go on.
async fn act(control: &Control, deed: Deed) -> Result<(), String> {
    let control = control.clone();
    let done = tokio::task::spawn_blocking(move || control.act(deed));
    done.await.map_err(|error| error.to_string())?
}

fn progress(wish: &Wish, text: &str) {
    if !wish.is_json {
        eprintln!("faults: {text}");
    }
}
