//! `vote_chain`: the chain of each user, and the answers to requests.
//!
//! Everything here is decided by one conditional batch in one partition. Its first statement bears
//! the condition on the statics; the others happen with it or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::shortcuts::applied;
use stoa_session::{
    Batch, BatchKind, Bound, Error, ErrorKind, FromRow, Prepared, Session, Shortcuts, ToValues,
};
use uuid::Uuid;

use super::{Base, conditional, serial};
use crate::model::{
    CHECKPOINT_EVERY, Change, Day, Entry, PolicyId, RecordKind, RequestId, UserId, VoteRecord,
    VoteVersion,
};

/// How long the answer to a request is kept.
const ANSWER_SECONDS: i32 = 90 * 86_400;
const RECORDS: i8 = 0;
const ANSWERS: i8 = 1;
/// What stands for a request in the key of a record.
const NO_REQUEST: RequestId = RequestId(Uuid::nil());

/// What is read of a record.
pub(super) const RECORD_COLUMNS: &str = "head, head_seq, epoch, seq, version, previous, day, kind, \
    changes, roots, policy_created, made_for, actor, checkpoint";

/// The table.
#[derive(Debug)]
pub struct ChainTable {
    session: Arc<dyn Session>,
    newest: Prepared,
    statics: Prepared,
    record: Prepared,
    between: Prepared,
    request: Prepared,
    advance: Prepared,
    advance_blindly: Prepared,
    insert_record: Prepared,
    insert_answer: Prepared,
    raise_epoch: Prepared,
}

/// What decides about the next record: it may be written only while these hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tip {
    /// The last record.
    pub head: Option<VoteVersion>,
    /// Its number; 0 before the first.
    pub seq: i64,
    /// How often the chain was fenced or refused something.
    pub epoch: Option<i64>,
}

impl Tip {
    fn next_epoch(self) -> i64 {
        self.epoch.unwrap_or(0) + 1
    }
}

/// What was answered to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenAnswer {
    /// What it asked for, as a digest.
    pub digest: Vec<u8>,
    /// What was answered.
    pub outcome: GivenOutcome,
}

/// What was decided about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenOutcome {
    /// It became a record.
    Accepted {
        /// The record's number.
        seq: i64,
        /// The record.
        version: VoteVersion,
    },
    /// It was refused.
    Refused {
        /// The code of the refusal.
        code: String,
        /// What it says.
        message: String,
    },
}

#[derive(FromRow)]
struct TipRow {
    head: Option<VoteVersion>,
    head_seq: Option<i64>,
    epoch: Option<i64>,
}

/// A change in a table: increment, withdrawn, total, burned.
pub(super) type ChangeParts = (i64, i64, i64, i64);
type EntryParts = (i64, i64, i64);

#[derive(FromRow)]
pub(super) struct RecordRow {
    head: Option<VoteVersion>,
    head_seq: Option<i64>,
    epoch: Option<i64>,
    seq: i64,
    version: VoteVersion,
    previous: Option<VoteVersion>,
    day: Day,
    kind: i8,
    changes: Option<BTreeMap<PolicyId, ChangeParts>>,
    roots: Option<BTreeMap<PolicyId, PolicyId>>,
    policy_created: Option<PolicyId>,
    made_for: RequestId,
    actor: UserId,
    checkpoint: Option<BTreeMap<PolicyId, EntryParts>>,
}

#[derive(ToValues)]
struct NewRecord<'a> {
    user: UserId,
    slot: i8,
    seq: i64,
    request: RequestId,
    version: VoteVersion,
    previous: Option<VoteVersion>,
    day: Day,
    kind: i8,
    changes: BTreeMap<PolicyId, ChangeParts>,
    roots: &'a BTreeMap<PolicyId, PolicyId>,
    policy_created: Option<PolicyId>,
    made_for: RequestId,
    actor: UserId,
    checkpoint: Option<BTreeMap<PolicyId, EntryParts>>,
}

#[derive(FromRow)]
struct AnswerRow {
    digest: Vec<u8>,
    answer_seq: Option<i64>,
    answer_version: Option<VoteVersion>,
    refused_code: Option<String>,
    refused_message: Option<String>,
}

impl ChainTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let newest = format!(
            "SELECT {RECORD_COLUMNS} FROM {{ks}}.vote_chain WHERE user = ? AND slot = 0 LIMIT {}",
            CHECKPOINT_EVERY + 1
        );
        let record = format!(
            "SELECT {RECORD_COLUMNS} FROM {{ks}}.vote_chain WHERE user = ? AND slot = 0 AND seq = ?"
        );
        let between = format!(
            "SELECT {RECORD_COLUMNS} FROM {{ks}}.vote_chain \
             WHERE user = ? AND slot = 0 AND seq >= ? AND seq <= ?"
        );
        Ok(Self {
            session: base.session(),
            newest: base.prepare(&newest).await?,
            record: base.prepare(&record).await?,
            between: base.prepare(&between).await?,
            statics: base
                .prepare("SELECT head, head_seq, epoch FROM {ks}.vote_chain WHERE user = ? LIMIT 1")
                .await?,
            request: base
                .prepare(
                    "SELECT digest, answer_seq, answer_version, refused_code, refused_message \
                     FROM {ks}.vote_chain WHERE user = ? AND slot = 1 AND seq = 0 AND request = ?",
                )
                .await?,
            advance: base
                .prepare(
                    "UPDATE {ks}.vote_chain SET head = ?, head_seq = ? WHERE user = ? \
                     IF head = ? AND epoch = ?",
                )
                .await?,
            advance_blindly: base
                .prepare("UPDATE {ks}.vote_chain SET head = ?, head_seq = ? WHERE user = ?")
                .await?,
            insert_record: base
                .prepare(
                    "INSERT INTO {ks}.vote_chain (user, slot, seq, request, version, previous, \
                     day, kind, changes, roots, policy_created, made_for, actor, checkpoint) \
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )
                .await?,
            insert_answer: base
                .prepare(&format!(
                    "INSERT INTO {{ks}}.vote_chain (user, slot, seq, request, digest, answer_seq, \
                     answer_version, refused_code, refused_message) \
                     VALUES (?, {ANSWERS}, 0, ?, ?, ?, ?, ?, ?) USING TTL {ANSWER_SECONDS}"
                ))
                .await?,
            raise_epoch: base
                .prepare(
                    "UPDATE {ks}.vote_chain SET epoch = ? WHERE user = ? IF head = ? AND epoch = ?",
                )
                .await?,
        })
    }

    /// The tip of a chain and its last records, the earliest first: enough to fold.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, user: UserId) -> Result<(Tip, Vec<VoteRecord>), Error> {
        let bound = self.newest.bind((user,))?.with(serial());
        let mut rows = self.session.all::<RecordRow>(&bound).await?;
        rows.reverse();
        let tip = match rows.last() {
            Some(row) => Tip {
                head: row.head,
                seq: row.head_seq.unwrap_or(0),
                epoch: row.epoch,
            },
            None => self.tip(user).await?,
        };
        // A record past the tip can only be one that was written beside it.
        let records = rows
            .into_iter()
            .map(RecordRow::record)
            .collect::<Result<_, _>>()?;
        Ok((tip, records))
    }

    /// The tip of a chain.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tip(&self, user: UserId) -> Result<Tip, Error> {
        let bound = self.statics.bind((user,))?.with(serial());
        let row = self.session.first::<TipRow>(&bound).await?;
        Ok(row.map_or_else(Tip::default, |row| Tip {
            head: row.head,
            seq: row.head_seq.unwrap_or(0),
            epoch: row.epoch,
        }))
    }

    /// The record of a number.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn record(&self, user: UserId, seq: i64) -> Result<Option<VoteRecord>, Error> {
        let bound = self.record.bind((user, seq))?.with(serial());
        let row = self.session.first::<RecordRow>(&bound).await?;
        row.map(RecordRow::record).transpose()
    }

    /// The records of a range of numbers, the earliest first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn between(
        &self,
        user: UserId,
        first: i64,
        last: i64,
    ) -> Result<Vec<VoteRecord>, Error> {
        let bound = self.between.bind((user, first, last))?.with(serial());
        let rows = self.session.all::<RecordRow>(&bound).await?;
        rows.into_iter().rev().map(RecordRow::record).collect()
    }

    /// What was answered to a request.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn answer(
        &self,
        user: UserId,
        request: RequestId,
    ) -> Result<Option<GivenAnswer>, Error> {
        let bound = self.request.bind((user, request))?.with(serial());
        let row = self.session.first::<AnswerRow>(&bound).await?;
        row.map(AnswerRow::given).transpose()
    }

    /// Rule head-cas: appends a record, with the answer to its request, if the tip still holds.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn append(
        &self,
        user: UserId,
        tip: Tip,
        record: &VoteRecord,
        digest: &[u8],
    ) -> Result<bool, Error> {
        let advance = self
            .advance
            .bind((record.version, record.seq, user, tip.head, tip.epoch))?;
        let batch = self.appending(advance, user, record, digest)?;
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    /// Appends a record whatever the tip is by now: what happens without the rule head-cas.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn append_blindly(
        &self,
        user: UserId,
        record: &VoteRecord,
        digest: &[u8],
    ) -> Result<(), Error> {
        let advance = self
            .advance_blindly
            .bind((record.version, record.seq, user))?;
        let batch = self.appending(advance, user, record, digest)?;
        self.session.batch(&batch).await.map(|_| ())
    }

    fn appending(
        &self,
        advance: Bound,
        user: UserId,
        record: &VoteRecord,
        digest: &[u8],
    ) -> Result<Batch, Error> {
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(advance);
        batch.push(self.insert_record.bind(NewRecord::of(user, record))?);
        let nothing: Option<&str> = None;
        batch.push(self.insert_answer.bind((
            user,
            record.request,
            digest,
            record.seq,
            record.version,
            nothing,
            nothing,
        ))?);
        Ok(batch)
    }

    /// Rule request-once: refuses a request for good, if the tip still holds. Raises the epoch, so
    /// that no other attempt of the same request can be accepted any more.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn refuse(
        &self,
        user: UserId,
        tip: Tip,
        request: RequestId,
        digest: &[u8],
        refusal: (&str, &str),
    ) -> Result<bool, Error> {
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        let raised = (tip.next_epoch(), user, tip.head, tip.epoch);
        batch.push(self.raise_epoch.bind(raised)?);
        let (code, message) = refusal;
        let (no_seq, no_version): (Option<i64>, Option<VoteVersion>) = (None, None);
        batch.push(
            self.insert_answer
                .bind((user, request, digest, no_seq, no_version, code, message))?,
        );
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    /// Rule fence: raises the epoch, if the tip still holds, so that nothing that was about to be
    /// appended can be any more.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn fence(&self, user: UserId, tip: Tip) -> Result<bool, Error> {
        let raised = (tip.next_epoch(), user, tip.head, tip.epoch);
        super::decide(&*self.session, &self.raise_epoch, raised).await
    }
}

impl RecordRow {
    pub(super) fn record(self) -> Result<VoteRecord, Error> {
        let kind = kind_of(self.kind, self.seq)?;
        let entry = |(total, withdrawn, burned_hundredths)| Entry {
            total,
            withdrawn,
            burned_hundredths,
        };
        let checkpoint = self.checkpoint.map(|entries| {
            let entries = entries.into_iter();
            entries.map(|(policy, it)| (policy, entry(it))).collect()
        });
        Ok(VoteRecord {
            version: self.version,
            previous: self.previous,
            seq: self.seq,
            day: self.day,
            kind,
            changes: changes_of(self.changes.unwrap_or_default()),
            roots: self.roots.unwrap_or_default(),
            policy_created: self.policy_created,
            request: self.made_for,
            actor: self.actor,
            checkpoint,
        })
    }
}

impl<'a> NewRecord<'a> {
    fn of(user: UserId, record: &'a VoteRecord) -> Self {
        let parts = |entry: &Entry| (entry.total, entry.withdrawn, entry.burned_hundredths);
        let checkpoint = record.checkpoint.as_ref().map(|entries| {
            let entries = entries.iter();
            entries.map(|(policy, it)| (*policy, parts(it))).collect()
        });
        Self {
            user,
            slot: RECORDS,
            seq: record.seq,
            request: NO_REQUEST,
            version: record.version,
            previous: record.previous,
            day: record.day,
            kind: record.kind.code(),
            changes: parts_of(&record.changes),
            roots: &record.roots,
            policy_created: record.policy_created,
            made_for: record.request,
            actor: record.actor,
            checkpoint,
        }
    }
}

/// The kind of a record that a table holds.
pub(super) fn kind_of(code: i8, seq: i64) -> Result<RecordKind, Error> {
    RecordKind::of_code(code).ok_or_else(|| {
        let what = format!("record {seq} has an unknown kind, {code}");
        Error::not_applied(ErrorKind::Value, what)
    })
}

/// Changes as a table holds them.
pub(super) fn parts_of(changes: &BTreeMap<PolicyId, Change>) -> BTreeMap<PolicyId, ChangeParts> {
    let parts = |it: &Change| {
        let entry = it.entry;
        let burned = entry.burned_hundredths;
        (it.increment, entry.withdrawn, entry.total, burned)
    };
    let changes = changes.iter();
    changes.map(|(policy, it)| (*policy, parts(it))).collect()
}

/// Changes that a table holds.
pub(super) fn changes_of(parts: BTreeMap<PolicyId, ChangeParts>) -> BTreeMap<PolicyId, Change> {
    let change = |(increment, withdrawn, total, burned_hundredths)| Change {
        increment,
        entry: Entry {
            total,
            withdrawn,
            burned_hundredths,
        },
    };
    let parts = parts.into_iter();
    parts.map(|(policy, it)| (policy, change(it))).collect()
}

impl AnswerRow {
    fn given(self) -> Result<GivenAnswer, Error> {
        let outcome = match (self.answer_seq, self.answer_version, self.refused_code) {
            (Some(seq), Some(version), _) => GivenOutcome::Accepted { seq, version },
            (_, _, Some(code)) => GivenOutcome::Refused {
                code,
                message: self.refused_message.unwrap_or_default(),
            },
            _ => {
                let what = "the answer to a request is incomplete";
                return Err(Error::not_applied(ErrorKind::Value, what));
            }
        };
        Ok(GivenAnswer {
            digest: self.digest,
            outcome,
        })
    }
}
