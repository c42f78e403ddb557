//! Every suite in a small size, and planted mistakes that must be found.

use stoa_testkit::powercut::{Discipline, Strace, Unavailable};

use super::plan::Shape;
use super::power_cuts::{self, Source};
use super::suite::Effort;
use super::tally::Tally;
use super::workload::Mode;
use super::{bit_flips, child, disk_faults, hostile, journal_cuts, kills, recovery, run_child};

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

#[test]
fn a_cut_journal_is_a_prefix_or_reported() {
    let tally = journal_cuts::run(&Effort::new(300, 1));
    assert_good(&tally, 300);
    assert!(tally.named > 0, "{}", tally.story());
}

#[test]
fn a_flipped_bit_is_never_answered() {
    let tally = bit_flips::run(&Effort::new(400, 1));
    assert_good(&tally, 390);
    assert!(tally.named > 100, "{}", tally.story());
}

#[test]
fn a_cut_recovery_loses_nothing() {
    let Some(strace) = strace() else { return };
    let tally = recovery::run(strace, &Effort::new(200, 1), recovery::SOURCE);
    assert_good(&tally, 150);
}

#[test]
fn a_full_disk_is_reported_and_survived() {
    let Some(strace) = strace() else { return };
    let tally = disk_faults::run_full(strace, &Effort::new(24, 1));
    assert_good(&tally, 24);
}

#[test]
fn a_failed_sync_is_never_believed() {
    let Some(strace) = strace() else { return };
    let tally = disk_faults::run_syncs(strace, &Effort::new(12, 1));
    assert_good(&tally, 12);
}

#[test]
fn a_kill_under_load_loses_nothing() {
    let tally = kills::run(&Effort::new(8, 1));
    assert_good(&tally, 8);
}

#[test]
fn hostile_bytes_cost_no_memory_and_no_process() {
    let tally = hostile::run(&Effort::new(300, 1));
    assert_good(&tally, 306);
}
