//! `cargo xtask test`: the tools tests need, every test and doc test, and a summary.
//!
//! The last line of a run is `N passed, N failed`, with `, N skipped` where anything was.

use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::needs::{self, Need, Provided};
use crate::step;
use crate::test_output::{Part, Reader};

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Install what the tests need, run every test, print a summary.

Tools that tests start (see xtask/src/needs.rs) are installed from Debian where they are
missing, given the rights; otherwise the line to run as administrator is printed. Then
`cargo test --workspace` runs, with the doc tests. The last line counts the tests.

Environment:
  STOA_ALLOW_SKIP=NAME,...  tools whose absence is accepted; their tests are skipped.
                            Without it a missing tool fails the run.
  STOA_SKIPPED              set for the tests: the tools that are missing.";

/// Runs everything and prints the summary.
pub(crate) fn run() -> Result<ExitCode> {
    let outcome = collect()?;
    outcome.print_parts();
    outcome.print_counts();
    Ok(outcome.exit_code())
}

/// Runs everything; the caller prints the summary.
pub(crate) fn collect() -> Result<Outcome> {
    let allowed = std::env::var("STOA_ALLOW_SKIP").unwrap_or_default();
    let may_skip = |name: &str| allowed.split(',').any(|word| word.trim() == name);
    let skipped = match needs::provide(may_skip)? {
        Provided::Ready(skipped) => skipped,
        Provided::AskAdministrator(missing) => {
            anyhow::bail!(
                "tests need tools that only an administrator can install; run:\n\n    \
                 sudo {}\n",
                needs::install_line(&missing)
            );
        }
    };
    let (tests, took) = step::timed(|| cargo_test(&skipped));
    let (parts, cargo_succeeded) = tests?;
    let skipped = skipped
        .into_iter()
        .map(|need| Skip {
            need,
            accepted: may_skip(need.name),
        })
        .collect();
    Ok(Outcome {
        parts,
        skipped,
        cargo_succeeded,
        took,
    })
}

/// Runs `cargo test`, showing its output as it comes and reading it along the way.
fn cargo_test(skipped: &[&Need]) -> Result<(Vec<Part>, bool)> {
    let names: Vec<&str> = skipped.iter().map(|need| need.name).collect();
    // One pipe for both streams keeps "Running x" before the results of x.
    let (output, input) = std::io::pipe().context("cannot make a pipe")?;
    let mut child = step::cargo(&["test", "--workspace", "--no-fail-fast"])
        .env("STOA_SKIPPED", names.join(","))
        .stdout(input.try_clone()?)
        .stderr(input)
        .spawn()
        .context("cannot start cargo test")?;
    let mut reader = Reader::default();
    let mut terminal = std::io::stdout();
    let mut lines = BufReader::new(output);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        terminal.write_all(&line)?;
        reader.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok((reader.finish(), child.wait()?.success()))
}

/// A tool that is missing.
struct Skip {
    need: &'static Need,
    /// `STOA_ALLOW_SKIP` names it.
    accepted: bool,
}

/// Everything a summary says.
pub(crate) struct Outcome {
    parts: Vec<Part>,
    skipped: Vec<Skip>,
    cargo_succeeded: bool,
    took: Duration,
}

impl Outcome {
    /// Whether nothing failed and nothing was skipped without leave.
    pub(crate) fn passed(&self) -> bool {
        self.failed() == 0 && self.skipped.iter().all(|skip| skip.accepted)
    }

    /// The process's answer.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.passed() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    /// The table of parts, then what was skipped and whether that is accepted.
    pub(crate) fn print_parts(&self) {
        println!();
        for part in &self.parts {
            println!("{part}");
        }
        println!(
            "{:<44} {:>9}",
            "all tests, with building them",
            step::seconds(self.took)
        );
        for Skip { need, accepted } in &self.skipped {
            println!(
                "SKIPPED  {}: cannot be installed; untested: {}",
                need.name, need.serves
            );
            if !accepted {
                println!(
                    "         that fails this run; STOA_ALLOW_SKIP={} accepts it",
                    need.name
                );
            }
        }
        if self.stopped_early() {
            println!("FAILED   cargo test ended with an error outside any test; see above");
        }
    }

    /// The last line.
    pub(crate) fn print_counts(&self) {
        println!("{}", self.counts());
    }

    fn counts(&self) -> String {
        let passed: u64 = self.parts.iter().map(|part| part.passed).sum();
        let ignored: u64 = self.parts.iter().map(|part| part.ignored).sum();
        let skipped = ignored + self.skipped.len() as u64;
        let counts = format!("{passed} passed, {} failed", self.failed());
        if skipped == 0 {
            counts
        } else {
            format!("{counts}, {skipped} skipped")
        }
    }

    /// Failed tests; a run that broke outside any test counts as one.
    fn failed(&self) -> u64 {
        let failed: u64 = self.parts.iter().map(|part| part.failed).sum();
        failed + u64::from(self.stopped_early())
    }

    /// A build error, or a test process that died before its result line.
    fn stopped_early(&self) -> bool {
        !self.cargo_succeeded && self.parts.iter().all(|part| part.failed == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(part: Part, cargo_succeeded: bool) -> Outcome {
        Outcome {
            parts: vec![part],
            skipped: Vec::new(),
            cargo_succeeded,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn a_good_run_counts_and_passes() {
        let outcome = outcome(
            Part {
                passed: 3,
                ..Part::default()
            },
            true,
        );
        assert_eq!(outcome.counts(), "3 passed, 0 failed");
        assert!(outcome.passed());
    }

    #[test]
    fn a_build_error_is_a_failure_though_no_test_failed() {
        let outcome = outcome(Part::default(), false);
        assert_eq!(outcome.counts(), "0 passed, 1 failed");
        assert!(!outcome.passed());
    }

    #[test]
    fn a_failed_test_is_counted_once() {
        let outcome = outcome(
            Part {
                passed: 1,
                failed: 2,
                ..Part::default()
            },
            false,
        );
        assert_eq!(outcome.counts(), "1 passed, 2 failed");
    }
}
