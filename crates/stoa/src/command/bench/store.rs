//! `stoa bench store`: runs the works that were asked for and prints their figures.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use stoa_types::clock::{Clock, SystemClock};

use super::figure::{Figure, Goal};
use super::instructions::{self, Counted};
use super::plan::{Arguments, Plan, Work};
use super::printer::Printer;
use super::repeat::Repeated;
use super::spread::{Ratios, STEADY_WITHIN};
use super::{durable, memory, reopen, single};

/// The works whose ratio must not depend on the number of rows.
const STEADY: [&str; 4] = ["insert", "read", "slice", "update"];

/// The works whose instructions are counted.
const COUNTED: [Counted; 4] = [
    Counted::new("insert", Repeated::Insert, Repeated::RawInsert),
    Counted::new("update", Repeated::Update, Repeated::RawUpdate),
    Counted::new("read", Repeated::Read, Repeated::RawRead),
    Counted::new("slice", Repeated::Slice, Repeated::RawSlice),
];

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let plan = Plan::new(&arguments.scale, &arguments.only);
    let folder = plan.folder()?;
    let mut printer = Printer::new(plan.json);
    measure(folder.path(), &plan, &mut |figure| printer.add(figure))?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn measure(
    folder: &Path,
    plan: &Plan<Work>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    if plan.instructions {
        return instructions::measure(folder, plan.counted_operations, &COUNTED, tell);
    }
    let mut ratios = Ratios::new(&STEADY);
    for size in &plan.sizes {
        single::measure(folder, *size, plan, &mut |figure| {
            ratios.note(&figure);
            tell(figure)
        })?;
    }
    if plan.includes(Work::Spread) && plan.sizes.len() > 1 {
        let goal = Goal::RatioAtMost(STEADY_WITHIN);
        ratios.spreads(goal).try_for_each(&mut *tell)?;
    }
    durable::measure(folder, plan, tell)?;
    reopen::measure(folder, plan, tell)?;
    memory::measure(folder, plan, tell)
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
