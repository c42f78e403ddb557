//! Every invariant is found, by every check there is of it: a healthy world, one thing damaged, and
//! what is said first.

mod rows;
mod world;

use super::*;
use rows::ROWS;
use world::World;

#[test]
fn a_healthy_world_has_nothing_wrong() {
    assert_eq!(World::healthy().judged(), []);
}

#[test]
fn whatever_is_damaged_is_found_first_under_its_own_name_and_by_its_own_check() {
    let mut missed = Vec::new();
    for (invariant, what, says, damage) in ROWS {
        let mut world = World::healthy();
        assert_eq!(damage(&mut world), Some(()), "{what} cannot be damaged");
        let findings = world.judged();
        let is_first = findings.first().is_some_and(|it| it.invariant == invariant);
        let mut own = findings.iter().filter(|it| it.invariant == invariant);
        if !is_first || !own.any(|it| it.what.contains(says)) {
            missed.push((what, findings));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn clocks_are_judged_by_how_far_they_are_off() {
    let bound = MOST_OFF_MICROS;
    let unsure = bound + MOST_UNSURE_MICROS;
    let cases = [
        (0, false, true),
        (0, true, false),
        (bound, true, false),
        (-bound, true, false),
        (bound + 1, true, true),
        (bound + 1, false, true),
        (unsure, false, true),
        (unsure + 1, false, false),
        (-unsure - 1, false, false),
        (-unsure - 1, true, true),
    ];
    for (off_micros, is_refused, is_right) in cases {
        let world = World::healthy();
        world.journal.pages().clock_answers.push(ClockAnswer {
            off_micros,
            is_refused,
        });
        let invariants: Vec<_> = world.judged().iter().map(|it| it.invariant).collect();
        let expected = match is_right {
            true => vec![],
            false => vec![Invariant::ClockBound],
        };
        assert_eq!(invariants, expected, "{off_micros}, {is_refused}");
    }
}

/// A number for each; whoever adds one is told here to add a row.
fn number(invariant: Invariant) -> usize {
    match invariant {
        Invariant::OnePath => 0,
        Invariant::NoOverdraft => 1,
        Invariant::NothingNegative => 2,
        Invariant::CountsAgree => 3,
        Invariant::DaysAddUp => 4,
        Invariant::FirstWriterWins => 5,
        Invariant::AcceptedStays => 6,
        Invariant::Convergence => 7,
        Invariant::PriceExact => 8,
        Invariant::MergesConserve => 9,
        Invariant::ReleasedOnce => 10,
        Invariant::PaidOnce => 11,
        Invariant::CreatedVisible => 12,
        Invariant::ClosedStays => 13,
        Invariant::NoDayBelowZero => 14,
        Invariant::OneAnswer => 15,
        Invariant::LedgerVerifies => 16,
        // Has a test of its own, above.
        Invariant::ClockBound => 17,
    }
}

#[test]
fn every_invariant_has_a_row() {
    let mut numbers: BTreeSet<_> = ROWS.iter().map(|(it, ..)| number(*it)).collect();
    numbers.insert(number(Invariant::ClockBound));
    assert_eq!(numbers, (0..18).collect());
}

#[test]
fn a_day_that_is_open_again_is_found() {
    let told = [(Day(1), Uuid::from_u128(1)), (Day(2), Uuid::from_u128(2))];
    let mut closed_as = BTreeMap::from(told);
    assert_eq!(closed_otherwise(&told, &closed_as), []);
    closed_as.remove(&Day(2));
    let found = closed_otherwise(&told, &closed_as);
    let invariants: Vec<_> = found.iter().map(|it| it.invariant).collect();
    assert_eq!(invariants, [Invariant::ClosedStays]);
}
