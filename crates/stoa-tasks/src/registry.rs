//! `task_instances`: which instances live.
//!
//! Each writes a row of its own and writes it again every two minutes; the store forgets it after
//! five. So an instance that dies is missed within five minutes, and nobody has to declare it dead.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::Timestamp;
use uuid::Uuid;

use crate::tables::{Base, SCOPE, quorum, write};

/// How long an instance counts as living after it was last heard of.
pub const LIVES: Duration = Duration::from_secs(300);

/// How often an instance says that it lives: twice within [`LIVES`], so that one write may fail.
pub const REFRESHED: Duration = Duration::from_secs(120);

/// An instance that lives.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub struct Instance {
    /// Its name: new with each start, because containers share addresses.
    #[cql(rename = "instance")]
    pub id: Uuid,
    /// The version of the program.
    #[cql(default)]
    pub version: String,
    /// When it started.
    #[cql(default)]
    pub started: Option<Timestamp>,
    /// How busy it is; 1 is all it can do.
    #[cql(default)]
    pub load: f64,
}

/// The table.
#[derive(Debug)]
pub struct InstanceTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    delete: Prepared,
    all: Prepared,
}

impl InstanceTable {
    pub(crate) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let insert = format!(
            "INSERT INTO {{ks}}.task_instances (scope, instance, version, started, load) \
             VALUES (?, ?, ?, ?, ?) USING TTL {}",
            LIVES.as_secs()
        );
        Ok(Self {
            session: base.session(),
            insert: base.prepare(&insert).await?,
            delete: base
                .prepare("DELETE FROM {ks}.task_instances WHERE scope = ? AND instance = ?")
                .await?,
            all: base
                .prepare(
                    "SELECT instance, version, started, load FROM {ks}.task_instances \
                     WHERE scope = ?",
                )
                .await?,
        })
    }

    /// Says that an instance lives, for the next five minutes.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn register(&self, instance: &Instance, at_micros: i64) -> Result<(), Error> {
        let Instance {
            id,
            version,
            started,
            load,
        } = instance;
        let values = (SCOPE, *id, version, *started, *load);
        write(&*self.session, &self.insert, values, at_micros).await
    }

    /// Says that an instance lives no more. What it wrote earlier and arrives later stays hidden.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn leave(&self, id: Uuid, at_micros: i64) -> Result<(), Error> {
        write(&*self.session, &self.delete, (SCOPE, id), at_micros).await
    }

    /// Every instance that lives.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn live(&self) -> Result<Vec<Instance>, Error> {
        let bound = self.all.bind((SCOPE,))?.with(quorum());
        self.session.all(&bound).await
    }
}
