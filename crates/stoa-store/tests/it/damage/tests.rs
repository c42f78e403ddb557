//! Every suite in a small size, and planted mistakes that must be found.

use stoa_testkit::powercut::{Discipline, Strace, Unavailable};

use super::folders::{self, Ending};
use super::plan::{Plan, Shape};
use super::power_cuts::{self, Source};
use super::suite::{Effort, SUITES};
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder};
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
    let effort = Effort::new(240, 1);
    let sources = &power_cuts::SOURCES[..3];
    let tally = power_cuts::run(strace, &effort, sources);
    assert_good(&tally, 220);
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
    let tally = journal_cuts::run(&Effort::new(150, 1));
    assert_good(&tally, 150);
    assert!(tally.named > 0, "{}", tally.story());
}

#[test]
fn a_flipped_bit_is_never_answered() {
    let tally = bit_flips::run(&Effort::new(240, 1));
    assert_good(&tally, 230);
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
    let tally = disk_faults::run_full(strace, &Effort::new(15, 1));
    assert_good(&tally, 15);
}

#[test]
fn a_failed_sync_is_never_believed() {
    let Some(strace) = strace() else { return };
    let tally = disk_faults::run_syncs(strace, &Effort::new(10, 1));
    assert_good(&tally, 10);
}

#[test]
fn a_kill_under_load_loses_nothing() {
    let tally = kills::run(&Effort::new(8, 1));
    assert_good(&tally, 8);
}

#[test]
fn hostile_bytes_cost_no_memory_and_no_process() {
    let tally = hostile::run(&Effort::new(200, 1));
    assert_good(&tally, 204);
}

#[test]
fn a_wrong_or_short_store_is_caught() {
    let folder = folders::make(Shape::Short, 1, Ending::Closed);
    let last = Plan::new(Shape::Short, 1).last();
    let check = |seed: u64, bounds: Bounds| {
        check_folder(
            folder.workshop.folder(),
            &Plan::new(Shape::Short, seed),
            bounds,
        )
    };
    assert_eq!(check(1, Bounds::exactly(last)), Verdict::Right(last));
    let wrong = check(2, Bounds::exactly(last));
    assert!(matches!(wrong, Verdict::Silent(_)), "{wrong:?}");
    let short = check(1, Bounds::exactly(last + 1));
    assert!(matches!(short, Verdict::Lost(_)), "{short:?}");
    let strange = check(1, Bounds::exactly(last - 1));
    assert!(matches!(strange, Verdict::Silent(_)), "{strange:?}");
}

/// A child that dies, panics, and allocates wildly in some of its cases.
pub(super) fn run_mortal(words: &[String]) {
    child::do_cases(words, |case| {
        match case {
            3 => std::process::abort(),
            5 => panic!("planted"),
            7 => drop(std::thread::spawn(|| panic!("planted in a thread")).join()),
            9 => assert_eq!(vec![1_u8; 6 << 30].len(), 6 << 30),
            _ => {}
        }
        Verdict::Right(case)
    });
}

#[test]
fn deaths_panics_and_wild_allocations_are_counted_and_survived() {
    let tally = child::work_through(&Effort::new(12, 1), &["mortal"], 12);
    assert_eq!((tally.points, tally.dead), (12, 4), "{}", tally.story());
}

#[test]
fn a_broken_promise_in_a_recovery_is_caught() {
    let Some(strace) = strace() else { return };
    let source = Source {
        shape: Shape::Short,
        mode: Mode::EarlyAck,
        ..recovery::SOURCE
    };
    let tally = recovery::run(strace, &Effort::new(150, 1), source);
    assert!(tally.lost > 0, "{}", tally.story());
}

#[test]
fn a_batch_lost_by_a_kill_is_caught() {
    let (tally, told) = kills::run_with_lie(1);
    assert!(told && tally.lost == 1, "{}", tally.story());
}

#[test]
fn every_suite_has_a_name_and_figures() {
    let mut names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SUITES.len());
    assert!(SUITES.iter().all(|suite| suite.full >= 500));
    let kills = SUITES.iter().find(|suite| suite.name == "kills");
    let tally = kills
        .and_then(|suite| (suite.run)(None, &Effort::new(0, 7)))
        .unwrap();
    let json = "{\"suite\":\"kills\",\"points\":0,\"lost\":0,\"silent\":0,\"dead\":0,\"named\":0,\"seconds\":0.0,\"seed\":7}";
    assert_eq!(tally.json(), json);
}
