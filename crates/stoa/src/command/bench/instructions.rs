//! Instructions per operation, counted by valgrind: a figure that no other load can disturb.
//!
//! A child does an operation N times under cachegrind, and another does it not at all; the
//! difference divided by N is the figure. Making keys and rows is part of it on both sides.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::child::{Child, Repeated};
use super::figure::{Figure, Goal};
use super::plan::Plan;

const VALGRIND: [&str; 4] = [
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
];

/// Counts the instructions of an insert and of a point read.
pub(super) fn measure(
    folder: &Path,
    plan: &Plan,
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
    let works = [
        ("insert", Repeated::Insert, Repeated::RawInsert),
        ("read", Repeated::Read, Repeated::RawRead),
    ];
    for (name, ours, peer) in works {
        tell(Figure {
            work: format!("{name}-instructions"),
            ours: per_operation(folder, ours, plan.counted_operations)?,
            peer: Some(per_operation(folder, peer, plan.counted_operations)?),
            unit: "instructions/op",
            goal: Goal::None,
        })?;
    }
    Ok(())
}

fn per_operation(folder: &Path, what: Repeated, times: u64) -> Result<f64> {
    let without = counted(folder, what, 0)?;
    let with = counted(folder, what, times)?;
    Ok((with - without) / times as f64)
}

fn counted(folder: &Path, what: Repeated, times: u64) -> Result<f64> {
    let dir = folder.join("counted");
    let child = Child::Repeat {
        dir: dir.clone(),
        what,
        times,
    };
    let output = child.command(&VALGRIND)?.output()?;
    std::fs::remove_dir_all(dir)?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {told}");
    instructions_of(&told).context("valgrind did not tell the number of instructions")
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
