//! `stoa bench web`: pages and votes over HTTP, against a bare server that answers as many bytes.

mod client;
mod community;
mod flood;
mod load;
mod served;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use self::client::Client;
use self::community::Community;
use self::load::{Loaded, Visitors};
use self::served::Served;
use super::figure::{Figure, Goal};
use super::printer::Printer;
use super::store::Stopwatch;
use crate::connect;

const LONG_ABOUT: &str = "\
Measure the web app on the embedded database, as browsers use it.

start    from starting the program on a folder that is there to the first page
first    bytes and requests of the first page: the document and whatever it names
home, ranking, policy   requests a second and the 99th of a hundred, logged out and in. The peer is a
         bare server that answers as many bytes and does nothing else, in the same run
vote     votes a second over HTTP, durably: a vote counts when its answer is there
flood    wrong passwords, a thousand a second for a minute from 32 addresses; meanwhile the 99th of a
         hundred pages, and of those who sign in
memory   of the program at rest, and after load

Server and clients share this machine's processors. Goals are stated for --full alone. Without
`cargo build --release` this shows that everything works, not how fast.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench web                 2,000 policies, about a minute\n  \
        stoa bench web --full          100,000 policies and ten minutes of load\n  \
        stoa bench web --quick --json  tiny sizes, one JSON object a line"
)]
pub(crate) struct Arguments {
    /// Tiny sizes: shows that everything works, not how fast
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// 100,000 policies, and ten minutes of load before memory is measured again
    #[arg(long)]
    full: bool,
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// Where the data is while measuring; a temporary folder otherwise
    #[arg(long, value_name = "DIR")]
    dir: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Sizes {
    policies: usize,
    /// People who are signed in and vote.
    people: usize,
    /// Connections at once.
    connections: usize,
    /// How long each page is asked for.
    page: Duration,
    /// How long everything is asked for before memory is measured again.
    load: Duration,
    /// Votes of each person.
    votes: usize,
    /// People who sign in while wrong passwords come, and how long those come.
    guests: usize,
    flood: Duration,
    is_full: bool,
}

impl Sizes {
    fn of(arguments: &Arguments) -> Self {
        let seconds = Duration::from_secs;
        let sizes = Self {
            policies: 2_000,
            people: 32,
            connections: 16,
            page: seconds(3),
            load: seconds(10),
            votes: 20,
            guests: 8,
            flood: seconds(10),
            is_full: arguments.full,
        };
        match (arguments.quick, arguments.full) {
            (true, _) => Self {
                policies: 40,
                people: 4,
                connections: 2,
                page: Duration::from_millis(200),
                load: Duration::from_millis(200),
                votes: 2,
                guests: 1,
                flood: Duration::from_millis(200),
                ..sizes
            },
            (_, true) => Self {
                policies: 100_000,
                page: seconds(15),
                load: seconds(600),
                votes: 40,
                guests: 24,
                flood: seconds(60),
                ..sizes
            },
            _ => sizes,
        }
    }

    fn goal(&self, goal: Goal) -> Goal {
        match self.is_full {
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
    let (sizes, mut printer) = (Sizes::of(arguments), Printer::new(arguments.json));
    measure(&folder.path().join("town"), sizes, &mut printer)?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn measure(data: &Path, sizes: Sizes, printer: &mut Printer) -> Result<()> {
    let filled = Community::fill(data, sizes.policies, sizes.people, sizes.guests);
    let community = connect::runtime()?.block_on(filled)?;
    // The first start on a folder makes the index and what else belongs to it.
    drop(Served::community(data)?);
    let watch = Stopwatch::start();
    let served = Served::community(data)?;
    let first = Client::connect(served.address)?.get("/", "")?;
    ensure!(first.status == 200, "the first page is {}", first.status);
    let sized = |work: &str| format!("{work}/{}", sizes.policies);
    printer.add(Figure {
        work: sized("start"),
        ours: watch.elapsed().as_secs_f64() * 1e3,
        peer: None,
        unit: "ms",
        goal: sizes.goal(Goal::OursBelow(300.0)),
    })?;
    first_page(&served, &first.text(), sizes, printer)?;
    memory(&served, &sized("memory-rest"), printer)?;
    let cookie = community.cookies.first().context("nobody is signed in")?;
    let policy = community.policies.first().context("there is no policy")?;
    let policy = format!("/policies/{policy}/x");
    for (page, path) in [
        ("home", "/"),
        ("ranking", "/ranking"),
        ("policy", policy.as_str()),
    ] {
        for (who, cookie) in [("out", ""), ("in", cookie.as_str())] {
            pages(&served, (page, path), (who, cookie), sizes, printer)?;
        }
    }
    votes(&served, &community, sizes, printer)?;
    flooded(&served, &community, sizes, printer)?;
    Visitors::at(
        served.address,
        &[("/", ""), ("/ranking", cookie), (&policy, "")],
    )
    .come(sizes.connections, sizes.load)?;
    memory(&served, &sized("memory-load"), printer)
}

/// What the first page makes a browser fetch.
fn first_page(served: &Served, page: &str, sizes: Sizes, printer: &mut Printer) -> Result<()> {
    let mut client = Client::connect(served.address)?;
    let mut bytes = client.get("/", "")?.bytes;
    let named = client::named(page);
    for path in &named {
        let file = client.get(path, "")?;
        ensure!(file.status == 200, "{path} is {}", file.status);
        bytes += file.bytes;
    }
    printer.add(Figure {
        work: "first-bytes".to_owned(),
        ours: bytes as f64 / 1e3,
        peer: None,
        unit: "kB",
        goal: sizes.goal(Goal::OursBelow(60.0)),
    })?;
    printer.add(Figure {
        work: "first-requests".to_owned(),
        ours: (named.len() + 1) as f64,
        peer: None,
        unit: "requests",
        goal: sizes.goal(Goal::OursBelow(6.0)),
    })
}

/// One page, and a bare server beside it that answers as many bytes.
fn pages(
    served: &Served,
    (page, path): (&str, &str),
    (who, cookie): (&str, &str),
    sizes: Sizes,
    printer: &mut Printer,
) -> Result<()> {
    let answer = Client::connect(served.address)?.get(path, cookie)?;
    ensure!(answer.status == 200, "{path} is {}", answer.status);
    let bare = Served::bare(answer.body_bytes)?;
    let measured =
        |address| Visitors::at(address, &[(path, cookie)]).come(sizes.connections, sizes.page);
    let (ours, peer) = (measured(served.address)?, measured(bare.address)?);
    let name = format!("{page}-{who}");
    two(printer, &name, sizes.policies, &ours, Some(&peer))
}

/// Everybody votes, each time on the state that the page before showed.
fn votes(
    served: &Served,
    community: &Community,
    sizes: Sizes,
    printer: &mut Printer,
) -> Result<()> {
    let voted = load::vote(served.address, community, sizes.votes)?;
    two(printer, "vote", sizes.policies, &voted, None)
}

/// Wrong passwords in masses, and what people find meanwhile.
fn flooded(
    served: &Served,
    community: &Community,
    sizes: Sizes,
    printer: &mut Printer,
) -> Result<()> {
    let flooded = flood::flood(served.address, &community.guests, sizes.flood)?;
    let mut add = |work: &str, ours, unit, goal| {
        printer.add(Figure {
            work: format!("{work}/{}", sizes.policies),
            ours,
            peer: None,
            unit,
            goal: sizes.goal(goal),
        })
    };
    add("flood", flooded.came_a_second, "1/s", Goal::None)?;
    let page = flooded.pages.slowest_millis();
    add("flood-page-p99", page, "ms", Goal::OursBelow(100.0))?;
    let sign_in = flooded.sign_ins.slowest_millis();
    add("flood-sign-in-p99", sign_in, "ms", Goal::OursBelow(2_000.0))
}

/// How many a second, and how long the 99th of a hundred took.
fn two(
    printer: &mut Printer,
    name: &str,
    policies: usize,
    ours: &Loaded,
    peer: Option<&Loaded>,
) -> Result<()> {
    printer.add(Figure {
        work: format!("{name}/{policies}"),
        ours: ours.a_second(),
        peer: peer.map(Loaded::a_second),
        unit: "1/s",
        goal: Goal::None,
    })?;
    printer.add(Figure {
        work: format!("{name}-p99/{policies}"),
        ours: ours.slowest_millis(),
        peer: peer.map(Loaded::slowest_millis),
        unit: "ms",
        goal: Goal::None,
    })
}

fn memory(served: &Served, work: &str, printer: &mut Printer) -> Result<()> {
    printer.add(Figure {
        work: work.to_owned(),
        ours: served.resident_mib()?,
        peer: None,
        unit: "MiB",
        goal: Goal::None,
    })
}
