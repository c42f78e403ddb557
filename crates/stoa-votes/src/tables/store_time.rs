//! What time it is where the store is: of a cluster, at the node that is asked. Nothing is written.

use std::sync::Arc;

use stoa_session::{Consistency, Error, ErrorKind, FromRow, Options, Prepared, Session, Shortcuts};
use stoa_types::Timestamp;

use super::Base;

#[derive(FromRow)]
struct TimeRow {
    time: Timestamp,
}

/// The store's clock.
#[derive(Debug)]
pub struct StoreTime {
    session: Arc<dyn Session>,
    now: Prepared,
}

impl StoreTime {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            now: base
                .prepare("SELECT totimestamp(now()) AS time FROM system.local")
                .await?,
        })
    }

    /// What it shows, in milliseconds since 1970.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn now_millis(&self) -> Result<i64, Error> {
        let options = Options::new().consistency(Consistency::One).idempotent();
        let bound = self.now.bind(())?.with(options);
        let found: Option<TimeRow> = self.session.first(&bound).await?;
        let what = "the store does not tell the time";
        let found = found.ok_or_else(|| Error::not_applied(ErrorKind::Server, what))?;
        Ok(found.time.0)
    }
}
