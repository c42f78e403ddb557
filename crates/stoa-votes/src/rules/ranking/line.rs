//! One policy of a board: what it is worth by every measure, all that was merged into it included.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::breadth::HEAT_OF_VOTE;
use crate::model::{ClosedDay, Day, OpenDay, PolicyFacts, PolicyId, PolicyState, RankingKind};

/// Days before its last vote that make a policy rise.
const RISING_DAYS: i32 = 14;
/// Days over which a policy is contested.
const CONTESTED_DAYS: i32 = 30;
/// Parts of a doubling that rising is told in.
const RISING_PARTS: f64 = 1_000_000.0;

/// One policy of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What was read of it.
    pub facts: Arc<PolicyFacts>,
    /// When it was made, in microseconds since 1970.
    pub created_micros: i64,
    /// The logarithm of the votes it gained lately, each half as much for each day before now, and
    /// the moment added: as time goes by all sink alike, so it need not be computed anew. None
    /// gained is 0.
    pub rising: i64,
    /// Votes put on and withdrawn in 30 days, as many thousandths of them as the lesser is of the
    /// greater.
    pub contested: i64,
    /// Comments that are shown.
    comments: i64,
    /// People who wrote them; who wrote about several that were merged counts for each.
    people: i64,
    /// The days that count, the earliest first: votes at their end, and votes moved on them.
    days: Arc<[ClosedDay]>,
}

impl Line {
    /// The line of a policy, with the policies that were merged into it.
    #[must_use]
    pub fn new(
        facts: &Arc<PolicyFacts>,
        merged: &[Arc<PolicyFacts>],
        closed_through: Day,
        today: Day,
    ) -> Self {
        let summed = |of: fn(&PolicyFacts) -> i64| {
            let all = std::iter::once(facts).chain(merged);
            all.fold(0_i64, |sum, it| sum.saturating_add(of(it)))
        };
        let closed = match merged {
            [] => Arc::clone(&facts.days),
            _ => together(std::iter::once(facts).chain(merged).map(|it| &*it.days)),
        };
        let open = &facts.breadth.open_days;
        let open = open.range(closed_through.next()..);
        let open: BTreeMap<Day, OpenDay> = open.map(|(day, it)| (*day, *it)).collect();
        Self {
            facts: Arc::clone(facts),
            created_micros: facts.policy.made_at_micros(),
            rising: rising(&closed, &open),
            contested: contested(&closed, &open, today),
            comments: summed(|it| it.comments),
            people: summed(|it| it.people),
            days: with_open(closed, &open),
        }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> PolicyId {
        self.facts.policy
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> PolicyState {
        self.facts.standing.state
    }

    /// Its place among equals: the older first, then the identifier.
    #[must_use]
    pub fn key(&self) -> (i64, PolicyId) {
        (self.created_micros, self.facts.policy)
    }

    /// Votes at the end of a day.
    #[must_use]
    pub fn total_on(&self, day: Day) -> i64 {
        let after = self.days.partition_point(|it| it.day <= day);
        let last = after.checked_sub(1).and_then(|at| self.days.get(at));
        last.map_or(0, |it| it.closing_total)
    }

    /// What it is worth by a measure.
    #[must_use]
    pub fn value(&self, kind: RankingKind, today: Day) -> i64 {
        match kind {
            RankingKind::Total => self.facts.total,
            RankingKind::Window(days) => {
                let before = today.plus(-i32::from(days));
                self.facts.total.saturating_sub(self.total_on(before))
            }
            RankingKind::Rising => self.rising,
            RankingKind::Contested => self.contested,
            RankingKind::Discussed => {
                let people = self.people.clamp(0, i64::from(u32::MAX / 2));
                (people << 32) | self.comments.clamp(0, i64::from(u32::MAX))
            }
            RankingKind::New => self.created_micros,
            RankingKind::Random(seed) => shuffled(self.facts.policy, seed),
            RankingKind::Supporters => self.facts.breadth.supporters,
            RankingKind::SquareRoots => self.facts.breadth.square_roots,
        }
    }
}

/// A number that looks random, of a policy and a seed: the last step of `SplitMix64`.
pub(super) fn shuffled(policy: PolicyId, seed: u64) -> i64 {
    let (high, low) = policy.0.as_u64_pair();
    let mixed = mix(mix(high ^ seed) ^ low.rotate_left(17));
    mixed.cast_signed()
}

fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// The closed days of several policies as those of one.
fn together<'a>(policies: impl Iterator<Item = &'a [ClosedDay]>) -> Arc<[ClosedDay]> {
    let mut days: BTreeMap<Day, ClosedDay> = BTreeMap::new();
    for it in policies.flatten() {
        let sum = days.entry(it.day).or_insert(ClosedDay {
            day: it.day,
            change: 0,
            gross: 0,
            heat: 0,
            voters: 0,
            closing_total: 0,
        });
        sum.change = sum.change.saturating_add(it.change);
        sum.gross = sum.gross.saturating_add(it.gross);
        sum.heat = sum.heat.saturating_add(it.heat);
        sum.voters = sum.voters.saturating_add(it.voters);
    }
    let mut total = 0_i64;
    for it in days.values_mut() {
        total = total.saturating_add(it.change);
        it.closing_total = total;
    }
    days.into_values().collect()
}

fn with_open(closed: Arc<[ClosedDay]>, open: &BTreeMap<Day, OpenDay>) -> Arc<[ClosedDay]> {
    if open.is_empty() {
        return closed;
    }
    let mut total = closed.last().map_or(0, |it| it.closing_total);
    let open = open.iter().map(|(day, it)| {
        total = total.saturating_add(it.change);
        ClosedDay {
            day: *day,
            change: it.change,
            gross: it.gross,
            heat: it.heat,
            voters: 0,
            closing_total: total,
        }
    });
    closed.iter().copied().chain(open).collect()
}

/// Votes weigh what they weigh by the minute, whether their day is closed or not, so that closing
/// one changes no order. There are far fewer than 2^53, so floats hold them; a cast from a float
/// saturates.
fn rising(closed: &[ClosedDay], open: &BTreeMap<Day, OpenDay>) -> i64 {
    let last_open = open.keys().next_back().copied();
    let last_closed = closed.last().map(|it| it.day);
    let Some(last) = last_open.max(last_closed) else {
        return 0;
    };
    let first = last.plus(1 - RISING_DAYS);
    let recent = closed.iter().rev().take_while(|it| it.day >= first);
    let recent = recent.map(|it| (it.day, it.heat));
    let open = open.range(first..).map(|(day, it)| (*day, it.heat));
    let score: f64 = recent
        .chain(open)
        .map(|(day, heat)| heat as f64 * f64::from(day.0 - last.0).exp2())
        .sum();
    let votes = score / HEAT_OF_VOTE as f64;
    if votes <= 0.0 {
        return 0;
    }
    let doublings = votes.log2() + f64::from(last.next().0);
    ((doublings * RISING_PARTS).round() as i64).max(0)
}

fn contested(closed: &[ClosedDay], open: &BTreeMap<Day, OpenDay>, today: Day) -> i64 {
    let first = today.plus(1 - CONTESTED_DAYS);
    let recent = closed.iter().rev().take_while(|it| it.day >= first);
    let recent = recent.map(|it| (it.change, it.gross));
    let open = open.range(first..).map(|(_, it)| (it.change, it.gross));
    let (change, gross) = recent
        .chain(open)
        .fold((0_i128, 0_i128), |(change, gross), it| {
            (change + i128::from(it.0), gross + i128::from(it.1))
        });
    let (added, withdrawn) = ((gross + change) / 2, (gross - change) / 2);
    let (less, more) = (added.min(withdrawn), added.max(withdrawn));
    if more <= 0 {
        return 0;
    }
    i64::try_from(gross * 1_000 * less / more).unwrap_or(i64::MAX)
}
