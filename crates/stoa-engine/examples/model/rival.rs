//! The embedded database on trial against the model of CQL.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::Session;
use stoa_store::{CommitMode, Options, Store};
use stoa_testkit::trial::{Rival, Upset};
use stoa_types::clock::{Clock, ManualClock, SeededIds};

/// An embedded database, in memory or in a folder.
pub(crate) struct Embedded {
    folder: Option<PathBuf>,
    clock: Arc<ManualClock>,
    database: Option<Database>,
    /// How often it was opened: ids must not come again.
    openings: u64,
}

impl Embedded {
    /// Opens a database; without a folder it is in memory.
    pub(crate) fn open(folder: Option<PathBuf>, clock: &Arc<ManualClock>) -> Result<Self, String> {
        let mut embedded = Self {
            folder,
            clock: Arc::clone(clock),
            database: None,
            openings: 0,
        };
        embedded.database = Some(embedded.opened()?);
        Ok(embedded)
    }

    fn opened(&mut self) -> Result<Database, String> {
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&self.clock);
        let options = Options {
            commit_mode: CommitMode::Periodic {
                every: Duration::from_secs(10),
            },
            ..Options::default()
        };
        let store = match &self.folder {
            Some(folder) => Store::open(folder, options, Arc::clone(&clock)),
            None => Store::memory(options, Arc::clone(&clock)),
        };
        let store = store.map_err(|error| error.to_string())?;
        self.openings += 1;
        let ids = Arc::new(SeededIds::with_clock(self.openings, Arc::clone(&clock)));
        Database::with_store(store, clock, ids).map_err(|error| error.to_string())
    }

    fn database(&self) -> &Database {
        self.database.as_ref().expect("it is open between upsets")
    }
}

impl Rival for Embedded {
    fn session(&self) -> Box<dyn Session> {
        Box::new(self.database().session())
    }

    fn upset(&mut self, upset: Upset) -> Result<(), String> {
        let store = self.database().store();
        let done = match upset {
            Upset::Flush => store.flush(),
            Upset::Compact => store.purge(),
            Upset::Reopen if self.folder.is_none() => store.flush(),
            Upset::Reopen => {
                let database = self.database.take().expect("it is open between upsets");
                database.close().map_err(|error| error.to_string())?;
                drop(database);
                self.database = Some(self.opened()?);
                return Ok(());
            }
        };
        done.map_err(|error| error.to_string())
    }
}
