//! The lines of a closed day, made again from the tables: the same ones each time.

use std::collections::BTreeMap;

use stoa_session::{Error, ErrorKind};

use crate::model::{Day, Entry, PolicyId, PrivacyMode, SnapshotId};
use crate::rules::public_ledger::pseudonym::name_on;
use crate::rules::public_ledger::{Carried, Line, RecordLine};
use crate::tables::ledger::{DayRecord, LedgerSettings, Section};
use crate::votes::Votes;

impl Votes {
    /// The lines of records of a day, in their order.
    pub(crate) async fn record_lines(
        &self,
        settings: &LedgerSettings,
        day: Day,
        records: &[DayRecord],
    ) -> Result<Vec<Line>, Error> {
        let mut lines = Vec::new();
        if settings.mode == PrivacyMode::Tallies {
            return Ok(lines);
        }
        for record in records {
            let changes_name = settings.mode == PrivacyMode::Pseudonymous;
            if changes_name && record.is_first_of_year && record.seq > 1 {
                lines.push(self.carried_line(settings, day, record).await?);
            }
            lines.push(record_line(settings, day, record));
        }
        lines.sort_by_key(Line::place);
        Ok(lines)
    }

    /// What a user had before the first record of a year.
    async fn carried_line(
        &self,
        settings: &LedgerSettings,
        day: Day,
        record: &DayRecord,
    ) -> Result<Line, Error> {
        let seq = record.seq - 1;
        let mut entries: BTreeMap<PolicyId, Entry> = BTreeMap::new();
        let mut since = None;
        for at in (1..=seq).rev() {
            let Some(before) = self.tables.chain.record(record.user, at).await? else {
                let what = format!("record {at} of the user {} is missing", record.user);
                return Err(Error::not_applied(ErrorKind::Storage, what));
            };
            since.get_or_insert(before.day);
            // The latest record about a policy says what is on it.
            let told = before.checkpoint.as_ref().map(|all| all.iter().collect());
            let is_enough = told.is_some();
            let changed = before.changes.iter();
            let changed = || changed.map(|(policy, it)| (policy, &it.entry)).collect();
            let told: Vec<(&PolicyId, &Entry)> = told.unwrap_or_else(changed);
            for (policy, entry) in told {
                entries.entry(*policy).or_insert(*entry);
            }
            if is_enough {
                break;
            }
        }
        let since = since.unwrap_or(day);
        entries.retain(|_, entry| *entry != Entry::default());
        Ok(Line::Carried(Carried {
            who: name_on(settings.mode, &settings.secret, record.user, day),
            seq,
            since,
            paid: self.tables.money.paid_by(record.user, since).await?,
            entries: entries.into_iter().collect(),
        }))
    }

    /// Every line of a closed day.
    pub(crate) async fn day_lines(
        &self,
        settings: &LedgerSettings,
        day: Day,
        snapshot: SnapshotId,
    ) -> Result<Vec<String>, Error> {
        let ledger = &self.tables.ledger;
        let mut lines = ledger.lines(day, snapshot, Section::Before).await?;
        if settings.mode != PrivacyMode::Tallies {
            let records = ledger.records(day).await?;
            let records = self.record_lines(settings, day, &records).await?;
            lines.extend(records.iter().map(ToString::to_string));
        }
        lines.extend(ledger.lines(day, snapshot, Section::After).await?);
        Ok(lines)
    }
}

/// The line of a record.
pub(crate) fn record_line(settings: &LedgerSettings, day: Day, record: &DayRecord) -> Line {
    let changes = record.changes.iter();
    Line::Record(RecordLine {
        who: name_on(settings.mode, &settings.secret, record.user, day),
        seq: record.seq,
        kind: record.kind,
        paid: record.paid,
        creates: record.policy_created,
        changes: changes.map(|(policy, change)| (*policy, *change)).collect(),
    })
}
