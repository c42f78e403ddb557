//! `cargo xtask`: the automation of the workspace, in Rust instead of shell.
//!
//! Each subcommand is one module. `ci` is the gate; everything it runs can be run alone.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool answers on its terminal"
)]

mod browser;
mod cassandra;
mod ci;
mod cql_clients;
mod forward;
mod live;
mod needs;
mod step;
mod test;
mod test_output;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Automation of the Stoa workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check formatting, lints, tidy, docs and tests: what CI runs
    #[command(long_about = ci::ABOUT)]
    Ci,
    /// Check the rules that no other tool checks
    #[command(long_about = tidy::ABOUT)]
    Tidy,
    /// Install what the tests need, run every test, print a summary
    #[command(long_about = test::ABOUT)]
    Test,
    /// Real Apache Cassandra on this machine: start, stop, kill, pause
    #[command(long_about = cassandra::ABOUT)]
    Cassandra(cassandra::Arguments),
    /// The tests in a real browser, and pictures of every page
    #[command(long_about = browser::ABOUT)]
    Browser(forward::Forwarded),
    /// Measure: `stoa bench ARGS` in a release build
    Bench(forward::Forwarded),
    /// Full damage figures of the store: power cuts, bit flips, full disks
    Damage(forward::Forwarded),
    /// Random scripts on the engine and on the model of CQL, compared
    #[command(long_about = forward::MODEL)]
    Model(forward::Forwarded),
    /// Conformance scripts on a real Cassandra: record its answers, or compare with them
    #[command(long_about = live::CONFORMANCE)]
    Conformance(forward::Forwarded),
    /// Random scripts on the engine and on a real Cassandra, compared
    #[command(long_about = live::ORACLE)]
    Oracle(forward::Forwarded),
    /// Kill, pause and start nodes of a real cluster under load, and judge the history
    #[command(long_about = live::FAULTS)]
    Faults(forward::Forwarded),
    /// Let a community vote on a real cluster whose nodes are killed, and balance its books
    #[command(long_about = live::VOTES_FAULTS)]
    VotesFaults(forward::Forwarded),
    /// The tests of the voting domain on a real cluster whose nodes are killed
    #[command(long_about = live::VOTES_TESTS)]
    VotesTests(forward::Forwarded),
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Ci => ci::run(),
        Command::Tidy => tidy::run(),
        Command::Test => test::run(),
        Command::Cassandra(arguments) => cassandra::run(arguments),
        Command::Browser(forwarded) => browser::run(&forwarded),
        Command::Bench(forwarded) => forward::bench(&forwarded),
        Command::Damage(forwarded) => forward::damage(&forwarded),
        Command::Model(forwarded) => forward::model(&forwarded),
        Command::Conformance(forwarded) => live::conformance(&forwarded),
        Command::Oracle(forwarded) => live::oracle(&forwarded),
        Command::Faults(forwarded) => live::faults(&forwarded),
        Command::VotesFaults(forwarded) => live::votes_faults(&forwarded),
        Command::VotesTests(forwarded) => live::votes_tests(&forwarded),
    }
}
