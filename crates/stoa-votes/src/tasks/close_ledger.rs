//! The public ledger of a day that is being closed.
//!
//! Called after everything of the day was settled. Merges and releases have no date, so what this
//! closer sees of them by now is what the day tells; it is written under the closer's own result,
//! and only the result that the day names counts. So every record of the day was judged by nothing
//! that its day does not tell.
//!
//! A day that is closed late sees what became of policies that only a later day creates. It tells
//! nothing of them: a policy is told of once it was created or got votes by the end of the day, or
//! another one that is told of was merged into it.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::Error;

use crate::model::{ClosedDay, Day, PolicyId, SnapshotId};
use crate::ops::export_ledger::{head_hash, no_hash};
use crate::rules::public_ledger::recount::rank_key;
use crate::rules::public_ledger::{DayHasher, LedgerHash, Line, PolicyLine};
use crate::rules::roots::MOST_MERGES;
use crate::rules::salary::period_of;
use crate::tables::ledger::{DayRecord, EndedPolicy, Fate, LedgerSettings, Section};
use crate::votes::Votes;

/// What became of policies.
type Fates = BTreeMap<PolicyId, Fate>;

impl Votes {
    /// Writes the lines of a day under a closer's result; their hash.
    pub(crate) async fn close_ledger(
        &self,
        day: Day,
        snapshot: SnapshotId,
        closed: &BTreeMap<PolicyId, ClosedDay>,
    ) -> Result<LedgerHash, Error> {
        let first = self.tables.days.first(day).await?;
        let settings = self.locked_ledger().await?;
        let previous = self.ledger_hash_before(day, first, &settings).await?;
        let records = self.tables.ledger.records(day).await?;
        let told = self.told_fates(first, day).await?;
        let told = told.into_iter().map(|(policy, (_, fate))| (policy, fate));
        let mut fates: Fates = told.collect();
        let new = self.new_fates(day, closed, &fates).await?;
        fates.extend(&new);
        let before = self.lines_before(day, first, &records, &new).await?;
        let after = self.lines_after(day, closed, &fates, &new).await?;
        let between = self.record_lines(&settings, day, &records).await?;
        let ledger = &self.tables.ledger;
        for (policy, fate) in &new {
            ledger.write_fate(day, snapshot, *policy, *fate).await?;
        }
        let mut hasher = DayHasher::after(previous);
        for (section, lines) in [
            (Some(Section::Before), before),
            (None, between),
            (Some(Section::After), after),
        ] {
            for (place, line) in (0..).zip(lines) {
                let line = line.to_string();
                hasher.add(line.as_bytes());
                if let Some(section) = section {
                    let place = (section, place);
                    ledger.write_line(day, snapshot, place, &line).await?;
                }
            }
        }
        Ok(hasher.hash())
    }

    async fn ledger_hash_before(
        &self,
        day: Day,
        first: Day,
        settings: &LedgerSettings,
    ) -> Result<LedgerHash, Error> {
        if day <= first {
            return Ok(head_hash(settings.mode, first));
        }
        let closed = self.tables.days.closed(day.previous()).await?;
        let (_, hash) = closed.ok_or_else(|| no_hash(day.previous()))?;
        Ok(hash)
    }

    /// What days before one told of policies, and which of them did.
    pub(super) async fn told_fates(
        &self,
        first: Day,
        day: Day,
    ) -> Result<BTreeMap<PolicyId, (Day, Fate)>, Error> {
        let mut fates = BTreeMap::new();
        let mut of = first;
        while of.civil().year <= day.civil().year {
            let picked = self.tables.days.closed_in_year(of).await?;
            let told = self.tables.ledger.fates_of_year(of).await?;
            let told = told
                .into_iter()
                .filter(|(on, snapshot, _, _)| *on < day && picked.get(on) == Some(snapshot));
            fates.extend(told.map(|(on, _, policy, fate)| (policy, (on, fate))));
            of = next_year(of);
        }
        Ok(fates)
    }

    /// What became of policies, and no day told so far.
    async fn new_fates(
        &self,
        day: Day,
        closed: &BTreeMap<PolicyId, ClosedDay>,
        told: &Fates,
    ) -> Result<Fates, Error> {
        let mut targets: BTreeSet<PolicyId> = told.values().filter_map(target).collect();
        let mut waiting = Vec::new();
        let mut new = Fates::new();
        for ended in self.tables.ledger.ended_policies().await? {
            if told.contains_key(&ended.policy) {
                continue;
            }
            if closed.contains_key(&ended.policy) || self.has_appeared(day, &ended).await? {
                targets.extend(target(&ended.fate));
                new.insert(ended.policy, ended.fate);
            } else {
                waiting.push(ended);
            }
        }
        loop {
            let (known, others): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|ended| targets.contains(&ended.policy));
            if known.is_empty() {
                return Ok(new);
            }
            for ended in known {
                targets.extend(target(&ended.fate));
                new.insert(ended.policy, ended.fate);
            }
            waiting = others;
        }
    }

    /// Whether a policy got votes, or was created, by the end of a day.
    async fn has_appeared(&self, day: Day, ended: &EndedPolicy) -> Result<bool, Error> {
        let counts = &self.tables.counts;
        if counts.closed_day(ended.policy, day).await?.is_some() {
            return Ok(true);
        }
        let Some((user, seq)) = ended.created else {
            return Ok(false);
        };
        let record = self.tables.chain.record(user, seq).await?;
        Ok(record
            .is_some_and(|record| record.policy_created == Some(ended.policy) && record.day <= day))
    }

    async fn lines_before(
        &self,
        day: Day,
        first: Day,
        records: &[DayRecord],
        new: &Fates,
    ) -> Result<Vec<Line>, Error> {
        let history = self.tables.money.config().await?;
        let told = match day <= first {
            true => history.since(period_of(day, history.on(day).period)),
            false => history.since(day),
        };
        let begun = told.iter().filter(|it| it.from <= day);
        let told = begun.filter(|it| it.from == day || day <= first);
        let mut lines: Vec<Line> = told.copied().map(Line::Config).collect();
        let created = records.iter().filter_map(|record| record.policy_created);
        lines.extend(created.map(Line::Created));
        lines.extend(new.iter().map(|(policy, fate)| match fate {
            Fate::Merged(into) => Line::Merged {
                policy: *policy,
                into: *into,
            },
            Fate::Released => Line::Released(*policy),
        }));
        lines.sort_by_key(Line::place);
        Ok(lines)
    }

    async fn lines_after(
        &self,
        day: Day,
        closed: &BTreeMap<PolicyId, ClosedDay>,
        fates: &Fates,
        new: &Fates,
    ) -> Result<Vec<Line>, Error> {
        let mut lines: Vec<Line> = closed
            .iter()
            .map(|(policy, it)| Line::Policy(PolicyLine::of(*policy, it)))
            .collect();
        let merged = new.iter().filter(|(_, fate)| target(fate).is_some());
        let changed = closed.keys().chain(merged.map(|(policy, _)| policy));
        let roots: BTreeSet<PolicyId> = changed.map(|policy| root(*policy, fates)).collect();
        let mut sources: BTreeMap<PolicyId, Vec<PolicyId>> = BTreeMap::new();
        for policy in fates.keys() {
            let root = root(*policy, fates);
            sources.entry(root).or_default().push(*policy);
        }
        let mut ranking = Vec::new();
        for root in roots {
            if fates.get(&root) == Some(&Fate::Released) {
                continue;
            }
            let mut members: BTreeSet<PolicyId> = BTreeSet::from([root]);
            members.extend(sources.get(&root).into_iter().flatten());
            let mut total = 0_i64;
            for member in members {
                let own = self.tables.counts.closed_day(member, day).await?;
                total = total.saturating_add(own.map_or(0, |it| it.closing_total));
            }
            ranking.push((root, total));
        }
        ranking.sort_by_key(|(policy, total)| rank_key(*policy, *total));
        let ranked = (1..)
            .zip(ranking)
            .map(|(place, (policy, total))| Line::Rank {
                place,
                policy,
                total,
            });
        lines.extend(ranked);
        Ok(lines)
    }
}

fn target(fate: &Fate) -> Option<PolicyId> {
    match fate {
        Fate::Merged(into) => Some(*into),
        Fate::Released => None,
    }
}

/// Where the votes of a policy count, as days told it.
fn root(policy: PolicyId, fates: &Fates) -> PolicyId {
    let mut root = policy;
    for _ in 0..MOST_MERGES {
        match fates.get(&root).and_then(target) {
            Some(next) => root = next,
            None => break,
        }
    }
    root
}

/// A day of the year after that of a day.
fn next_year(day: Day) -> Day {
    let (year, mut next) = (day.civil().year, day.plus(365));
    while next.civil().year == year {
        next = next.next();
    }
    next
}
