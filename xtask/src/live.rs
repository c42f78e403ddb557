//! Subcommands that need a live Cassandra and start it themselves: `conformance`, `oracle`, `faults`,
//! `votes-faults` and `votes-tests`.

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cassandra::held::Held;
use crate::cassandra::settings::{Schema, Settings, Size};
use crate::forward::Forwarded;
use crate::step;

/// What `--help` says of `conformance`.
pub(crate) const CONFORMANCE: &str = "\
Conformance scripts on a real Cassandra: record its answers, or compare with them.

  cargo xtask conformance check                       every script, on a node of our own
  cargo xtask conformance record --only lwt/          write the answers of one folder anew
  cargo xtask conformance check --store cql://HOST    on a cluster that runs already

`--only WORD` takes scripts whose path below conformance/ contains the word; `--jobs N` runs
so many at once. conformance/README.md explains the scripts.";

/// What `--help` says of `oracle`.
pub(crate) const ORACLE: &str = "\
Random scripts of CQL on the embedded engine and on a real Cassandra, compared statement by
statement. What differs is made small and printed with its seed; the exit code is 1 then.

  cargo xtask oracle --statements 20000               20 schemas from seed 1, on a node of our own
  cargo xtask oracle --statements 1000000 --seed 5000 other seeds
  cargo xtask oracle --seed 77 --schemas 1 --statements 1000    one seed again
  cargo xtask oracle --store cql://HOST               on a cluster that runs already

`--jobs N` runs so many at once, `--tries 0` makes nothing small, `--out DIR` keeps the small
scripts, which can become conformance scripts.";

/// What `--help` says of `faults`.
pub(crate) const FAULTS: &str = "\
Kill, pause and start nodes of a real cluster of three under load, and judge the history.

Clients save rows, append to lists and compare-and-set registers all the while. Nothing
acknowledged may be lost, nothing may happen twice, conditional writes must be linearizable;
with two nodes down nothing may be called saved.

  cargo xtask faults [--count N] [--json]             10,000 writes unless told otherwise";

/// What `--help` says of `votes-faults`.
pub(crate) const VOTES_FAULTS: &str = "\
A community votes on a real cluster of three while nodes are killed, started and paused.

Two instances serve people with two windows each, days pass, policies are merged. In the end every
acknowledged save must be in its chain, the books must balance to the single vote, and the public
ledger must count again to the same.

  cargo xtask votes-faults [--count N] [--json]       10,000 saves unless told otherwise";

/// What `--help` says of `votes-tests`.
pub(crate) const VOTES_TESTS: &str = "\
The tests of the voting domain, as they are, on a real cluster of three. A node is killed and started
again now and then, whatever runs meanwhile.

  cargo xtask votes-tests                             all but searches through orders and deaths
  cargo xtask votes-tests voting:: money::            those whose names contain one of the words
  cargo xtask votes-tests --store cql://HOST WORD     on a cluster that runs already; nobody dies";

/// Records or checks the conformance scripts.
pub(crate) fn conformance(forwarded: &Forwarded) -> Result<ExitCode> {
    on_one_node("stoa-cluster", "conformance", forwarded)
}

/// Compares the engine with a Cassandra on random scripts.
pub(crate) fn oracle(forwarded: &Forwarded) -> Result<ExitCode> {
    on_one_node("stoa", "oracle", forwarded)
}

/// Runs an example with these arguments, on a node of our own unless `--store` names one.
fn on_one_node(package: &str, name: &str, forwarded: &Forwarded) -> Result<ExitCode> {
    let arguments = forwarded.arguments();
    let example = || step::cargo(&["run", "-q", "-p", package, "--example", name]);
    if arguments.iter().any(|argument| argument == "--store") {
        return finish(example().arg("--").args(arguments));
    }
    let settings = Settings {
        schema: Schema::Forgotten,
        ..Settings::default()
    };
    let node = Held::start(name, &settings, &say)?;
    let environment = node.environment();
    finish(example().envs(environment).arg("--").args(arguments))
}

/// Runs the faults with these arguments.
pub(crate) fn faults(forwarded: &Forwarded) -> Result<ExitCode> {
    let arguments = forwarded.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let nodes = start_three()?;
    finish(&mut harness_on(FAULTS_HARNESS, &nodes, &arguments)?)
}

/// Runs a community under faults with these arguments.
pub(crate) fn votes_faults(forwarded: &Forwarded) -> Result<ExitCode> {
    let arguments = forwarded.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let nodes = start_three()?;
    finish(&mut harness_on(VOTES_HARNESS, &nodes, &arguments)?)
}

/// Runs the tests of the voting domain on a cluster.
pub(crate) fn votes_tests(forwarded: &Forwarded) -> Result<ExitCode> {
    let arguments: Vec<&str> = forwarded.arguments().iter().map(String::as_str).collect();
    if let ["--store", uri, words @ ..] = arguments.as_slice() {
        return finish(domain_tests(words)?.env("STOA_VOTES_STORE", uri));
    }
    let nodes = start_three()?;
    finish(&mut domain_tests_on(&nodes, &arguments)?)
}

fn domain_tests_on(nodes: &Held, words: &[&str]) -> Result<Command> {
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    let environment = nodes.environment();
    let uri = environment
        .iter()
        .find(|(name, _)| *name == "STOA_CASSANDRA");
    let (_, uri) = uri.context("the nodes have no address")?;
    let mut command = domain_tests(words)?;
    command
        .env("STOA_VOTES_STORE", uri)
        .env("STOA_XTASK", ourselves)
        .envs(environment.clone());
    Ok(command)
}

/// Tests that search through thousands of worlds, or through weeks of one, which only memory is fast
/// enough for.
const SEARCHES: [&str; 4] = [
    "races::",
    "every_step::",
    "catalog::a_task_that_dies",
    "catalog::runners_bring",
];

/// The tests of the voting domain whose names contain one of these words, one after another.
fn domain_tests(words: &[&str]) -> Result<Command> {
    let build = [
        "test",
        "--workspace",
        "--test",
        "it",
        "--no-run",
        "--message-format=json",
    ];
    let output = step::cargo(&build).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the tests do not build");
    let program = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| {
            let package = message.get("package_id").and_then(|it| it.as_str());
            package.is_some_and(|it| it.contains("stoa-votes"))
        })
        .find_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    let mut command = Command::new(program.context("cargo names no program of tests")?);
    command
        .current_dir(step::root().join("crates/stoa-votes"))
        .arg("--test-threads=1")
        .args(SEARCHES.iter().flat_map(|module| ["--skip", module]))
        .args(words);
    Ok(command)
}

/// What the domain's tests are about that `cargo xtask test` runs on a cluster; `cargo xtask
/// votes-tests` runs them all.
const MAIN_TESTS: [&str; 4] = ["voting::", "merging::", "late_tabs::", "days::"];

/// Runs the main tests of the voting domain while a node dies; whether all was well.
pub(crate) fn the_domain_stands(nodes: &Held) -> Result<bool> {
    step::succeeds(&mut domain_tests_on(nodes, &MAIN_TESTS)?)
}

/// Lets a community save so often under faults; whether the books balance.
pub(crate) fn votes_are_kept(nodes: &Held, count: u32) -> Result<bool> {
    let arguments = ["--count", &count.to_string()];
    step::succeeds(&mut harness_on(VOTES_HARNESS, nodes, &arguments)?)
}

/// Runs so many writes under faults; whether all was well.
pub(crate) fn faults_are_survived(nodes: &Held, count: u32) -> Result<bool> {
    let arguments = ["--count", &count.to_string(), "--busy"];
    step::succeeds(&mut harness_on(FAULTS_HARNESS, nodes, &arguments)?)
}

/// Runs the tests of `stoa check-cluster` on these nodes; whether all was well.
pub(crate) fn is_looked_at(nodes: &Held) -> Result<bool> {
    let mut command = step::cargo(&["test", "-q", "--workspace", "--test", "it"]);
    step::succeeds(
        command
            .arg("live_cluster_is_looked_at")
            .envs(nodes.environment()),
    )
}

/// Three nodes, to be killed and started again.
pub(crate) fn start_three() -> Result<Held> {
    let settings = Settings {
        size: Size::Three,
        ..Settings::default()
    };
    Held::start("faults", &settings, &say)
}

/// The examples that do things to nodes.
const FAULTS_HARNESS: &str = "faults";
const VOTES_HARNESS: &str = "votes_faults";

/// A harness, which calls this very program to kill and start nodes.
fn harness_on(name: &str, nodes: &Held, arguments: &[&str]) -> Result<Command> {
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    // With the features of the whole workspace: nothing that the tests have built is built again.
    let mut build = step::cargo(&["build", "-q", "--workspace", "--example", name]);
    ensure!(step::succeeds(&mut build)?, "the harness does not build");
    let mut command = Command::new(step::build_folder()?.join("debug/examples").join(name));
    command
        .current_dir(step::root())
        .args(arguments)
        .envs(nodes.environment())
        .env("STOA_XTASK", ourselves);
    Ok(command)
}

fn finish(command: &mut Command) -> Result<ExitCode> {
    Ok(match step::succeeds(command)? {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn say(line: &str) {
    eprintln!("cassandra: {line}");
}
