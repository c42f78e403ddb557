//! Instructions per operation, counted by valgrind: a figure that no other load can disturb.
//!
//! A child makes keys and rows for N operations and does them under cachegrind, another makes them
//! and does nothing; the difference divided by N is the figure.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::child::{self, Child};
use super::figure::{Figure, Goal};
use super::reopen::copy_folder;
use super::repeat::Repeated;

const VALGRIND: [&str; 4] = [
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
];

/// A work whose instructions are counted, and what is wanted of it.
pub(super) struct Counted {
    name: &'static str,
    ours: Repeated,
    peer: Repeated,
    goal: Goal,
}

impl Counted {
    /// A work that is only reported.
    pub(super) const fn new(name: &'static str, ours: Repeated, peer: Repeated) -> Self {
        Self {
            name,
            ours,
            peer,
            goal: Goal::None,
        }
    }

    /// The work with a goal.
    pub(super) const fn with(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }
}

/// Counts the instructions of what one caller does.
pub(super) fn measure(
    folder: &Path,
    operations: u64,
    works: &[Counted],
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    let found = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !found.is_ok_and(|status| status.success()) {
        bail!("valgrind is not installed; instructions are counted with it");
    }
    for work in works {
        let times = match work.peer {
            Repeated::RawSlice => (operations / 20).max(1),
            _ => operations,
        };
        tell(Figure {
            work: format!("{}-instructions", work.name),
            ours: per_operation(folder, work.ours, times)?,
            peer: Some(per_operation(folder, work.peer, times)?),
            unit: "instructions/op",
            goal: work.goal,
        })?;
    }
    Ok(())
}

fn per_operation(folder: &Path, what: Repeated, times: u64) -> Result<f64> {
    let loaded = folder.join("loaded");
    let repeat = |dir: &Path, times_done: u64| Child::Repeat {
        dir: dir.to_path_buf(),
        what,
        prepared: times,
        times: times_done,
    };
    child::answer(&repeat(&loaded, 0))?;
    let counted = |times_done: u64| -> Result<f64> {
        let dir = folder.join("counted");
        copy_folder(&loaded, &dir)?;
        let output = repeat(&dir, times_done).command(&VALGRIND)?.output()?;
        std::fs::remove_dir_all(dir)?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "valgrind failed: {told}");
        instructions_of(&told).context("valgrind did not tell the number of instructions")
    };
    let (without, with) = (counted(0)?, counted(times)?);
    std::fs::remove_dir_all(&loaded)?;
    Ok((with - without) / times as f64)
}

/// The number after "I refs:".
fn instructions_of(told: &str) -> Option<f64> {
    let line = told.lines().find(|line| line.contains("refs:"))?;
    let number = line.rsplit(':').next()?;
    number.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_what_valgrind_tells() {
        let told = "==7== Cachegrind\n==7== \n==7== I refs:        1,234,567\n";
        assert_eq!(instructions_of(told), Some(1_234_567.0));
        assert_eq!(instructions_of("nothing"), None);
    }
}
