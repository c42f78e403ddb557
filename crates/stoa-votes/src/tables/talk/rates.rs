//! `rates`: how often somebody did something since an hour. By conditional writes alone, so that no
//! number of requests at once gets past a limit; it expires after two days.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use crate::tables::{Base, decide, serial};

#[derive(FromRow)]
struct RateRow {
    times: Option<i32>,
}

/// The table.
#[derive(Debug)]
pub struct RateTable {
    session: Arc<dyn Session>,
    read: Prepared,
    raise: Prepared,
}

impl RateTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            read: base
                .prepare("SELECT times FROM {ks}.rates WHERE who = ? AND hour = ?")
                .await?,
            raise: base
                .prepare(
                    "UPDATE {ks}.rates USING TTL 172800 SET times = ? WHERE who = ? AND hour = ? \
                     IF times = ?",
                )
                .await?,
        })
    }

    /// How often somebody did something since an hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, who: &str, hour: i64) -> Result<Option<i32>, Error> {
        let bound = self.read.bind((who, hour))?.with(serial());
        let row = self.session.first::<RateRow>(&bound).await?;
        Ok(row.and_then(|row| row.times))
    }

    /// Counts once more, if nobody did since it was read; whether it counts.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn raise(&self, who: &str, hour: i64, seen: Option<i32>) -> Result<bool, Error> {
        let times = seen.unwrap_or(0).saturating_add(1);
        decide(&*self.session, &self.raise, (times, who, hour, seen)).await
    }
}
