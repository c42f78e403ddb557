//! `cargo xtask test`: what tests need, every test and doc test, and a summary.
//!
//! The last line of a run is `N passed, N failed`, with `, N skipped` where anything was.

use std::io::{BufRead, BufReader, IsTerminal as _, Write};
use std::process::{Command, ExitCode};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::cassandra::held::Held;
use crate::cassandra::install::VERSION;
use crate::cassandra::settings::{PASSWORD_VARIABLE, Schema, Settings};
use crate::live;
use crate::needs::{self, CASSANDRA, Missing, Provided};
use crate::step;
use crate::test_output::{Part, Reader};

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Install what the tests need, run every test, print a summary.

What tests use (see xtask/src/needs.rs) is installed from Debian where it is missing, given
the rights; otherwise the line to run as administrator is printed. Cassandra is fetched by
Maven into the build folder, and one node of it starts on a free port while the tests are
built, and a second one that asks for logins and encrypts. Then `cargo test --workspace` runs,
with the doc tests, and the nodes end. Three nodes follow, which `stoa check-cluster` looks at,
which are killed and paused under load, on which a community votes meanwhile, and on which the
main tests of the voting domain run. The last line counts the tests.

Environment:
  STOA_ALLOW_SKIP=NAME,...  needs whose absence is accepted: strace, script, browser, cql-clients,
                            cassandra. Their tests are skipped. Without it a missing need fails
                            the run.
  STOA_SKIPPED              set for the tests: the needs that are missing.
  STOA_CASSANDRA            set for the tests: where Cassandra answers, as
                            cql://127.0.0.1:PORT.
  STOA_CASSANDRA_SECURE     set for the tests: where one answers that asks for a login and
                            encrypts; the password is in STOA_CASSANDRA_PASSWORD.";

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
    let may_skip = |name: &str| names(&allowed, name);
    let mut missing = match needs::provide(may_skip)? {
        Provided::Ready(missing) => missing,
        Provided::AskAdministrator(packages) => {
            anyhow::bail!(
                "tests need tools that only an administrator can install; run:\n\n    \
                 sudo {}\n",
                needs::install_line(&packages)
            );
        }
    };
    let (tests, took) = step::timed(|| build_and_test(&mut missing));
    let (parts, cargo_succeeded) = tests?;
    let skipped = missing.into_iter().map(|missing| Skip {
        accepted: may_skip(missing.need.name),
        missing,
    });
    Ok(Outcome {
        parts,
        skipped: skipped.collect(),
        cargo_succeeded,
        took,
    })
}

/// Whether a list of words with commas between them has this one.
fn names(list: &str, name: &str) -> bool {
    list.split(',').any(|word| word.trim() == name)
}

/// Builds the tests while Cassandra starts, then runs them. Cassandra ends with this function,
/// or with this process, however that ends.
fn build_and_test(missing: &mut Vec<Missing>) -> Result<(Vec<Part>, bool)> {
    let is_wanted = !missing.iter().any(|gone| gone.need.name == CASSANDRA.name);
    let (built, node) = std::thread::scope(|scope| {
        let node = is_wanted.then(|| scope.spawn(Nodes::start));
        let mut build = step::cargo(&["test", "--workspace", "--no-run"]);
        let built = step::succeeds(&mut build);
        (built, node.map(ScopedJoinHandle::join))
    });
    let mut environment = Vec::new();
    let node = match node {
        None => None,
        Some(Ok(Ok(nodes))) => {
            println!(
                "==> cassandra {VERSION} answers, started in {}, with logins and encryption in {}",
                step::seconds(nodes.open.took),
                step::seconds(nodes.secure.took)
            );
            environment = nodes.environment();
            Some(nodes)
        }
        Some(Ok(Err(error))) => {
            let why = format!("does not start: {error:#}");
            missing.push(Missing {
                need: &CASSANDRA,
                why,
            });
            None
        }
        Some(Err(_)) => anyhow::bail!("the thread that starts Cassandra panicked"),
    };
    if !built? {
        return Ok((Vec::new(), false));
    }
    let names: Vec<&str> = missing.iter().map(|missing| missing.need.name).collect();
    environment.push(("STOA_SKIPPED", names.join(",")));
    let answer = cargo_test(environment);
    let is_there = node.is_some();
    drop(node);
    let (mut parts, succeeded) = answer?;
    if is_there {
        parts.extend(three_nodes()?);
    }
    Ok((parts, succeeded))
}

/// The nodes that tests share.
struct Nodes {
    open: Held,
    /// Asks for logins, and has an encrypted port.
    secure: Held,
}

impl Nodes {
    /// Starts both, for tests that make and drop many tables and never restart a node.
    fn start() -> Result<Self> {
        let start = |purpose, is_secure| {
            let settings = Settings {
                schema: Schema::Forgotten,
                auth: is_secure,
                tls: is_secure,
                ..Settings::default()
            };
            Held::start(purpose, &settings, &|_| ())
        };
        Ok(Self {
            open: start("test", false)?,
            secure: start("secure", true)?,
        })
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let secure = self.secure.environment().into_iter();
        let secure = secure.filter_map(|(name, value)| match name {
            "STOA_CASSANDRA" => Some(("STOA_CASSANDRA_SECURE", value)),
            PASSWORD_VARIABLE => Some((name, value)),
            _ => None,
        });
        self.open.environment().into_iter().chain(secure).collect()
    }
}

/// How many writes the nodes are killed and paused under; `cargo xtask faults` does more.
const FAULT_WRITES: u32 = 1_500;

/// How many saves a community makes meanwhile; `cargo xtask votes-faults` does more.
const FAULT_SAVES: u32 = 400;

/// A cluster of three, looked at and then under faults, as parts that pass or fail.
fn three_nodes() -> Result<[Part; 4]> {
    println!("==> faults on three nodes: cargo xtask faults --count {FAULT_WRITES}");
    let nodes = live::start_three()?;
    Ok([
        part("stoa check-cluster on three nodes", || {
            live::is_looked_at(&nodes)
        })?,
        part("faults on three nodes of Cassandra", || {
            live::faults_are_survived(&nodes, FAULT_WRITES)
        })?,
        part("votes on three nodes of Cassandra", || {
            live::votes_are_kept(&nodes, FAULT_SAVES)
        })?,
        part("tests of the domain on three nodes", || {
            live::the_domain_stands(&nodes)
        })?,
    ])
}

fn part(name: &str, check: impl FnOnce() -> Result<bool>) -> Result<Part> {
    let (passed, took) = step::timed(check);
    let passed = passed?;
    Ok(Part {
        name: name.to_owned(),
        passed: u64::from(passed),
        failed: u64::from(!passed),
        ignored: 0,
        time: step::seconds(took),
    })
}

/// After how long tests that nobody watches are taken for stuck.
const PATIENCE: &str = "45m";

/// All tests. Where nobody sees that one hangs, they are ended after a while and have failed;
/// at a terminal a person may end them, which `timeout` would get in the way of.
fn all_tests() -> Command {
    let cargo = step::cargo(&["test", "--workspace", "--no-fail-fast"]);
    if std::io::stdout().is_terminal() {
        return cargo;
    }
    let mut limited = Command::new("timeout");
    limited
        .args(["--verbose", "--kill-after=1m", PATIENCE])
        .arg(cargo.get_program())
        .args(cargo.get_args())
        .current_dir(step::root());
    limited
}

/// Runs `cargo test`, showing its output as it comes and reading it along the way.
fn cargo_test(environment: Vec<(&str, String)>) -> Result<(Vec<Part>, bool)> {
    // One pipe for both streams keeps "Running x" before the results of x.
    let (output, input) = std::io::pipe().context("cannot make a pipe")?;
    let mut child = all_tests()
        .env_remove("STOA_CASSANDRA")
        .env_remove("STOA_CASSANDRA_SECURE")
        .envs(environment)
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

/// A need that is missing.
struct Skip {
    missing: Missing,
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
        for Skip { missing, accepted } in &self.skipped {
            let Missing { need, why } = missing;
            println!("SKIPPED  {}: untested: {}; {why}", need.name, need.serves);
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
    fn what_is_skipped_is_counted_and_fails_the_run_unless_that_was_allowed() {
        let skipped = |accepted| {
            let missing = Missing {
                need: &CASSANDRA,
                why: "does not start".to_owned(),
            };
            let part = Part {
                passed: 3,
                ..Part::default()
            };
            Outcome {
                skipped: vec![Skip { missing, accepted }],
                ..outcome(part, true)
            }
        };
        for accepted in [true, false] {
            let outcome = skipped(accepted);
            assert_eq!(outcome.counts(), "3 passed, 0 failed, 1 skipped");
            assert_eq!(outcome.passed(), accepted);
        }
    }

    #[test]
    fn only_the_needs_that_are_named_may_be_skipped() {
        for (allowed, name, may) in [
            ("", "cassandra", false),
            ("cassandra", "cassandra", true),
            ("strace, cassandra", "cassandra", true),
            ("strace", "cassandra", false),
            ("cassandras", "cassandra", false),
        ] {
            assert_eq!(names(allowed, name), may, "{allowed:?}, {name}");
        }
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
