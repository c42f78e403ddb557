//! The embedded engine as one side: in memory or on disk, and disturbed now and then.

use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::Reply;
use stoa_store::{CommitMode, Options, Store};
use stoa_testkit::conformance::Waiter;
use stoa_testkit::rng::Rng;
use stoa_types::clock::{Clock, ManualClock, SeededIds};
use tempfile::TempDir;

/// Where the engine keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Memory,
    Disk,
}

/// An engine with a clock that only moves when it is told to.
pub(crate) struct Engine {
    pub(crate) database: Database,
    clock: Arc<ManualClock>,
    folder: Option<TempDir>,
}

impl Engine {
    pub(crate) fn new(place: Place, now_micros: i64) -> Result<Self, String> {
        let folder = match place {
            Place::Memory => None,
            Place::Disk => Some(tempfile::tempdir().map_err(|it| it.to_string())?),
        };
        let clock = Arc::new(ManualClock::at_micros(now_micros));
        let database = open(folder.as_ref(), &clock)?;
        Ok(Self {
            database,
            clock,
            folder,
        })
    }

    /// Flushes, compacts or opens anew; nothing that is asked may change.
    pub(crate) fn disturb(&mut self, rng: &mut Rng) -> Result<&'static str, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let store = self.database.store();
        match rng.below(3) {
            0 => {
                store.flush().map_err(|it| told(&it))?;
                Ok("flush")
            }
            1 => {
                store.flush().map_err(|it| told(&it))?;
                store.purge().map_err(|it| told(&it))?;
                Ok("flush and purge")
            }
            _ if self.folder.is_some() => {
                self.database.close().map_err(|it| told(&it))?;
                self.database = open(self.folder.as_ref(), &self.clock)?;
                Ok("reopening")
            }
            _ => Ok("nothing"),
        }
    }
}

impl Waiter for Engine {
    fn wait(&self, time: Duration) -> Reply<'_, ()> {
        self.clock.advance(time);
        Box::pin(async { Ok(()) })
    }
}

fn open(folder: Option<&TempDir>, clock: &Arc<ManualClock>) -> Result<Database, String> {
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let options = Options {
        commit_mode: CommitMode::Periodic {
            every: Duration::from_secs(10),
        },
        ..Options::default()
    };
    let store = match folder {
        Some(folder) => Store::open(folder.path(), options, Arc::clone(&shared)),
        None => Store::memory(options, Arc::clone(&shared)),
    };
    let store = store.map_err(|error| error.to_string())?;
    let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&shared)));
    Database::with_store(store, shared, ids).map_err(|error| error.to_string())
}
