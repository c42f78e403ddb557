//! Whether each record of a chain was allowed: what it costs, what it takes back, what is left.

use super::{Audit, Invariant};
use crate::model::{Change, Entry, PolicyId, RecordKind, UserId, VoteRecord};
use crate::rules::chain::Ledger;
use crate::rules::money::{balance, positions};

/// A chain up to a record.
#[derive(Default)]
pub(super) struct Kept<'a> {
    pub(super) ledger: Ledger,
    /// The last record, and what there was before it.
    last: Option<(&'a VoteRecord, Ledger)>,
}

impl<'a> Kept<'a> {
    /// The chain with one record more.
    pub(super) fn then(self, record: &'a VoteRecord, next: Ledger) -> Self {
        Self {
            ledger: next,
            last: Some((record, self.ledger)),
        }
    }

    fn entry(&self, policy: PolicyId) -> Entry {
        entry_of(&self.ledger, policy)
    }

    /// Whether a record gives back exactly what the one before it changed.
    fn is_undone_by(&self, record: &VoteRecord) -> bool {
        let Some((last, before)) = &self.last else {
            return false;
        };
        let can_be_undone = last.kind == RecordKind::Vote && last.policy_created.is_none();
        let given = record.changes.iter();
        let given = given.map(|(policy, it)| (*policy, it.entry, it.increment));
        let taken = last.changes.iter();
        let taken = taken.map(|(policy, it)| (*policy, entry_of(before, *policy), -it.increment));
        can_be_undone && record.policy_created.is_none() && given.eq(taken)
    }
}

fn entry_of(ledger: &Ledger, policy: PolicyId) -> Entry {
    ledger.entries.get(&policy).copied().unwrap_or_default()
}

impl Audit<'_> {
    /// Judges a record by what there was before it and what there is after it.
    pub(super) fn account(
        &mut self,
        user: UserId,
        before: &Kept<'_>,
        record: &VoteRecord,
        after: &Ledger,
    ) {
        let seq = record.seq;
        if let Some(checkpoint) = &record.checkpoint
            && *checkpoint != after.entries
        {
            let what = format!("user {user}: checkpoint {seq} is not the sum");
            self.find(Invariant::OnePath, what);
        }
        if before.ledger.has_ended {
            let what = format!("user {user}: record {seq} follows the end");
            self.find(Invariant::OnePath, what);
        }
        if before.ledger.day.is_some_and(|day| record.day < day) {
            let what = format!("user {user}: record {seq} is of a day before the last record's");
            self.find(Invariant::NoDayBelowZero, what);
        }
        match record.kind {
            RecordKind::Vote => self.vote(user, before, record),
            RecordKind::Undo if before.is_undone_by(record) => {}
            RecordKind::Undo => {
                let what = format!(
                    "user {user}, record {seq}: takes back something else than the record before it"
                );
                self.find(Invariant::PriceExact, what);
            }
            RecordKind::Final => self.end(user, before, record),
        }
        self.left(user, after, record);
    }

    /// What is lost rises with what is withdrawn, by the percentage of the day, and a policy costs
    /// what it costs on that day.
    fn vote(&mut self, user: UserId, before: &Kept<'_>, record: &VoteRecord) {
        let config = self.books.config.on(record.day);
        for (policy, change) in &record.changes {
            let old = before.entry(*policy);
            let withdrawn = change.entry.withdrawn - old.withdrawn;
            let lost = change.entry.burned_hundredths - old.burned_hundredths;
            let percent = config.penalty_percent;
            if withdrawn != (-change.increment).max(0) || lost != withdrawn * percent {
                let what = format!(
                    "user {user}, record {}: {withdrawn} withdrawn from {policy} cost {lost} \
                     hundredths at {percent} %",
                    record.seq
                );
                self.find(Invariant::PriceExact, what);
            }
        }
        if let Some(created) = record.policy_created {
            let cost = config.creation_cost;
            let mut changes = record.changes.iter();
            let is_price =
                |(policy, it): (&PolicyId, &Change)| *policy == created && it.increment == cost;
            if !(changes.next().is_some_and(is_price) && changes.next().is_none()) {
                let what = format!(
                    "user {user}, record {}: creating {created} costs {cost} votes",
                    record.seq
                );
                self.find(Invariant::PriceExact, what);
            }
        }
    }

    /// The end of an account has no price and creates nothing.
    fn end(&mut self, user: UserId, before: &Kept<'_>, record: &VoteRecord) {
        let has_price = record.changes.iter().any(|(policy, change)| {
            let old = before.entry(*policy);
            let cost = |it: Entry| (it.withdrawn, it.burned_hundredths);
            cost(change.entry) != cost(old)
        });
        if has_price || record.policy_created.is_some() {
            let what = format!("user {user}, record {}: the end has a price", record.seq);
            self.find(Invariant::PriceExact, what);
        }
    }

    /// Nothing is negative after a record, and nothing is left after the last one.
    fn left(&mut self, user: UserId, ledger: &Ledger, record: &VoteRecord) {
        let day = record.day;
        let is_closed = day <= self.books.closed_through;
        self.standings.ask_of(is_closed.then_some(day));
        let positions = positions(&ledger.entries, &self.standings);
        for (root, position) in &positions {
            if position.total < 0 {
                let what = format!(
                    "user {user}, record {}: {} votes on {root}",
                    ledger.seq, position.total
                );
                self.find(Invariant::NothingNegative, what);
            }
            let stays = position.total != 0 && !self.standings.is_released(*root);
            if record.kind == RecordKind::Final && stays {
                let what = format!(
                    "user {user}, record {}: {} votes stay on {root} after the end",
                    ledger.seq, position.total
                );
                self.find(Invariant::OnePath, what);
            }
        }
        let paid = self.books.salary.get(&user);
        let paid = paid.into_iter().flatten().filter(|it| it.period <= day);
        let salary = paid.map(|payment| payment.amount).sum();
        let left = balance(salary, &positions, &self.standings);
        self.standings.ask_of(None);
        if left < 0 {
            let what = format!("user {user}, record {}: balance {left}", ledger.seq);
            self.find(Invariant::NoOverdraft, what);
        }
    }
}
