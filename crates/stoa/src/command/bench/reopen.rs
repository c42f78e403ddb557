//! Opening a store after a clean close and after a kill, against the crate opening the same files.
//!
//! A child process fills the store, so that it can be killed. Opening changes files, so every
//! round opens a fresh copy.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stoa_store::baseline::BareDatabase;
use stoa_store::{Options, Store};

use super::child::{self, Child, End};
use super::figure::{Figure, Goal, median};
use super::plan::{Plan, Work};
use super::store::{Stopwatch, clock};

/// Measures what was asked for of opening.
pub(super) fn measure(
    folder: &Path,
    plan: &Plan<Work>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    let cases = [
        (
            Work::OpenClean,
            "open-clean",
            End::Close,
            Goal::OursBelow(0.5),
        ),
        (
            Work::OpenKilled,
            "open-killed",
            End::Wait,
            Goal::RatioAtMost(1.3),
        ),
    ];
    for (work, name, end, goal) in cases {
        if plan.includes(work) {
            let folder = folder.join(name);
            let (ours, peer) = measure_one(&folder, plan, end)?;
            tell(Figure {
                work: format!("{name}/{}", plan.reopen_rows),
                ours,
                peer: Some(peer),
                unit: "s",
                goal,
            })?;
            std::fs::remove_dir_all(&folder)?;
        }
    }
    Ok(())
}

fn measure_one(folder: &Path, plan: &Plan<Work>, end: End) -> Result<(f64, f64)> {
    let filled = folder.join("filled");
    std::fs::create_dir_all(&filled)?;
    let fill = Child::Fill {
        dir: filled.clone(),
        rows: plan.reopen_rows,
        end,
    };
    match end {
        End::Close => {
            child::answer(&fill)?;
        }
        End::Wait => child::run_until_killed(&fill)?,
    }
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds.min(5) {
        let copy = folder.join("copy");
        ours.push(on_copy(&filled, &copy, || {
            let watch = Stopwatch::start();
            let store = Store::open(&copy, Options::default(), clock())?;
            let time = watch.elapsed();
            drop(store);
            Ok(time)
        })?);
        peer.push(on_copy(&filled, &copy, || {
            let watch = Stopwatch::start();
            let database = BareDatabase::open(&copy, Options::default())?;
            let time = watch.elapsed();
            drop(database);
            Ok(time)
        })?);
    }
    Ok((median(&ours), median(&peer)))
}

/// Seconds that `open` took on a fresh copy of the files.
fn on_copy(from: &Path, to: &Path, open: impl FnOnce() -> Result<Duration>) -> Result<f64> {
    copy_folder(from, to).with_context(|| format!("copying {}", from.display()))?;
    let time = open()?;
    std::fs::remove_dir_all(to)?;
    Ok(time.as_secs_f64())
}

pub(super) fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.metadata()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
