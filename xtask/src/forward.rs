//! Subcommands that only spell out a longer cargo command: `bench` and `damage`.

use std::process::ExitCode;

use anyhow::Result;

use crate::step;

/// Arguments handed on as they are.
#[derive(clap::Args)]
pub(crate) struct Forwarded {
    /// Handed on unchanged; `-- --help` shows what the command itself takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    arguments: Vec<String>,
}

impl Forwarded {
    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

/// `cargo run --release -p stoa -- bench ARGS`.
pub(crate) fn bench(forwarded: &Forwarded) -> Result<ExitCode> {
    forward(
        &["run", "--release", "-p", "stoa", "--", "bench"],
        forwarded,
    )
}

/// `cargo run --release -p stoa-store --example damage -- ARGS`.
pub(crate) fn damage(forwarded: &Forwarded) -> Result<ExitCode> {
    forward(
        &[
            "run",
            "--release",
            "-p",
            "stoa-store",
            "--example",
            "damage",
            "--",
        ],
        forwarded,
    )
}

fn forward(prefix: &[&str], forwarded: &Forwarded) -> Result<ExitCode> {
    let ok = step::succeeds(step::cargo(prefix).args(&forwarded.arguments))?;
    Ok(if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
