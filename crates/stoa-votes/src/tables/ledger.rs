//! What the public ledger is written from: its settings, records by day, and what closers saw.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Bound, Error, ErrorKind, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::chain::{ChangeParts, changes_of, kind_of, parts_of};
use super::{Base, decide, quorum, serial, write};
use crate::model::{
    Change, Day, PolicyId, PolicyState, PrivacyMode, RecordKind, SnapshotId, UserId, VoteRecord,
};

/// Partitions of the records of a day.
const RECORD_SHARDS: i16 = 8;
/// The only row of the settings.
const SCOPE: i8 = 0;

/// What the ledger shows, and the secret behind pseudonyms.
#[derive(Clone, PartialEq, Eq)]
pub struct LedgerSettings {
    /// What is shown.
    pub mode: PrivacyMode,
    /// The secret.
    pub secret: String,
    /// Whether that is for ever.
    pub is_locked: bool,
    /// When it was chosen, a time UUID, and by whom; nobody may have chosen it.
    pub chosen: Option<(Uuid, UserId)>,
}

impl std::fmt::Debug for LedgerSettings {
    /// Never the secret: this ends in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "LedgerSettings({}, {})",
            self.mode.name(),
            self.is_locked
        )
    }
}

/// A record, as its day has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayRecord {
    /// Whose.
    pub user: UserId,
    /// How many records the chain has up to it.
    pub seq: i64,
    /// What sort of record it is.
    pub kind: RecordKind,
    /// Votes that were paid up to its day.
    pub paid: i64,
    /// Whether the record before it, if there is one, is of an earlier year.
    pub is_first_of_year: bool,
    /// The policy that it creates.
    pub policy_created: Option<PolicyId>,
    /// What it changes.
    pub changes: BTreeMap<PolicyId, Change>,
}

/// What became of a policy: merged into another one, or released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its votes count for another one.
    Merged(PolicyId),
    /// Its votes were given back.
    Released,
}

/// A policy that is not active any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedPolicy {
    /// The policy.
    pub policy: PolicyId,
    /// What became of it.
    pub fate: Fate,
    /// The record that created it: whose, and its number.
    pub created: Option<(UserId, i64)>,
}

/// Where a line stands in its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Before the records.
    Before = 0,
    /// After them.
    After = 1,
}

#[derive(FromRow)]
struct SettingsRow {
    mode: String,
    secret: String,
    is_locked: bool,
    chosen: Option<Uuid>,
    chosen_by: Option<UserId>,
}

#[derive(FromRow)]
struct RecordRow {
    user: UserId,
    seq: i64,
    kind: i8,
    paid: i64,
    is_first_of_year: bool,
    policy_created: Option<PolicyId>,
    changes: Option<BTreeMap<PolicyId, ChangeParts>>,
}

#[derive(FromRow)]
struct FateRow {
    day: Day,
    snapshot: SnapshotId,
    policy: PolicyId,
    merged_to: Option<PolicyId>,
}

#[derive(FromRow)]
struct LineRow {
    line: String,
}

#[derive(FromRow)]
struct PolicyRow {
    policy: PolicyId,
    state: Option<String>,
    owner: Option<UserId>,
    created_seq: Option<i64>,
    merged_to: Option<PolicyId>,
}

/// The tables.
#[derive(Debug)]
pub struct LedgerTables {
    session: Arc<dyn Session>,
    settings: Prepared,
    insert_settings: Prepared,
    choose: Prepared,
    lock: Prepared,
    insert_record: Prepared,
    records: Prepared,
    record: Prepared,
    insert_fate: Prepared,
    fates: Prepared,
    insert_line: Prepared,
    lines: Prepared,
    policies: Prepared,
}

const RECORD_COLUMNS: &str = "user, seq, kind, paid, is_first_of_year, policy_created, changes";

impl LedgerTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let records = format!(
            "SELECT {RECORD_COLUMNS} FROM {{ks}}.ledger_records WHERE day = ? AND shard = ?"
        );
        Ok(Self {
            session: base.session(),
            settings: base
                .prepare(
                    "SELECT mode, secret, is_locked, chosen, chosen_by \
                     FROM {ks}.ledger_settings WHERE scope = ?",
                )
                .await?,
            insert_settings: base
                .prepare(
                    "INSERT INTO {ks}.ledger_settings \
                     (scope, mode, secret, is_locked, chosen, chosen_by) \
                     VALUES (?, ?, ?, false, ?, ?) IF NOT EXISTS",
                )
                .await?,
            choose: base
                .prepare(
                    "UPDATE {ks}.ledger_settings SET mode = ?, chosen = ?, chosen_by = ? \
                     WHERE scope = ? IF is_locked = false AND chosen = ?",
                )
                .await?,
            lock: base
                .prepare(
                    "UPDATE {ks}.ledger_settings SET is_locked = true WHERE scope = ? \
                     IF is_locked = false",
                )
                .await?,
            insert_record: base
                .prepare(
                    "INSERT INTO {ks}.ledger_records (day, shard, user, seq, kind, paid, \
                     is_first_of_year, policy_created, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )
                .await?,
            records: base.prepare(&records).await?,
            record: base
                .prepare(&format!("{records} AND user = ? AND seq = ?"))
                .await?,
            insert_fate: base
                .prepare(
                    "INSERT INTO {ks}.ledger_fates (year, day, snapshot, policy, merged_to) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            fates: base
                .prepare(
                    "SELECT day, snapshot, policy, merged_to FROM {ks}.ledger_fates WHERE year = ?",
                )
                .await?,
            insert_line: base
                .prepare(
                    "INSERT INTO {ks}.ledger_lines (day, snapshot, section, place, line) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            lines: base
                .prepare(
                    "SELECT line FROM {ks}.ledger_lines \
                     WHERE day = ? AND snapshot = ? AND section = ?",
                )
                .await?,
            policies: base
                .prepare("SELECT policy, state, owner, created_seq, merged_to FROM {ks}.policies")
                .await?,
        })
    }

    /// What the ledger shows; nothing about it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settings(&self) -> Result<Option<LedgerSettings>, Error> {
        let bound = self.settings.bind((SCOPE,))?.with(serial());
        let Some(row) = self.session.first::<SettingsRow>(&bound).await? else {
            return Ok(None);
        };
        let mode = PrivacyMode::of_name(&row.mode).ok_or_else(|| {
            let what = format!("the ledger has an unknown mode, {:?}", row.mode);
            Error::not_applied(ErrorKind::Value, what)
        })?;
        Ok(Some(LedgerSettings {
            mode,
            secret: row.secret,
            is_locked: row.is_locked,
            chosen: row.chosen.zip(row.chosen_by),
        }))
    }

    /// Decides what the ledger shows and its secret, unless that was decided.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn begin(
        &self,
        mode: PrivacyMode,
        secret: &str,
        chosen: Option<(Uuid, UserId)>,
    ) -> Result<bool, Error> {
        let (id, by) = chosen.unzip();
        let values = (SCOPE, mode.name(), secret, id, by);
        decide(&*self.session, &self.insert_settings, values).await
    }

    /// Changes what the ledger shows, unless that is for ever, or was chosen anew since it was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn choose(
        &self,
        seen: &LedgerSettings,
        mode: PrivacyMode,
        (id, by): (Uuid, UserId),
    ) -> Result<bool, Error> {
        let before = seen.chosen.map(|(id, _)| id);
        let values = (mode.name(), id, by, SCOPE, before);
        decide(&*self.session, &self.choose, values).await
    }

    /// Lets what the ledger shows be for ever.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn lock(&self) -> Result<bool, Error> {
        decide(&*self.session, &self.lock, (SCOPE,)).await
    }

    /// The copy of a record for its day, to be written at the time of the record. Every copy says
    /// the same.
    pub(super) fn copy(
        &self,
        user: UserId,
        record: &VoteRecord,
        paid: i64,
        is_first_of_year: bool,
    ) -> Result<Bound, Error> {
        let values = (
            record.day,
            record_shard(user),
            user,
            record.seq,
            record.kind.code(),
            paid,
            is_first_of_year,
            record.policy_created,
            parts_of(&record.changes),
        );
        Ok(self.insert_record.bind(values)?)
    }

    /// Every record of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn records(&self, day: Day) -> Result<Vec<DayRecord>, Error> {
        let mut records = Vec::new();
        for shard in 0..RECORD_SHARDS {
            let bound = self.records.bind((day, shard))?.with(quorum());
            for row in self.session.all::<RecordRow>(&bound).await? {
                records.push(row.record()?);
            }
        }
        Ok(records)
    }

    /// One record of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn record(
        &self,
        day: Day,
        user: UserId,
        seq: i64,
    ) -> Result<Option<DayRecord>, Error> {
        let values = (day, record_shard(user), user, seq);
        let bound = self.record.bind(values)?.with(quorum());
        let row = self.session.first::<RecordRow>(&bound).await?;
        row.map(RecordRow::record).transpose()
    }

    /// Writes what a closer saw of a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_fate(
        &self,
        day: Day,
        snapshot: SnapshotId,
        policy: PolicyId,
        fate: Fate,
    ) -> Result<(), Error> {
        let merged_to = match fate {
            Fate::Merged(into) => Some(into),
            Fate::Released => None,
        };
        let values = (year(day), day, snapshot, policy, merged_to);
        let at = day.next().start_micros();
        write(&*self.session, &self.insert_fate, values, at).await
    }

    /// What closers saw in the year of a day: when, who, and of which policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn fates_of_year(
        &self,
        of: Day,
    ) -> Result<Vec<(Day, SnapshotId, PolicyId, Fate)>, Error> {
        let bound = self.fates.bind((year(of),))?.with(quorum());
        let rows = self.session.all::<FateRow>(&bound).await?;
        let fates = rows.into_iter().map(|row| {
            let fate = row.merged_to.map_or(Fate::Released, Fate::Merged);
            (row.day, row.snapshot, row.policy, fate)
        });
        Ok(fates.collect())
    }

    /// Writes one line of a day, as one closer has it.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_line(
        &self,
        day: Day,
        snapshot: SnapshotId,
        place: (Section, i32),
        line: &str,
    ) -> Result<(), Error> {
        let (section, place) = place;
        let values = (day, snapshot, section as i8, place, line);
        let at = day.next().start_micros();
        write(&*self.session, &self.insert_line, values, at).await
    }

    /// The lines of a section of a day, as one closer has them.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn lines(
        &self,
        day: Day,
        snapshot: SnapshotId,
        section: Section,
    ) -> Result<Vec<String>, Error> {
        let values = (day, snapshot, section as i8);
        let bound = self.lines.bind(values)?.with(quorum());
        let rows = self.session.all::<LineRow>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.line).collect())
    }

    /// Every policy that was merged or released; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ended_policies(&self) -> Result<Vec<EndedPolicy>, Error> {
        let bound = self.policies.bind(())?.with(quorum());
        let rows = self.session.all::<PolicyRow>(&bound).await?;
        let ended = rows.into_iter().filter_map(|row| {
            let fate = match (PolicyState::of_name(row.state.as_deref()?)?, row.merged_to) {
                (PolicyState::Merged, Some(into)) => Fate::Merged(into),
                (state, _) if state.is_released() => Fate::Released,
                _ => return None,
            };
            Some(EndedPolicy {
                policy: row.policy,
                fate,
                created: row.owner.zip(row.created_seq),
            })
        });
        Ok(ended.collect())
    }
}

impl RecordRow {
    fn record(self) -> Result<DayRecord, Error> {
        Ok(DayRecord {
            user: self.user,
            seq: self.seq,
            kind: kind_of(self.kind, self.seq)?,
            paid: self.paid,
            is_first_of_year: self.is_first_of_year,
            policy_created: self.policy_created,
            changes: changes_of(self.changes.unwrap_or_default()),
        })
    }
}

fn record_shard(user: UserId) -> i16 {
    let shards = u128::from(RECORD_SHARDS.cast_unsigned());
    i16::try_from(user.0.as_u128() % shards).unwrap_or(0)
}

fn year(day: Day) -> i32 {
    i32::try_from(day.civil().year).unwrap_or(i32::MAX)
}
