//! `reports`: who reported what, each user once for each case. By conditional writes alone.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use crate::model::{Report, ReportReason, Target, UserId};
use crate::tables::{Base, decide, serial};

/// Reports of one case, or of one thing, that are looked at.
const MOST_REPORTS: i32 = 1_000;

#[derive(FromRow)]
struct ReportRow {
    reporter: UserId,
    id: Uuid,
    case_id: Uuid,
    reason: String,
    words: Option<String>,
}

/// The table.
#[derive(Debug)]
pub struct ReportTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    of_case: Prepared,
    list: Prepared,
}

impl ReportTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let select = "SELECT reporter, id, case_id, reason, words FROM {ks}.reports \
                      WHERE kind = ? AND target = ?";
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.reports \
                     (kind, target, case_id, reporter, id, reason, words) \
                     VALUES (?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            read: base
                .prepare(&format!("{select} AND case_id = ? AND reporter = ?"))
                .await?,
            of_case: base
                .prepare(&format!("{select} AND case_id = ? LIMIT ?"))
                .await?,
            list: base.prepare(&format!("{select} LIMIT ?")).await?,
        })
    }

    /// Writes a report, unless there is one of the user for its case; whether not.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn insert(&self, target: Target, it: &Report) -> Result<bool, Error> {
        let values = (
            target.kind().name(),
            target.id(),
            it.case,
            it.reporter,
            it.id,
            it.reason.name(),
            &it.words,
        );
        decide(&*self.session, &self.insert, values).await
    }

    /// What a user reported for a case of something.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(
        &self,
        target: Target,
        case: Uuid,
        reporter: UserId,
    ) -> Result<Option<Report>, Error> {
        let values = (target.kind().name(), target.id(), case, reporter);
        let bound = self.read.bind(values)?.with(serial());
        let row = self.session.first::<ReportRow>(&bound).await?;
        Ok(row.map(ReportRow::report))
    }

    /// The reports of a case of something.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_case(&self, target: Target, case: Uuid) -> Result<Vec<Report>, Error> {
        let values = (target.kind().name(), target.id(), case, MOST_REPORTS);
        let bound = self.of_case.bind(values)?.with(serial());
        let rows = self.session.all::<ReportRow>(&bound).await?;
        Ok(rows.into_iter().map(ReportRow::report).collect())
    }

    /// Every report of something, those of its first case first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, target: Target) -> Result<Vec<Report>, Error> {
        let values = (target.kind().name(), target.id(), MOST_REPORTS);
        let bound = self.list.bind(values)?.with(serial());
        let rows = self.session.all::<ReportRow>(&bound).await?;
        Ok(rows.into_iter().map(ReportRow::report).collect())
    }
}

impl ReportRow {
    fn report(self) -> Report {
        Report {
            reporter: self.reporter,
            id: self.id,
            case: self.case_id,
            reason: ReportReason::of_name(&self.reason).unwrap_or(ReportReason::Other),
            words: self.words.unwrap_or_default(),
        }
    }
}
