//! `cargo xtask ci`: every gate in order, cheap ones first, stopping at the first failure.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::{step, test, tidy};

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Check formatting, lints, tidy, docs and tests: what CI runs.

Steps, in order: fmt, clippy, tidy, docs, test. Each is named and timed. The first
failure ends the run and prints the command that repeats just that step.";

/// Runs all steps; the last line of a run that reaches the tests counts them.
pub(crate) fn run() -> Result<ExitCode> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for gate in GATES {
        println!("==> {}: {}", gate.name, gate.again);
        let (passed, took) = step::timed(gate.check);
        if !passed? {
            println!("==> {} FAILED after {}", gate.name, step::seconds(took));
            println!("    repeat just this step: {}", gate.again);
            return Ok(ExitCode::FAILURE);
        }
        times.push((gate.name, took));
    }
    println!("==> test: cargo xtask test");
    let (outcome, took) = step::timed(test::collect);
    let outcome = outcome?;
    times.push(("test", took));
    outcome.print_parts();
    println!();
    for (name, took) in &times {
        println!("{name:<8} {:>9}", step::seconds(*took));
    }
    if !outcome.passed() {
        println!("==> test FAILED; repeat just this step: cargo xtask test");
    }
    outcome.print_counts();
    Ok(outcome.exit_code())
}

/// One step before the tests.
struct Gate {
    name: &'static str,
    /// The command a person types to run it alone.
    again: &'static str,
    check: fn() -> Result<bool>,
}

const GATES: &[Gate] = &[
    Gate {
        name: "fmt",
        again: "cargo fmt --all --check",
        check: fmt,
    },
    Gate {
        name: "clippy",
        again: "cargo clippy --workspace --all-targets -- -D warnings",
        check: clippy,
    },
    Gate {
        name: "tidy",
        again: "cargo xtask tidy",
        check: tidy::check,
    },
    Gate {
        name: "docs",
        again: "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --document-private-items",
        check: docs,
    },
];

fn fmt() -> Result<bool> {
    step::succeeds(&mut step::cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Result<bool> {
    let arguments = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    step::succeeds(&mut step::cargo(&arguments))
}

fn docs() -> Result<bool> {
    let arguments = [
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
    ];
    step::succeeds(step::cargo(&arguments).env("RUSTDOCFLAGS", "-Dwarnings"))
}
