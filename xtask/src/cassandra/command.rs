//! The command line of `cargo xtask cassandra`: arguments in, lines and an exit code out.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;

use super::cluster::{Cluster, Data, Raised};
use super::node::{Node, tail};
use super::ports;
use super::process::Activity;
use super::ready;
use super::settings::{CommitLogSync, DEFAULT_PORT, LOWEST_PORT, Schema, Settings, Size};
use super::watchdog::{Folder, watch};
use crate::step;

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Real Apache Cassandra on this machine: start, stop, kill, pause.

`up` fetches Cassandra by Maven into the build folder, once, and starts one node on 127.0.0.1
or three on 127.0.0.1, .2 and .3. It returns when every node answers a query. The nodes then
run until `down`. Needs Java 17 or 11, and Maven for the first time.

  cargo xtask cassandra up --nodes 3
  export $(cargo xtask cassandra env)      # STOA_CASSANDRA=cql://127.0.0.1,...:9042
  cargo xtask cassandra kill 2             # node 2 crashes
  cargo xtask cassandra start 2            # ... and comes back with its data
  cargo xtask cassandra down

Environment:
  STOA_CASSANDRA_PORT  the port where --port is not given
  STOA_CASSANDRA_NAME  the cluster where --name is not given";

/// Arguments of every operation.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which cluster; several can run at once, on different ports [default: main]
    #[arg(long, global = true, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Subcommand)]
enum Operation {
    /// Start the nodes and wait until each answers a query
    Up(Up),
    /// End every node, with everything written out
    Down,
    /// Kill a node, as a crash of its machine would (SIGKILL)
    Kill(Which),
    /// Stop a node in place: it answers nothing and closes nothing (SIGSTOP)
    Pause(Which),
    /// Let a paused node go on (SIGCONT)
    Resume(Which),
    /// Start a killed node on its data and wait until it answers
    Start(Which),
    /// Print the end of a node's log
    Logs {
        #[command(flatten)]
        which: Which,
        /// How many lines
        #[arg(long, value_name = "COUNT", default_value_t = 50)]
        lines: usize,
    },
    /// Say which nodes run and answer; exit code 0 if all do
    Status {
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Print the environment variables by which tests find the cluster
    Env,
    /// Kill a cluster's nodes when standard input closes; xtask starts this itself
    #[command(hide = true)]
    Watch {
        #[arg(long)]
        folder: PathBuf,
        #[arg(long)]
        remove: bool,
    },
}

#[derive(clap::Args)]
struct Which {
    /// The number of the node, from 1
    #[arg(value_name = "NODE")]
    node: u8,
}

#[derive(clap::Args)]
struct Up {
    /// How many nodes: 1 or 3
    #[arg(long, value_name = "COUNT", default_value = "1", value_parser = size)]
    nodes: Size,
    /// Ask clients to log in; the first user is cassandra, with the password cassandra
    #[arg(long)]
    auth: bool,
    /// Add an encrypted port, one above the native port, with a certificate made for it; for one
    /// node
    #[arg(long)]
    tls: bool,
    /// When the commit log is synced
    #[arg(long, value_enum, default_value = "periodic")]
    sync: CommitLogSync,
    /// The native port, or `auto` for one that is free; the storage port is 2042 lower
    /// [default: 9042]
    #[arg(long, value_name = "PORT")]
    port: Option<Port>,
    /// Do not sync schema changes: CREATE is several times as fast, but a node that is killed
    /// and started again has forgotten its tables; for one node
    #[arg(long)]
    fast_schema: bool,
    /// Keep the data of the last `up` of the same shape; otherwise it is removed
    #[arg(long)]
    keep: bool,
}

/// Runs one operation.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let Arguments { name, operation } = arguments;
    if let Operation::Watch { folder, remove } = operation {
        let after = if remove {
            Folder::Removed
        } else {
            Folder::Kept
        };
        return watch(&folder, after).map(|()| ExitCode::SUCCESS);
    }
    let cluster = Cluster::named(&chosen_name(name)?)?;
    match operation {
        Operation::Up(up) => raise(&cluster, &up)?,
        Operation::Down => println!("{} stopped", count(cluster.down(&say)?)),
        Operation::Kill(Which { node }) => {
            let ran = cluster.kill(node)?;
            println!(
                "node {node} {}",
                if ran { "killed" } else { "was not running" }
            );
        }
        Operation::Pause(Which { node }) => {
            cluster.pause(node)?;
            println!("node {node} paused");
        }
        Operation::Resume(Which { node }) => {
            cluster.resume(node)?;
            println!("node {node} goes on");
        }
        Operation::Start(Which { node }) => {
            let took = cluster.start(node, &say)?;
            println!("node {node} answers after {}", step::seconds(took));
        }
        Operation::Logs { which, lines } => logs(&cluster.node(which.node)?, lines),
        Operation::Status { json } => return status(&cluster, json),
        Operation::Env => print_environment(&cluster, &cluster.settings()?),
        Operation::Watch { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn raise(cluster: &Cluster, up: &Up) -> Result<()> {
    let settings = up.settings(cluster)?;
    match cluster.up(&settings, up.data(), &say)? {
        Raised::Started(took) => {
            println!("up after {}: {settings}", step::seconds(took));
        }
        Raised::WasUp => println!("already up: {settings}"),
    }
    print_environment(cluster, &settings);
    Ok(())
}

impl Up {
    fn settings(&self, cluster: &Cluster) -> Result<Settings> {
        let mut settings = Settings {
            size: self.nodes,
            auth: self.auth,
            tls: self.tls,
            sync: self.sync,
            port: DEFAULT_PORT,
            schema: if self.fast_schema {
                Schema::Forgotten
            } else {
                Schema::Synced
            },
        };
        anyhow::ensure!(
            !self.fast_schema || self.nodes == Size::One,
            "--fast-schema is for one node; three are there to be killed and started again"
        );
        anyhow::ensure!(
            !self.tls || self.nodes == Size::One,
            "--tls is for one node; nodes do not tell each other's encrypted ports"
        );
        settings.port = match self.port()? {
            Port::Number(port) => port,
            Port::Free => match cluster.running_port()? {
                Some(port) => port,
                None => ports::choose(&settings, std::process::id())?,
            },
        };
        Ok(settings)
    }

    fn port(&self) -> Result<Port> {
        match (self.port, std::env::var("STOA_CASSANDRA_PORT")) {
            (Some(port), _) => Ok(port),
            (None, Ok(text)) => text
                .parse()
                .map_err(anyhow::Error::msg)
                .context("STOA_CASSANDRA_PORT"),
            (None, Err(_)) => Ok(Port::Number(DEFAULT_PORT)),
        }
    }

    fn data(&self) -> Data {
        if self.keep { Data::Kept } else { Data::Wiped }
    }
}

fn logs(node: &Node, lines: usize) {
    println!("{}", node.log().display());
    for line in tail(&node.log(), lines) {
        println!("{line}");
    }
}

fn status(cluster: &Cluster, as_json: bool) -> Result<ExitCode> {
    let settings = cluster.settings()?;
    let mut all_answer = true;
    let mut rows = Vec::new();
    for node in cluster.nodes(&settings) {
        let activity = node.activity();
        let version = match activity {
            Activity::Running => ready::version(&node, &settings),
            Activity::Paused | Activity::Gone => Err(anyhow::anyhow!("not asked")),
        };
        all_answer &= version.is_ok();
        let pid = node.identity().map(|identity| identity.pid);
        let pid = pid.filter(|_| activity != Activity::Gone);
        let address = settings.native(node.number).to_string();
        if as_json {
            rows.push(json!({
                "node": node.number, "address": address, "state": word(activity), "pid": pid,
                "answers": version.is_ok(), "log": node.log(),
            }));
        } else {
            let answer = match (&version, activity) {
                (Ok(version), _) => format!("answers as {version}"),
                (Err(error), Activity::Running) => format!("does not answer: {error:#}"),
                (Err(_), _) => String::new(),
            };
            let pid = pid.map_or_else(String::new, |pid| format!("process {pid}"));
            let line = format!(
                "node {}  {address:<16} {:<8} {pid:<16} {answer}",
                node.number,
                word(activity)
            );
            println!("{}", line.trim_end());
        }
    }
    if as_json {
        let all = json!({
            "settings": settings.to_json(), "uri": cluster.uri(&settings), "answers": all_answer,
            "nodes": rows,
        });
        println!("{all:#}");
    } else {
        println!("{settings}");
    }
    Ok(if all_answer {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn word(activity: Activity) -> &'static str {
    match activity {
        Activity::Running => "running",
        Activity::Paused => "paused",
        Activity::Gone => "down",
    }
}

fn print_environment(cluster: &Cluster, settings: &Settings) {
    for (variable, value) in cluster.environment(settings) {
        println!("{variable}={value}");
    }
}

/// Progress does not belong to what a program reads.
fn say(line: &str) {
    eprintln!("cassandra: {line}");
}

fn count(nodes: usize) -> String {
    match nodes {
        0 => "nothing was running; no node".to_owned(),
        1 => "1 node".to_owned(),
        _ => format!("{nodes} nodes"),
    }
}

/// Where the native port comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Number(u16),
    Free,
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Free);
        }
        match text.parse() {
            Ok(port) if port >= LOWEST_PORT => Ok(Self::Number(port)),
            _ => Err(format!("`auto`, or a number from {LOWEST_PORT} to 65535")),
        }
    }
}

fn size(text: &str) -> Result<Size, String> {
    let size = text.parse().ok().and_then(Size::of);
    size.ok_or_else(|| "1 or 3".to_owned())
}

fn chosen_name(given: Option<String>) -> Result<String> {
    match (given, std::env::var("STOA_CASSANDRA_NAME")) {
        (Some(given), _) => Ok(given),
        (None, Ok(text)) => name(&text)
            .map_err(anyhow::Error::msg)
            .context("STOA_CASSANDRA_NAME"),
        (None, Err(_)) => Ok("main".to_owned()),
    }
}

/// A name becomes a folder's.
fn name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !text.is_empty() && text.len() <= 40 && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("1 to 40 small letters, digits and `-`".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        let words = ["cassandra"].into_iter().chain(line.split(' '));
        Line::try_parse_from(words).map(|line| line.arguments)
    }

    fn up(line: &str) -> Result<Settings> {
        let Operation::Up(up) = parse(line)?.operation else {
            panic!("{line} is not `up`");
        };
        up.settings(&Cluster::at(std::path::Path::new("/stoa-no-such-folder"))?)
    }

    #[test]
    fn up_is_one_node_as_shipped_unless_told_otherwise() {
        assert_eq!(up("up --port 9042").unwrap(), Settings::default());
        let settings = up("up --nodes 3 --auth --sync batch --port 9142").unwrap();
        assert_eq!(
            settings.to_string(),
            "3 nodes on port 9142, batch commit log, with logins"
        );
    }

    #[test]
    fn a_port_may_be_chosen_for_us() {
        let settings = up("up --port auto").unwrap();
        assert_ne!(settings.port, DEFAULT_PORT);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "up --nodes 2",
            "up --nodes 0",
            "up --sync never",
            "up --port 80",
            "up --port 70000",
            "kill",
            "kill two",
            "--name ../x down",
            "--name A down",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(up("up --nodes 3 --fast-schema --port 9042").is_err());
        assert!(up("up --nodes 3 --tls --port 9042").is_err());
    }

    #[test]
    fn the_name_may_come_before_or_after_the_operation() {
        for line in ["--name faults kill 2", "kill 2 --name faults"] {
            let arguments = parse(line).unwrap();
            assert_eq!(arguments.name.as_deref(), Some("faults"));
            assert!(matches!(
                arguments.operation,
                Operation::Kill(Which { node: 2 })
            ));
        }
    }
}
