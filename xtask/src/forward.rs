//! Subcommands that only spell out a longer cargo command: `bench`, `damage` and `model`.

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

/// What `--help` says of `model`.
pub(crate) const MODEL: &str = "\
Random scripts of CQL on the embedded engine and on the model of CQL, compared statement by
statement. What differs is made small and printed with its seed; the exit code is 1 then.

  cargo xtask model --statements 200000 --schemas 200           from seed 1, in memory
  cargo xtask model --statements 5000000 --schemas 5000 --disk  the long trial, on disk
  cargo xtask model --seed 77 --schemas 1 --statements 1000     one seed again

`--everything` also makes views and INSERT JSON, which the model does not know. The engine is
flushed, compacted and opened anew at random. It ends with how many statements the model does not
know, and why, and how many wrong answers were planted and seen.";

/// `cargo run -p stoa-engine --example model -- ARGS`.
pub(crate) fn model(forwarded: &Forwarded) -> Result<ExitCode> {
    forward(
        &["run", "-p", "stoa-engine", "--example", "model", "--"],
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
