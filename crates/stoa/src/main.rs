//! The stoa command: parses arguments, runs a command, chooses the exit code.
//!
//! Exit codes: 0 all is well; 1 something is wrong, and one line on standard error says what;
//! 2 the command line makes no sense, or `check-cluster` could not connect.

mod command;
mod connect;
mod terminal;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

use crate::command::Command;

#[derive(Parser)]
#[command(
    name = "stoa",
    version,
    about = "An embedded database that speaks CQL as Apache Cassandra 5.0 does",
    after_help = "Examples:\n  \
        stoa serve --demo          a living community, at http://127.0.0.1:8080\n  \
        stoa cql --memory          a database that CQL drivers connect to\n  \
        stoa shell --data data     type CQL, on the database in folder data\n  \
        stoa dump --data data -o dump.cql   write everything in it as CQL\n  \
        stoa load dump.cql --store cql://127.0.0.1   and read that into a cluster\n  \
        stoa check data            read everything in the store in folder data\n  \
        stoa check-cluster cql://127.0.0.1/votes   look at a Cassandra cluster\n  \
        stoa bench store --quick   measure the store in a few seconds\n  \
        stoa votes audit --data data   does every count follow from what people voted?\n  \
        stoa sim votes --seeds 1000   count votes while everything goes wrong"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.run() {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell if standard error is closed too.
            let _ = writeln!(std::io::stderr(), "stoa: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader of our output went away, as `| head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let source = error.downcast_ref::<std::io::Error>();
    source.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
