//! Every suite in a small size, and planted mistakes that must be found.

use stoa_testkit::powercut::{Discipline, Strace, Unavailable};

use super::plan::Shape;
use super::power_cuts::{self, Source};
use super::suite::Effort;
use super::tally::Tally;
use super::workload::Mode;
use super::{child, run_child};

/// Not a test of its own: what children of the other tests do.
#[test]
fn program() {
    if let Some(task) = child::task() {
        run_child(&task);
        // The frame around tests must not write any more: its writes might fail on purpose.
        std::process::exit(0);
    }
}

/// A strace that works, or nothing if the runner skips this part.
fn strace() -> Option<Strace> {
    match Strace::probe() {
        Ok(strace) => Some(strace),
        Err(reason @ Unavailable::Skipped) => {
            eprintln!("SKIPPED: damage that needs strace: {reason}");
            None
        }
        Err(reason) => panic!("{reason}; set STOA_SKIPPED=powercut to go without"),
    }
}

fn assert_good(tally: &Tally, least: u64) {
    assert!(tally.is_good(), "{}", tally.story());
    assert!(tally.points >= least, "only {} points", tally.points);
}

#[test]
fn power_cuts_lose_nothing() {
    let Some(strace) = strace() else { return };
    let effort = Effort::new(300, 1);
    let sources = &power_cuts::SOURCES[..3];
    let tally = power_cuts::run(strace, &effort, sources);
    assert_good(&tally, 280);
}

#[test]
fn a_promise_before_the_sync_is_caught() {
    let Some(strace) = strace() else { return };
    let source = Source {
        shape: Shape::Short,
        mode: Mode::EarlyAck,
        discipline: Discipline::Ext4,
        share: 100,
    };
    let tally = power_cuts::run(strace, &Effort::new(60, 1), &[source]);
    assert!(tally.lost > 0, "{}", tally.story());
}
