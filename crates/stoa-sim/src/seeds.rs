//! Many seeds, on as many threads as there are processors.
//!
//! Each thread takes the next seed that nobody has taken, so the outcome of a seed does not depend
//! on how many threads there are; only which of two failing seeds is found first may.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether more seeds are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Go {
    On,
    NoFurther,
}

/// Runs the seeds from one on, and adds up what they came to.
pub(crate) fn run_many<O, S: Send>(
    first: u64,
    count: u64,
    threads: usize,
    empty: S,
    run: impl Fn(u64) -> O + Sync,
    add: impl Fn(&mut S, &O) -> Go + Sync,
) -> S {
    let next = AtomicU64::new(0);
    let sum = Mutex::new(empty);
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= count {
            return;
        }
        let outcome = run(first.saturating_add(at));
        let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
        if add(&mut sum, &outcome) == Go::NoFurther {
            next.store(count, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    sum.into_inner().unwrap_or_else(PoisonError::into_inner)
}
