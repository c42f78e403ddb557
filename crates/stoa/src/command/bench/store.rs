//! `stoa bench store`: runs the works that were asked for and prints their figures.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stoa_types::clock::{Clock, SystemClock};

use super::figure::{Figure, Goal};
use super::plan::{Arguments, Plan, Work};
use super::printer::Printer;
use super::{durable, instructions, memory, reopen, single};

/// The works whose ratio must not depend on the number of rows.
const STEADY: [&str; 4] = ["insert", "read", "slice", "update"];

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let plan = Plan::new(arguments);
    let folder = match &plan.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("cannot make folder {}", dir.display()))?;
            tempfile::Builder::new().prefix("bench-").tempdir_in(dir)
        }
        None => tempfile::tempdir(),
    }
    .context("cannot make a folder for the data; choose another with --dir")?;
    let mut printer = Printer::new(plan.json);
    measure(folder.path(), &plan, &mut |figure| printer.add(figure))?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn measure(folder: &Path, plan: &Plan, tell: &mut dyn FnMut(Figure) -> Result<()>) -> Result<()> {
    if plan.instructions {
        return instructions::measure(folder, plan, tell);
    }
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for size in &plan.sizes {
        single::measure(folder, *size, plan, &mut |figure| {
            let name = figure.work.split('/').next().unwrap_or_default();
            if let (true, Some(ratio)) = (STEADY.contains(&name), figure.ratio()) {
                ratios.entry(name.to_owned()).or_default().push(ratio);
            }
            tell(figure)
        })?;
    }
    if plan.includes(Work::Spread) && plan.sizes.len() > 1 {
        for (name, ratios) in &ratios {
            tell(spread(name, ratios))?;
        }
    }
    durable::measure(folder, plan, tell)?;
    reopen::measure(folder, plan, tell)?;
    memory::measure(folder, plan, tell)
}

/// The largest ratio against the smallest.
fn spread(name: &str, ratios: &[f64]) -> Figure {
    Figure {
        work: format!("spread/{name}"),
        ours: ratios.iter().copied().fold(f64::MIN, f64::max),
        peer: Some(ratios.iter().copied().fold(f64::MAX, f64::min)),
        unit: "ratio",
        goal: Goal::RatioAtMost(1.2),
    }
}

/// The machine's clock, for a store.
pub(super) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::new())
}

/// Measures a stretch of time.
pub(super) struct Stopwatch(SystemClock);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(SystemClock::new())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.monotonic()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_the_largest_to_the_smallest() {
        let figure = spread("read", &[1.2, 1.0, 1.1]);
        assert_eq!(figure.ratio(), Some(1.2));
        assert_eq!(figure.is_met(), Some(true));
        assert_eq!(spread("read", &[1.0, 1.5]).is_met(), Some(false));
    }
}
