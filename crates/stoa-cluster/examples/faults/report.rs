//! The figures of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ledger::{Phase, Settled, Verdict};
use crate::minority::Minority;
use crate::timeline::{Reason, Unknown, Write};

/// What two nodes down may take at most.
const PROMISED: Duration = Duration::from_secs(2);

/// How many problems are told one by one.
const SHOWN: usize = 20;

const WRITES: [Write; 4] = [
    Write::Save,
    Write::Append,
    Write::Conditional,
    Write::Contended,
];

/// Prints everything.
pub(crate) fn print(verdict: &Verdict, minority: &Minority, is_json: bool) {
    if is_json {
        print_json(verdict, minority);
    } else {
        print_phases(verdict);
        print_unknown(verdict);
        print_verdict(verdict, minority);
        print_problems(verdict);
    }
}

/// Whether all of it is as it must be. On a machine that is busy a conditional write, which takes
/// several rounds, may be late without a reason.
pub(crate) fn is_good(verdict: &Verdict, minority: &Minority, is_busy: bool) -> bool {
    let may_be_late = |it: &&Unknown| is_busy && it.write == Write::Conditional;
    let refused = verdict.phases.iter().any(|phase| !phase.refused.is_empty());
    verdict.lost.is_empty()
        && verdict.doubled.is_empty()
        && verdict.disordered.is_empty()
        && verdict.unsettled == 0
        && unexplained(verdict).all(|it| may_be_late(&it))
        && !refused
        && minority.saved == 0
        && minority.longest <= PROMISED
        && minority.recovered_after.is_some()
}

fn unexplained(verdict: &Verdict) -> impl Iterator<Item = &Unknown> {
    let unknown = verdict.unknown.iter();
    unknown.filter_map(|(it, reason)| (*reason == Reason::Unexplained).then_some(it))
}

fn print_phases(verdict: &Verdict) {
    println!("                             unknown outcomes");
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>12} {:>10} {:>9} {:>9} {:>9}",
        "nodes",
        "answers",
        "saves",
        "appends",
        "conditional",
        "contended",
        "refused",
        "p50 ms",
        "p99 ms"
    );
    for phase in &verdict.phases {
        let [saves, appends, conditional, contended] =
            WRITES.map(|write| phase.unknown.get(&write).copied().unwrap_or_default());
        let (half, most) = (percentile(phase, 50), percentile(phase, 99));
        println!(
            "{:<12} {:>9} {saves:>9} {appends:>9} {conditional:>12} {contended:>10} {:>9} {half:>9.1} {most:>9.1}",
            phase.deed,
            phase.times.len(),
            phase.refused.len(),
        );
    }
    println!();
}

/// Unknown outcomes, alike ones together, and what reads told about them.
fn print_unknown(verdict: &Verdict) {
    let mut alike: BTreeMap<(Write, Reason, String), u64> = BTreeMap::new();
    for (unknown, reason) in &verdict.unknown {
        let key = (unknown.write, *reason, error(unknown));
        *alike.entry(key).or_default() += 1;
    }
    println!("{:>7}  outcomes unknown", verdict.unknown.len());
    for ((write, reason, error), count) in &alike {
        println!(
            "{count:>7}    {write:<12} {:<28} {error}",
            reason.to_string()
        );
    }
    for write in WRITES {
        let told = |settled| {
            let count = verdict.settled.get(&(write, settled));
            count.copied().unwrap_or_default()
        };
        println!(
            "         {write:<12} by a read: {} there, {} not there, {} overtaken, {} not read",
            told(Settled::There),
            told(Settled::NotThere),
            told(Settled::Overtaken),
            told(Settled::NoAnswer)
        );
    }
    println!();
}

fn print_verdict(verdict: &Verdict, minority: &Minority) {
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
    println!(
        "{:>7}  unknown without a reason",
        unexplained(verdict).count()
    );
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
}

fn print_problems(verdict: &Verdict) {
    let refused = verdict.phases.iter().flat_map(|phase| &phase.refused);
    let bad = [&verdict.lost, &verdict.doubled, &verdict.disordered];
    for problem in bad.into_iter().flatten().chain(refused).take(SHOWN) {
        println!("  {problem}");
    }
    for unknown in unexplained(verdict).take(SHOWN) {
        println!(
            "  {} from {:.3} s to {:.3} s at {:?}: {}",
            unknown.write,
            unknown.from.as_secs_f64(),
            unknown.to.as_secs_f64(),
            unknown.error.nodes(),
            error(unknown)
        );
    }
}

/// The kind, the code and the words of an error, without their numbers.
fn error(unknown: &Unknown) -> String {
    let error = &unknown.error;
    let has_digit = |word: &str| word.contains(|it: char| it.is_ascii_digit());
    let words = error.message().split_whitespace();
    let words: Vec<&str> = words
        .map(|word| if has_digit(word) { "N" } else { word })
        .collect();
    let code = error.code().map(|code| format!(" {code:#06x}"));
    let code = code.unwrap_or_default();
    format!("{:?}{code}: {}", error.kind(), words.join(" "))
}

fn print_json(verdict: &Verdict, minority: &Minority) {
    let refused: usize = verdict.phases.iter().map(|phase| phase.refused.len()).sum();
    let because = |write: Write, wanted: fn(&Reason) -> bool| {
        let unknown = verdict.unknown.iter();
        unknown
            .filter(|(it, reason)| it.write == write && wanted(reason))
            .count()
    };
    let of_write = |write: Write| {
        format!(
            "{{\"coordinator\":{},\"contention\":{},\"late\":{},\"unexplained\":{}}}",
            because(write, |it| matches!(it, Reason::Coordinator(_))),
            because(write, |it| *it == Reason::Contention),
            because(write, |it| *it == Reason::Late),
            because(write, |it| *it == Reason::Unexplained)
        )
    };
    let [saves, appends, conditional, contended] = WRITES.map(of_write);
    println!(
        "{{\"work\":\"one node down\",\"saved\":{},\"unknown\":{{\"save\":{saves},\
         \"append\":{appends},\"conditional\":{conditional},\"contended\":{contended}}},\
         \"refused\":{refused},\
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
