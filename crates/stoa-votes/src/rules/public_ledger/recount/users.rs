//! People in a recount: whether each of their records was allowed.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Notes;
use super::calendar::Calendar;
use super::policies::Policies;
use crate::model::{Day, Entry, PolicyId, RecordKind};
use crate::rules::money::{burned, price_hundredths};
use crate::rules::public_ledger::line::{Carried, RecordLine};

/// What one person has.
#[derive(Debug, Default)]
struct Book {
    seq: i64,
    day: Option<Day>,
    paid: i64,
    has_ended: bool,
    entries: BTreeMap<PolicyId, Entry>,
    last: Last,
}

/// What can be undone.
#[derive(Debug, Default)]
enum Last {
    /// Nothing.
    #[default]
    Nothing,
    /// A record before the turn of the year, which nobody can see.
    Unseen,
    /// These policies had that, and got so much.
    Vote(Vec<(PolicyId, Entry, i64)>),
}

/// Everybody.
#[derive(Debug, Default)]
pub(super) struct Users {
    books: BTreeMap<Uuid, Book>,
    /// What people had under names of earlier years, and how many of them.
    carried: BTreeMap<[u8; 32], u64>,
    names: u64,
}

impl Users {
    pub(super) fn names(&self) -> u64 {
        self.names
    }

    /// Nobody goes on under the old name.
    pub(super) fn turn_of_the_year(&mut self) {
        for (_, book) in std::mem::take(&mut self.books) {
            if let (false, Some(day)) = (book.has_ended, book.day) {
                let entries = book.entries.iter().map(|(policy, entry)| (*policy, *entry));
                let state = state(book.seq, day, book.paid, entries);
                *self.carried.entry(state).or_default() += 1;
            }
        }
    }

    /// Somebody goes on under a new name, with what somebody had.
    pub(super) fn carry(&mut self, line: Carried, notes: &mut Notes) {
        let entries = line.entries.iter().copied();
        let state = state(line.seq, line.since, line.paid, entries);
        match self.carried.get_mut(&state) {
            Some(1) => {
                self.carried.remove(&state);
            }
            Some(several) => *several -= 1,
            None => notes.find("nobody had this before the year began"),
        }
        let is_sorted = line.entries.is_sorted_by(|(one, _), (next, _)| one < next);
        if !is_sorted {
            notes.find("the entries are not in their order");
        }
        let book = Book {
            seq: line.seq,
            day: Some(line.since),
            paid: line.paid,
            has_ended: false,
            entries: line.entries.into_iter().collect(),
            last: Last::Unseen,
        };
        self.names += 1;
        if self.books.insert(line.who, book).is_some() {
            notes.find("this name was there before");
        }
    }

    /// A record of a day.
    pub(super) fn record(
        &mut self,
        day: Day,
        record: &RecordLine,
        (calendar, policies): (&mut Calendar, &mut Policies),
        notes: &mut Notes,
    ) {
        let book = self.books.entry(record.who).or_insert_with(|| {
            self.names += 1;
            Book::default()
        });
        if record.seq != book.seq.saturating_add(1) {
            notes.find(format!(
                "record {} does not follow {}",
                record.seq, book.seq
            ));
        }
        if book.has_ended {
            notes.find("a record follows the end of the account");
        }
        book.pay(day, record.paid, calendar, notes);
        if !record
            .changes
            .is_sorted_by(|(one, _), (next, _)| one < next)
        {
            notes.find("the changes are not in their order");
        }
        match record.kind {
            RecordKind::Vote => {
                let config = calendar.on(day);
                book.check_vote(record, config.penalty_percent, notes);
                book.check_creation(record, config.creation_cost, notes);
            }
            RecordKind::Undo => book.check_undo(record, notes),
            RecordKind::Final => book.check_final(record, notes),
        }
        if let Some(policy) = record.creates {
            policies.created_by_record(policy, notes);
        }
        book.apply(day, record, notes);
        for (policy, change) in &record.changes {
            policies.vote(*policy, record.who, change.increment);
        }
        book.check_state(record.kind, policies, notes);
    }
}

impl Book {
    /// Each period is paid once, at its rate.
    fn pay(&mut self, day: Day, paid: i64, calendar: &mut Calendar, notes: &mut Notes) {
        let is_right = match self.day {
            None => calendar.can_begin_with(day, paid),
            Some(since) if since > day => false,
            Some(since) => calendar.can_go_on((since, self.paid), (day, paid)),
        };
        if !is_right {
            notes.find(format!("{paid} votes were not paid by {day}"));
        }
        self.paid = paid;
    }

    fn before(&self, policy: PolicyId) -> Entry {
        self.entries.get(&policy).copied().unwrap_or_default()
    }

    /// What is lost rises with what is withdrawn, by the percentage of the day.
    fn check_vote(&self, record: &RecordLine, percent: i64, notes: &mut Notes) {
        for (policy, change) in &record.changes {
            let old = self.before(*policy);
            let withdrawn = change.increment.saturating_neg().max(0);
            let lost = price_hundredths(withdrawn, percent);
            let expected = (
                old.withdrawn.saturating_add(withdrawn),
                old.burned_hundredths.saturating_add(lost),
            );
            if (change.entry.withdrawn, change.entry.burned_hundredths) != expected {
                notes.find(format!("the withdrawal from {policy} has another price"));
            }
            if change.increment == 0 && record.creates != Some(*policy) {
                notes.find(format!("nothing changes about {policy}"));
            }
        }
    }

    fn check_creation(&self, record: &RecordLine, cost: i64, notes: &mut Notes) {
        let Some(created) = record.creates else {
            return;
        };
        let changes = record.changes.iter();
        let changes: Vec<(PolicyId, i64)> = changes
            .map(|(policy, it)| (*policy, it.increment))
            .collect();
        if changes != [(created, cost)] {
            notes.find(format!("creating {created} costs {cost} votes"));
        }
    }

    /// An undo gives back exactly what the record before it changed.
    fn check_undo(&self, record: &RecordLine, notes: &mut Notes) {
        let changes = record.changes.iter();
        let is_right = match &self.last {
            Last::Nothing => false,
            // The increments are checked as always; the price can only become less.
            Last::Unseen => changes.clone().all(|(policy, change)| {
                let (old, new) = (self.before(*policy), change.entry);
                (0..=old.withdrawn).contains(&new.withdrawn)
                    && (0..=old.burned_hundredths).contains(&new.burned_hundredths)
            }),
            Last::Vote(last) => {
                let given =
                    changes.map(|(policy, it)| (*policy, it.entry, it.increment.saturating_neg()));
                given.eq(last.iter().copied())
            }
        };
        if record.creates.is_some() || !is_right {
            notes.find("this takes back something else than the record before it");
        }
    }

    fn check_final(&self, record: &RecordLine, notes: &mut Notes) {
        for (policy, change) in &record.changes {
            let old = self.before(*policy);
            let is_free = change.entry.withdrawn == old.withdrawn
                && change.entry.burned_hundredths == old.burned_hundredths;
            if !is_free {
                notes.find(format!("the end of the account has a price on {policy}"));
            }
        }
        if record.creates.is_some() {
            notes.find("the end of an account creates nothing");
        }
    }

    fn apply(&mut self, day: Day, record: &RecordLine, notes: &mut Notes) {
        let mut undoable = Vec::new();
        for (policy, change) in &record.changes {
            let entry = self.entries.entry(*policy).or_default();
            let total = entry.total.saturating_add(change.increment);
            if total != change.entry.total {
                notes.find(format!(
                    "{} votes on {policy}, where there are {total}",
                    change.entry.total
                ));
            }
            undoable.push((*policy, *entry, change.increment));
            *entry = change.entry;
        }
        let can_be_undone = record.kind == RecordKind::Vote && record.creates.is_none();
        self.last = match can_be_undone {
            true => Last::Vote(undoable),
            false => Last::Nothing,
        };
        self.seq = record.seq;
        self.day = Some(day);
        self.has_ended = record.kind == RecordKind::Final;
    }

    /// Nothing is negative, and nothing is left after the end.
    fn check_state(&self, kind: RecordKind, policies: &Policies, notes: &mut Notes) {
        let mut positions: BTreeMap<PolicyId, (i64, i64)> = BTreeMap::new();
        for (policy, entry) in &self.entries {
            let position = positions.entry(policies.root(*policy)).or_default();
            position.0 = position.0.saturating_add(entry.total);
            position.1 = position.1.saturating_add(entry.burned_hundredths);
        }
        let mut left = self.paid;
        for (root, (total, lost)) in positions {
            if total < 0 {
                notes.find(format!("{total} votes on {root}"));
            }
            if policies.is_released(root) {
                continue;
            }
            if kind == RecordKind::Final && total != 0 {
                notes.find(format!("{total} votes stay on {root} after the end"));
            }
            left = left.saturating_sub(total).saturating_sub(burned(lost));
        }
        if left < 0 {
            notes.find(format!(
                "{} votes more are spent than there were",
                left.saturating_neg()
            ));
        }
    }
}

/// What somebody has, as a digest.
fn state(
    seq: i64,
    day: Day,
    paid: i64,
    entries: impl Iterator<Item = (PolicyId, Entry)>,
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(seq.to_be_bytes());
    hasher.update(day.0.to_be_bytes());
    hasher.update(paid.to_be_bytes());
    for (policy, entry) in entries.filter(|(_, entry)| *entry != Entry::default()) {
        hasher.update(policy.0.as_bytes());
        let numbers = [entry.total, entry.withdrawn, entry.burned_hundredths];
        numbers
            .iter()
            .for_each(|it| hasher.update(it.to_be_bytes()));
    }
    hasher.finalize().into()
}
