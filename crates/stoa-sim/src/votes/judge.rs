//! What is wrong with what is left, and with what clients were told.
//!
//! Invariants:
//! 1. It looks at nothing but the evidence and the journal, and changes neither.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use stoa_votes::model::{Day, PolicyId, PolicyState, UserId};
use stoa_votes::rules::audit::{Books, Finding, Invariant};
use stoa_votes::rules::clock_bound::MOST_OFF_MICROS;
use stoa_votes::rules::public_ledger::Recount;
use stoa_votes::rules::roots::Standings;
use stoa_votes::tables::breadth::Measured;
use stoa_votes::tables::rank_history::RankedDay;
use uuid::Uuid;

use super::journal::{ClockAnswer, Journal};
use super::linear;

/// How unsure a measurement of a clock is at most: two slow messages.
pub(super) const MOST_UNSURE_MICROS: i64 = 10_000_000;

/// What is left after everything.
pub(super) struct Evidence {
    /// The books, or why the tasks did not come to an end.
    pub(super) books: Result<Seen, String>,
    /// What those days are closed as that somebody was told to have closed.
    pub(super) closed_as: BTreeMap<Day, Uuid>,
    /// Whether all replicas keep the same after a repair.
    pub(super) are_replicas_equal: bool,
}

/// The books at rest, after all days closed, and after everything ran once more.
pub(super) struct Seen {
    pub(super) at_rest: Books,
    pub(super) closed: Books,
    pub(super) again: Books,
    /// The lines of the public ledger, or why there are none.
    pub(super) ledger: Result<Vec<String>, String>,
    /// How broadly policies are supported, as it was measured last.
    pub(super) breadths: Vec<Measured>,
    /// The final rankings of days, and how many ranks there are of each.
    pub(super) ranked: Vec<(RankedDay, usize)>,
    /// The last day that is ranked.
    pub(super) ranked_through: Day,
}

/// Finds what is wrong, in the order of the invariants.
pub(super) fn judge(evidence: &Evidence, journal: &Journal) -> Vec<Finding> {
    let mut findings = journal.pages().findings.clone();
    findings.extend(found(Invariant::OneAnswer, journal.contradictions()));
    match &evidence.books {
        Ok(seen) => findings.extend(judge_books(seen, journal)),
        Err(error) => findings.push(Finding {
            invariant: Invariant::Convergence,
            what: format!("the tasks do not come to an end: {error}"),
        }),
    }
    let closed_as = journal.pages().closed_as.clone();
    findings.extend(closed_otherwise(&closed_as, &evidence.closed_as));
    if !evidence.are_replicas_equal {
        findings.push(Finding {
            invariant: Invariant::Convergence,
            what: "the replicas differ after a repair".to_owned(),
        });
    }
    findings.sort_by_key(|it| it.invariant);
    findings
}

fn found(invariant: Invariant, what: Vec<String>) -> Vec<Finding> {
    let findings = what.into_iter();
    findings.map(|what| Finding { invariant, what }).collect()
}

fn judge_books(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let mut findings = seen.at_rest.audit();
    findings.extend(seen.closed.audit());
    findings.extend(seen.again.audit());
    if let Some(what) = difference(&seen.closed, &seen.again) {
        findings.push(Finding {
            invariant: Invariant::Convergence,
            what: format!("running the tasks again changed {what}"),
        });
    }
    findings.extend(found(Invariant::LedgerVerifies, recount(&seen.ledger)));
    findings.extend(found(Invariant::AcceptedStays, gone(seen, journal)));
    findings.extend(out_of_order(seen, journal));
    let misjudged = misjudged_clocks(&journal.pages().clock_answers);
    findings.extend(found(Invariant::ClockBound, misjudged));
    findings.extend(closed_again(seen, journal));
    findings.extend(found(Invariant::CountsAgree, mismeasured(seen)));
    findings.extend(found(Invariant::ClosedStays, misranked(seen, journal)));
    findings
}

/// The policies whose measured supporters are not those that the chains tell.
fn mismeasured(seen: &Seen) -> Vec<String> {
    let books = &seen.again;
    let standings = books.policies.iter();
    let standings = standings.map(|(policy, it)| (*policy, it.standing.clone()));
    let standings = Standings::new(standings.collect());
    let mut held: BTreeMap<(PolicyId, UserId), i64> = BTreeMap::new();
    for (user, (_, records)) in &books.chains {
        for (policy, change) in records.iter().flat_map(|record| &record.changes) {
            *held.entry((standings.root(*policy), *user)).or_default() += change.increment;
        }
    }
    let mut wrong = Vec::new();
    for it in &seen.breadths {
        let own = held
            .iter()
            .filter(|((root, _), votes)| *root == it.policy && **votes > 0);
        let (should, is) = (own.count(), it.breadth.supporters);
        // What does not count any more is not measured any more.
        let counts = standings
            .of(it.policy)
            .is_some_and(|it| it.state == PolicyState::Active);
        if counts && i64::try_from(should) != Ok(is) {
            wrong.push(format!(
                "policy {} shows {is} supporters, not {should}",
                it.policy
            ));
        }
    }
    wrong
}

/// The closed days without a final ranking, or with one that is not whole, or another than was
/// decided.
fn misranked(seen: &Seen, journal: &Journal) -> Vec<String> {
    let mut wrong = Vec::new();
    if seen.ranked_through != seen.again.closed_through {
        let (is, should) = (seen.ranked_through, seen.again.closed_through);
        wrong.push(format!(
            "days are ranked through {is}, and closed through {should}"
        ));
    }
    for (day, length) in &seen.ranked {
        if usize::try_from(day.count) != Ok(*length) || !day.is_told {
            wrong.push(format!("{day:?} has {length} ranks"));
        }
    }
    for (day, told) in &journal.pages().ranked_as {
        let found = seen.ranked.iter().find(|(it, _)| it.day == *day);
        if found.is_none_or(|(it, _)| it.snapshot.0 != *told) {
            wrong.push(format!("{day} was ranked as {told}, and is {found:?}"));
        }
    }
    wrong
}

/// Counts the public ledger again from its lines alone.
fn recount(ledger: &Result<Vec<String>, String>) -> Vec<String> {
    let lines = match ledger {
        Ok(lines) => lines,
        Err(error) => return vec![format!("there is no ledger: {error}")],
    };
    let mut recount = Recount::new();
    for line in lines {
        recount.line(format!("{line}\n").as_bytes());
    }
    let findings = recount.finish().findings;
    findings.iter().map(ToString::to_string).collect()
}

/// The records that someone was told of and that are not there.
fn gone(seen: &Seen, journal: &Journal) -> Vec<String> {
    let mut gone = Vec::new();
    for (user, seq, version) in journal.accepted() {
        let records = seen.again.chains.get(&user);
        let mut records = records.into_iter().flat_map(|(_, records)| records);
        if !records.any(|it| it.seq == seq && it.version == version) {
            gone.push(format!(
                "user {user} was told of record {seq}, {version}; it is gone"
            ));
        }
    }
    gone
}

/// The answers that an instance with such a clock should not have given.
fn misjudged_clocks(answers: &[ClockAnswer]) -> Vec<String> {
    let is_wrong = |it: &&ClockAnswer| {
        let off = it.off_micros.saturating_abs();
        match it.is_refused {
            true => off <= MOST_OFF_MICROS,
            false => off > MOST_OFF_MICROS + MOST_UNSURE_MICROS,
        }
    };
    let wrong = answers.iter().filter(is_wrong);
    wrong.map(|it| format!("{it:?}")).collect()
}

/// The policies that were released or withdrawn, as their closers were told, and are something else.
fn closed_again(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let state = |policy| {
        let policy = seen.again.policies.get(policy);
        policy.map(|it| it.standing.state)
    };
    let mut findings = Vec::new();
    let withdrawn = journal.pages().withdrawn.clone();
    for policy in &withdrawn {
        let state = state(policy);
        // A moderator may release what its owner withdrew.
        let is_over = |it: PolicyState| it == PolicyState::Withdrawn || it.is_released();
        if !state.is_some_and(is_over) {
            findings.push(Finding {
                invariant: Invariant::ReleasedOnce,
                what: format!("policy {policy} was withdrawn, and is {state:?}"),
            });
        }
    }
    let released: BTreeSet<_> = journal.pages().released.iter().copied().collect();
    for policy in &released {
        let state = state(policy);
        if !state.is_some_and(PolicyState::is_released) {
            findings.push(Finding {
                invariant: Invariant::ReleasedOnce,
                what: format!("policy {policy} was released, and is {state:?}"),
            });
        }
    }
    findings
}

/// The days that somebody was told to have closed, and that are closed as something else.
fn closed_otherwise(told: &[(Day, Uuid)], closed_as: &BTreeMap<Day, Uuid>) -> Vec<Finding> {
    let changed = told.iter().filter_map(|(day, told)| {
        let found = closed_as.get(day);
        (found != Some(told)).then(|| Finding {
            invariant: Invariant::ClosedStays,
            what: format!("{day} was closed as {told}, and is {found:?}"),
        })
    });
    changed.collect()
}

/// The users whose calls no order explains.
fn out_of_order(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (user, calls) in journal.calls() {
        let records = seen.again.chains.get(&user);
        let records = records.map_or(&[][..], |(_, records)| records);
        if let Err(what) = linear::check(&calls, records) {
            findings.push(Finding {
                invariant: Invariant::FirstWriterWins,
                what: format!("user {user}: {what}"),
            });
        }
    }
    findings
}

/// The first thing that differs between two books.
fn difference(before: &Books, after: &Books) -> Option<String> {
    if before.chains != after.chains {
        return Some("chains".to_owned());
    }
    if before.increments != after.increments || before.supporters != after.supporters {
        return Some("copies of records".to_owned());
    }
    let policies = before.policies.keys().chain(after.policies.keys());
    for policy in policies {
        let (old, new) = (before.policies.get(policy), after.policies.get(policy));
        if old != new {
            return Some(format!("policy {policy}: {old:?}, then {new:?}"));
        }
    }
    (before != after).then(|| "salaries or days".to_owned())
}
