//! Waiting until nodes really serve: a question is asked until it is answered.
//!
//! A log line or an open port is no answer: the port opens before logins work, and before a
//! node knows that the others are alive.

use std::time::Duration;

use anyhow::{Result, bail};

use super::cluster::Say;
use super::install::VERSION;
use super::native::{Connection, Consistency};
use super::node::Node;
use super::process::Activity;
use super::settings::Settings;
use crate::step::{self, Stopwatch};

/// A start takes 8 s on a quiet machine; a busy one may take long.
const LIMIT: Duration = Duration::from_secs(240);
/// For one question, one network wait.
const ASK_LIMIT: Duration = Duration::from_secs(5);
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// A person hears of a wait this often.
const SPEAK_EVERY: Duration = Duration::from_secs(5);

const VERSION_QUERY: &str = "SELECT release_version FROM system.local";
/// A table that every node has a replica of, and that nobody writes to.
const REPLICATED_QUERY: &str = "SELECT keyspace_name FROM system_distributed.view_build_status";

/// Waits until the node speaks the native protocol.
pub(super) fn listens(node: &Node, settings: &Settings, say: Say<'_>) -> Result<()> {
    let address = settings.native(node.number);
    wait(node, "starts", say, || {
        Connection::listens(address, ASK_LIMIT)
    })
}

/// Waits until the node answers a query, after a login where one is asked for.
pub(super) fn answers(node: &Node, settings: &Settings, say: Say<'_>) -> Result<()> {
    wait(node, "answers", say, || version(node, settings).map(drop))
}

/// Waits until every running node, asked for one row from each running node, has it: until all
/// of them know that the others are alive.
pub(super) fn is_ring(nodes: &[Node], settings: &Settings, say: Say<'_>) -> Result<()> {
    match first_blind(nodes, settings, say, LIMIT) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// The first node that does not see all others within the time, and what it says.
pub(super) fn first_blind<'n>(
    nodes: &'n [Node],
    settings: &Settings,
    say: Say<'_>,
    limit: Duration,
) -> Option<(&'n Node, anyhow::Error)> {
    let running = |node: &&Node| node.activity() == Activity::Running;
    let running: Vec<&Node> = nodes.iter().filter(running).collect();
    let consistency = match running.len() {
        0 | 1 => return None,
        2 => Consistency::Two,
        _ => Consistency::Three,
    };
    running.into_iter().find_map(|node| {
        let sees = wait_for(node, "sees the others", say, limit, || {
            let address = settings.native(node.number);
            let mut connection = Connection::open(address, settings.login(), ASK_LIMIT)?;
            connection.query(REPLICATED_QUERY, consistency).map(drop)
        });
        sees.err().map(|error| (node, error))
    })
}

/// The version a node names; an error unless it is the one installed.
pub(crate) fn version(node: &Node, settings: &Settings) -> Result<String> {
    let address = settings.native(node.number);
    let mut connection = Connection::open(address, settings.login(), ASK_LIMIT)?;
    let rows = connection.query(VERSION_QUERY, Consistency::One)?;
    let cell = rows.into_iter().flatten().flatten().next();
    let version = String::from_utf8_lossy(&cell.unwrap_or_default()).into_owned();
    if version == VERSION {
        Ok(version)
    } else {
        bail!("{address} is Cassandra `{version}` instead of {VERSION}")
    }
}

/// Asks until there is an answer, the process ends, or the time for a start is over.
fn wait(node: &Node, what: &str, say: Say<'_>, ask: impl Fn() -> Result<()>) -> Result<()> {
    wait_for(node, what, say, LIMIT, ask)
}

/// Asks until there is an answer, the process ends, or the time is over.
fn wait_for(
    node: &Node,
    what: &str,
    say: Say<'_>,
    limit: Duration,
    ask: impl Fn() -> Result<()>,
) -> Result<()> {
    let number = node.number;
    let watch = Stopwatch::start();
    let mut speak_at = SPEAK_EVERY;
    loop {
        let Err(error) = ask() else {
            return Ok(());
        };
        if node.activity() == Activity::Gone {
            let words = node.last_words();
            bail!("node {number} ended before it could serve; the last it said:{words}");
        }
        let elapsed = watch.elapsed();
        if elapsed > limit {
            let (waited, words) = (step::seconds(elapsed), node.last_words());
            bail!("node {number}: {error:#}, after {waited}; the last it said:{words}");
        }
        if elapsed > speak_at {
            say(&format!(
                "waiting until node {number} {what}, {} s so far: {error}",
                elapsed.as_secs()
            ));
            speak_at += SPEAK_EVERY;
        }
        step::pause(ASK_AGAIN);
    }
}
