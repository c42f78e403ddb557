//! Resident memory, measured by fresh processes of themselves.

use std::path::Path;

use anyhow::{Context as _, Result};
use stoa_store::Options;

use super::child::{self, Child};
use super::figure::{Figure, Goal};
use super::plan::{Plan, Work};

const MIB: f64 = 1024.0 * 1024.0;
/// What an empty store may take.
const EMPTY_MIB: f64 = 30.0;
/// What a table may take beside its recent writes and cached blocks: handles, table files'
/// indexes and filters, and the memory a thousand small memtables are rounded up to.
const TABLE_MIB: f64 = 0.0625;

/// Measures what was asked for of memory.
pub(super) fn measure(
    folder: &Path,
    plan: &Plan<Work>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    if plan.includes(Work::MemoryEmpty) {
        let dir = folder.join("empty");
        let ours = resident(&Child::MemoryEmpty { dir: dir.clone() })?;
        tell(figure("memory-empty".to_owned(), ours, EMPTY_MIB))?;
        std::fs::remove_dir_all(dir)?;
    }
    if plan.includes(Work::MemoryTables) {
        let dir = folder.join("tables");
        let ours = resident(&Child::MemoryTables {
            dir: dir.clone(),
            tables: plan.tables,
            rows: plan.rows_per_table,
        })?;
        let work = format!("memory-tables/{}x{}", plan.tables, plan.rows_per_table);
        tell(figure(work, ours, budget_mib(plan.tables)))?;
        std::fs::remove_dir_all(dir)?;
    }
    Ok(())
}

/// Write buffer and cache as configured, an empty store, and an allowance for each table.
fn budget_mib(tables: u64) -> f64 {
    let options = Options::default();
    let configured = (options.write_buffer_bytes + options.cache_bytes) as f64 / MIB;
    configured + EMPTY_MIB + TABLE_MIB * tables as f64
}

/// A figure of memory, and what it must be below.
pub(super) fn figure(work: String, ours: f64, limit: f64) -> Figure {
    Figure {
        work,
        ours,
        peer: None,
        unit: "MiB",
        goal: Goal::OursBelow(limit),
    }
}

/// The peak resident memory in MiB that a child told.
pub(super) fn resident(child: &Child) -> Result<f64> {
    let answer = child::answer(child)?;
    let kib: f64 = answer
        .trim()
        .parse()
        .with_context(|| format!("a child answered {answer:?}"))?;
    Ok(kib / 1024.0)
}

/// The most memory this process has held so far, in KiB.
pub(super) fn own_peak_kib() -> Result<u64> {
    let status =
        std::fs::read_to_string("/proc/self/status").context("memory is measured on Linux only")?;
    peak_of(&status).context("/proc/self/status has no VmHWM")
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_found_among_the_lines() {
        let status = "VmPeak:\t  999 kB\nVmHWM:\t    8192 kB\nVmRSS:\t 100 kB\n";
        assert_eq!(peak_of(status), Some(8192));
        assert_eq!(peak_of("VmRSS: 1 kB"), None);
    }

    #[test]
    fn the_budget_grows_with_the_tables() {
        assert_eq!(budget_mib(1_000) - budget_mib(0), 62.5);
    }
}
