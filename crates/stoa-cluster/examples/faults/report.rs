//! The figures of a run.

use std::process::ExitCode;
use std::time::Duration;

use crate::ledger::{Phase, Verdict};
use crate::minority::Minority;

/// What two nodes down may take at most.
const PROMISED: Duration = Duration::from_secs(2);

/// Prints everything; the exit code says whether all of it is as it must be.
pub(crate) fn print(verdict: &Verdict, minority: &Minority, is_json: bool) -> ExitCode {
    if is_json {
        print_json(verdict, minority);
    } else {
        print_tables(verdict, minority);
    }
    match is_good(verdict, minority) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn is_good(verdict: &Verdict, minority: &Minority) -> bool {
    let refused = verdict.phases.iter().any(|phase| !phase.refused.is_empty());
    verdict.lost.is_empty()
        && verdict.doubled.is_empty()
        && verdict.disordered.is_empty()
        && verdict.unsettled == 0
        && !refused
        && minority.saved == 0
        && minority.longest <= PROMISED
        && minority.recovered_after.is_some()
}

fn print_tables(verdict: &Verdict, minority: &Minority) {
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "nodes", "answers", "unknown", "refused", "p50 ms", "p99 ms"
    );
    for phase in &verdict.phases {
        let (half, most) = (percentile(phase, 50), percentile(phase, 99));
        println!(
            "{:<12} {:>9} {:>9} {:>9} {:>9.1} {:>9.1}",
            phase.deed,
            phase.times.len(),
            phase.unknown,
            phase.refused.len(),
            half,
            most
        );
    }
    println!();
    println!("{:>7}  writes acknowledged", verdict.saved);
    println!(
        "{:>7}  conditional writes and reads, each register by itself",
        verdict.conditional
    );
    println!("{:>7}  lost", verdict.lost.len());
    println!(
        "{:>7}  doubled, or there although refused",
        verdict.doubled.len()
    );
    println!(
        "{:>7}  registers that are not linearizable",
        verdict.disordered.len()
    );
    println!("{:>7}  unsettled", verdict.unsettled);
    println!();
    println!(
        "two nodes down: {} saved, {} not saved, {} unknown; longest answer {:.2} s",
        minority.saved,
        minority.refused,
        minority.unknown,
        minority.longest.as_secs_f64()
    );
    match minority.recovered_after {
        Some(after) => println!(
            "saved again {:.1} s after they were back",
            after.as_secs_f64()
        ),
        None => println!("NOT saved again after they were back"),
    }
    let refused = verdict.phases.iter().flat_map(|phase| &phase.refused);
    let bad = [&verdict.lost, &verdict.doubled, &verdict.disordered];
    for problem in bad.into_iter().flatten().chain(refused).take(20) {
        println!("  {problem}");
    }
}

fn print_json(verdict: &Verdict, minority: &Minority) {
    let unknown: u64 = verdict.phases.iter().map(|phase| phase.unknown).sum();
    let refused: usize = verdict.phases.iter().map(|phase| phase.refused.len()).sum();
    println!(
        "{{\"work\":\"one node down\",\"saved\":{},\"unknown\":{unknown},\"refused\":{refused},\
         \"lost\":{},\"doubled\":{},\"disordered\":{},\"unsettled\":{}}}",
        verdict.saved,
        verdict.lost.len(),
        verdict.doubled.len(),
        verdict.disordered.len(),
        verdict.unsettled
    );
    println!(
        "{{\"work\":\"two nodes down\",\"saved\":{},\"refused\":{},\"unknown\":{},\
         \"longest_seconds\":{:.3},\"recovered\":{}}}",
        minority.saved,
        minority.refused,
        minority.unknown,
        minority.longest.as_secs_f64(),
        minority.recovered_after.is_some()
    );
}

/// In milliseconds.
fn percentile(phase: &Phase, percent: usize) -> f64 {
    let mut times = phase.times.clone();
    times.sort();
    let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times
        .get(place)
        .map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}
