//! `days`: which days are being closed, and which are closed. Written by conditional writes alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, decide, quorum, serial};
use crate::model::{Day, SnapshotId};
use crate::rules::public_ledger::LedgerHash;

/// The state of a day. A day without a row is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayState {
    /// Votes may be counted for it.
    Open,
    /// No more votes; those that were begun are being settled.
    Closing,
    /// Nothing of it changes any more.
    Closed,
}

impl DayRow {
    fn closed(&self) -> Option<(SnapshotId, LedgerHash)> {
        let is_closed = DayState::of_name(self.state.as_deref()) == DayState::Closed;
        let hash = LedgerHash::of_bytes(self.hash.as_deref()?)?;
        self.snapshot.filter(|_| is_closed).zip(Some(hash))
    }
}

impl DayState {
    fn of_name(name: Option<&str>) -> Self {
        match name {
            Some("closing") => Self::Closing,
            Some("closed") => Self::Closed,
            _ => Self::Open,
        }
    }
}

/// The row that holds the first day.
const FIRST: (i32, Day) = (0, Day(0));

#[derive(FromRow)]
struct DayRow {
    day: Day,
    state: Option<String>,
    snapshot: Option<SnapshotId>,
    hash: Option<Vec<u8>>,
}

#[derive(FromRow)]
struct FirstRow {
    first: Option<Day>,
}

/// The table.
#[derive(Debug)]
pub struct DaysTable {
    session: Arc<dyn Session>,
    one: Prepared,
    after: Prepared,
    first: Prepared,
    set_first: Prepared,
    begin: Prepared,
    end: Prepared,
}

impl DaysTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            one: base
                .prepare(
                    "SELECT day, state, snapshot, hash FROM {ks}.days WHERE year = ? AND day = ?",
                )
                .await?,
            after: base
                .prepare(
                    "SELECT day, state, snapshot, hash FROM {ks}.days WHERE year = ? AND day > ?",
                )
                .await?,
            first: base
                .prepare("SELECT first FROM {ks}.days WHERE year = ? AND day = ?")
                .await?,
            set_first: base
                .prepare("INSERT INTO {ks}.days (year, day, first) VALUES (?, ?, ?) IF NOT EXISTS")
                .await?,
            begin: base
                .prepare(
                    "INSERT INTO {ks}.days (year, day, state) VALUES (?, ?, 'closing') \
                     IF NOT EXISTS",
                )
                .await?,
            end: base
                .prepare(
                    "UPDATE {ks}.days SET state = 'closed', snapshot = ?, hash = ? \
                     WHERE year = ? AND day = ? IF state = 'closing'",
                )
                .await?,
        })
    }

    /// The first day there is; made this one if there is none yet.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn first(&self, otherwise: Day) -> Result<Day, Error> {
        if let Some(first) = self.known_first().await? {
            return Ok(first);
        }
        let values = (FIRST.0, FIRST.1, otherwise);
        let tried = decide(&*self.session, &self.set_first, values).await;
        match (self.known_first().await?, tried) {
            (Some(first), _) => Ok(first),
            (None, Err(error)) => Err(error),
            (None, Ok(_)) => Ok(otherwise),
        }
    }

    async fn known_first(&self) -> Result<Option<Day>, Error> {
        let bound = self.first.bind(FIRST)?.with(serial());
        let row = self.session.first::<FirstRow>(&bound).await?;
        Ok(row.and_then(|row| row.first))
    }

    /// The state of a day, as every acknowledged change says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn state(&self, day: Day) -> Result<DayState, Error> {
        Ok(self.read(day, quorum()).await?.0)
    }

    /// The state of a day and the result that holds; no change of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, day: Day) -> Result<(DayState, Option<SnapshotId>), Error> {
        self.read(day, serial()).await
    }

    async fn read(
        &self,
        day: Day,
        options: stoa_session::Options,
    ) -> Result<(DayState, Option<SnapshotId>), Error> {
        let bound = self.one.bind((year(day), day))?.with(options);
        let row = self.session.first::<DayRow>(&bound).await?;
        Ok(row.map_or((DayState::Open, None), |row| {
            (DayState::of_name(row.state.as_deref()), row.snapshot)
        }))
    }

    /// The last day up to which all are closed, where those up to `known` are.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn closed_through(&self, known: Day) -> Result<Day, Error> {
        let mut through = known;
        loop {
            let next = through.next();
            let bound = self.after.bind((year(next), through))?.with(quorum());
            let rows = self.session.all::<DayRow>(&bound).await?;
            for row in &rows {
                let is_closed = DayState::of_name(row.state.as_deref()) == DayState::Closed;
                if row.day == through.next() && is_closed {
                    through = row.day;
                }
            }
            if through < next || year(through.next()) == year(next) {
                return Ok(through);
            }
        }
    }

    /// Marks a day as being closed.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn begin_closing(&self, day: Day) -> Result<bool, Error> {
        decide(&*self.session, &self.begin, (year(day), day)).await
    }

    /// Rule close-in-order: closes a day with the result of one closer, and the hash of its lines in
    /// the public ledger.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn close(
        &self,
        day: Day,
        snapshot: SnapshotId,
        hash: LedgerHash,
    ) -> Result<bool, Error> {
        let values = (snapshot, hash.0.as_slice(), year(day), day);
        decide(&*self.session, &self.end, values).await
    }

    /// The result that holds of a closed day, and its hash.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn closed(&self, day: Day) -> Result<Option<(SnapshotId, LedgerHash)>, Error> {
        let bound = self.one.bind((year(day), day))?.with(quorum());
        let row = self.session.first::<DayRow>(&bound).await?;
        Ok(row.and_then(|row| row.closed()))
    }

    /// The hashes of the closed days in the year of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hashes_in_year(&self, of: Day) -> Result<BTreeMap<Day, LedgerHash>, Error> {
        let bound = self.after.bind((year(of), Day(0)))?.with(quorum());
        let rows = self.session.all::<DayRow>(&bound).await?;
        let closed = rows.into_iter();
        let closed = closed.filter_map(|row| Some((row.day, row.closed()?.1)));
        Ok(closed.collect())
    }

    /// The results that hold of the closed days in the year of a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn closed_in_year(&self, of: Day) -> Result<BTreeMap<Day, SnapshotId>, Error> {
        let bound = self.after.bind((year(of), Day(0)))?.with(quorum());
        let rows = self.session.all::<DayRow>(&bound).await?;
        let closed = rows.into_iter();
        let closed = closed.filter_map(|row| Some((row.day, row.closed()?.0)));
        Ok(closed.collect())
    }
}

fn year(day: Day) -> i32 {
    i32::try_from(day.civil().year).unwrap_or(i32::MAX)
}
