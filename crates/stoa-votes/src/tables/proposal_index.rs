//! `open_proposals` and `proposals_by_year`: where proposals are found without reading all of them.
//!
//! Rows are written before the proposal is, at the time of its identifier, so that none is missed.
//! A row whose proposal is not there, or was made at another time, says nothing.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::Day;

/// The only partition of those that are open.
const SCOPE: i8 = 0;

/// Where a proposal is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct ProposalPlace {
    /// A time UUID: when it was proposed.
    pub proposed: Uuid,
    /// Which one.
    pub proposal: Uuid,
}

impl ProposalPlace {
    /// When it was proposed, in microseconds since 1970.
    #[must_use]
    pub fn proposed_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.proposed).unwrap_or(0)
    }

    fn year(&self) -> i32 {
        year_of(Day::of_micros(self.proposed_micros()))
    }
}

/// The tables.
#[derive(Debug)]
pub struct ProposalIndex {
    session: Arc<dyn Session>,
    insert_open: Prepared,
    delete_open: Prepared,
    open: Prepared,
    insert_of_year: Prepared,
    of_year: Prepared,
    of_year_before: Prepared,
}

impl ProposalIndex {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let of_year = "SELECT proposed, proposal FROM {ks}.proposals_by_year WHERE year = ?";
        Ok(Self {
            session: base.session(),
            insert_open: base
                .prepare(
                    "INSERT INTO {ks}.open_proposals (scope, proposed, proposal) \
                     VALUES (?, ?, ?)",
                )
                .await?,
            delete_open: base
                .prepare("DELETE FROM {ks}.open_proposals WHERE scope = ? AND proposed = ?")
                .await?,
            open: base
                .prepare("SELECT proposed, proposal FROM {ks}.open_proposals WHERE scope = ?")
                .await?,
            insert_of_year: base
                .prepare(
                    "INSERT INTO {ks}.proposals_by_year (year, proposed, proposal) \
                     VALUES (?, ?, ?)",
                )
                .await?,
            of_year: base.prepare(&format!("{of_year} LIMIT ?")).await?,
            of_year_before: base
                .prepare(&format!("{of_year} AND proposed < ? LIMIT ?"))
                .await?,
        })
    }

    /// Writes where a proposal is found. Any number of times.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &ProposalPlace) -> Result<(), Error> {
        let at = it.proposed_micros();
        let values = (it.year(), it.proposed, it.proposal);
        write(&*self.session, &self.insert_of_year, values, at).await?;
        let values = (SCOPE, it.proposed, it.proposal);
        write(&*self.session, &self.insert_open, values, at).await
    }

    /// Forgets that a proposal is open.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn close(&self, it: &ProposalPlace) -> Result<(), Error> {
        let (values, at) = ((SCOPE, it.proposed), it.proposed_micros() + 1);
        write(&*self.session, &self.delete_open, values, at).await
    }

    /// Those that may be open, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open(&self) -> Result<Vec<ProposalPlace>, Error> {
        let bound = self.open.bind((SCOPE,))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Those of a year before one of them, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_year(
        &self,
        year: i32,
        before: Option<Uuid>,
        most: i32,
    ) -> Result<Vec<ProposalPlace>, Error> {
        let bound = match before {
            None => self.of_year.bind((year, most))?,
            Some(before) => self.of_year_before.bind((year, before, most))?,
        };
        self.session.all(&bound.with(quorum())).await
    }
}

/// The year of a day.
#[must_use]
pub fn year_of(day: Day) -> i32 {
    i32::try_from(day.civil().year).unwrap_or(i32::MAX)
}
