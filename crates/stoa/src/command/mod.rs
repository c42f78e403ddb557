//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod check;

use std::process::ExitCode;

use clap::Subcommand;

/// What the user asked for.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Read everything in a store and say what is damaged
    Check(check::Arguments),
    /// Measure
    Bench(bench::Arguments),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Check(arguments) => check::run(&arguments),
            Self::Bench(arguments) => bench::run(arguments),
        }
    }
}
