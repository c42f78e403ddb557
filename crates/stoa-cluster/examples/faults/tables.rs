//! The tables that clients write to, and each thing they do, as one call.

use std::num::NonZeroU32;
use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_session::{Applied, Consistency, Error, Options, Prepared, Session, Shortcuts};
use stoa_testkit::history::register::SetOutcome;

/// How long an answer may take. Two seconds are promised; the rest is for the way.
pub(crate) const DEADLINE: Duration = Duration::from_millis(1_500);

const PAGE: NonZeroU32 = NonZeroU32::new(1_000).expect("not zero");

/// A session and its prepared statements.
pub(crate) struct Tables {
    session: Cluster,
    save: Prepared,
    find: Prepared,
    append: Prepared,
    list: Prepared,
    set: Prepared,
    get: Prepared,
    all_saves: Prepared,
    all_lists: Prepared,
}

/// A new table's reads wait half the read timeout, which is 2.5 s, for a replica that is gone before
/// another one is asked, until Cassandra has seen enough of them. Conditional writes read, too.
const SCHEMA: [&str; 6] = [
    "DROP KEYSPACE IF EXISTS faults",
    "CREATE KEYSPACE faults WITH replication = \
     {'class': 'SimpleStrategy', 'replication_factor': 3}",
    "USE faults",
    "CREATE TABLE saves (client int, number int, tag bigint, PRIMARY KEY (client, number)) \
     WITH speculative_retry = '50ms'",
    "CREATE TABLE lists (client int PRIMARY KEY, tags list<bigint>) \
     WITH speculative_retry = '50ms'",
    "CREATE TABLE registers (k int PRIMARY KEY, v bigint) WITH speculative_retry = '50ms'",
];

impl Tables {
    pub(crate) async fn make(session: Cluster) -> Result<Self, Error> {
        for statement in SCHEMA {
            session.run_text(statement).await?;
        }
        let prepare = |text| session.prepare(text);
        Ok(Self {
            save: prepare("INSERT INTO saves (client, number, tag) VALUES (?, ?, ?)").await?,
            find: prepare("SELECT tag FROM saves WHERE client = ? AND number = ?").await?,
            append: prepare("UPDATE lists SET tags = tags + ? WHERE client = ?").await?,
            list: prepare("SELECT tags FROM lists WHERE client = ?").await?,
            set: prepare("UPDATE registers SET v = ? WHERE k = ? IF v = ?").await?,
            get: prepare("SELECT v FROM registers WHERE k = ?").await?,
            all_saves: prepare("SELECT client, number FROM saves").await?,
            all_lists: prepare("SELECT client, tags FROM lists").await?,
            session,
        })
    }

    /// Saves a row. Doing it twice is as good as once.
    pub(crate) async fn save(&self, client: i32, number: i32) -> Result<(), Error> {
        let bound = self.save.bind((client, number, i64::from(number)))?;
        let bound = bound.with(Options::new().idempotent().deadline(DEADLINE));
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// Whether a row is there.
    pub(crate) async fn has_saved(&self, client: i32, number: i32) -> Result<bool, Error> {
        let bound = self.find.bind((client, number))?;
        let bound = bound.with(Options::new().idempotent().deadline(DEADLINE));
        let found: Option<(i64,)> = self.session.first(&bound).await?;
        Ok(found.is_some())
    }

    /// Appends to a list: done twice, the tag is there twice.
    pub(crate) async fn append(&self, client: i32, tag: i64) -> Result<(), Error> {
        let bound = self.append.bind((vec![tag], client))?;
        let bound = bound.with(Options::new().deadline(DEADLINE));
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// What a client's list holds.
    pub(crate) async fn list(&self, client: i32) -> Result<Vec<i64>, Error> {
        let bound = self.list.bind((client,))?;
        let bound = bound.with(Options::new().idempotent().deadline(DEADLINE));
        let found: Option<(Option<Vec<i64>>,)> = self.session.first(&bound).await?;
        Ok(found.and_then(|(tags,)| tags).unwrap_or_default())
    }

    /// Reads a register, after every conditional write that was answered.
    pub(crate) async fn get(&self, key: i32) -> Result<Option<u64>, Error> {
        let options = Options::new()
            .consistency(Consistency::Serial)
            .deadline(DEADLINE);
        let bound = self.get.bind((key,))?.with(options);
        let found: Option<(Option<i64>,)> = self.session.first(&bound).await?;
        Ok(found.and_then(|(value,)| value).map(i64::cast_unsigned))
    }

    /// Sets a register if it holds what is expected.
    pub(crate) async fn set(
        &self,
        key: i32,
        expected: Option<u64>,
        new: u64,
    ) -> Result<SetOutcome, Error> {
        let values = (new.cast_signed(), key, expected.map(u64::cast_signed));
        let bound = self
            .set
            .bind(values)?
            .with(Options::new().deadline(DEADLINE));
        match self.session.apply(&bound).await? {
            Applied::Yes => Ok(SetOutcome::Applied),
            Applied::No(rows) => {
                let seen = rows
                    .first()
                    .and_then(|row| row.get::<Option<i64>>("v").ok());
                let seen = seen.flatten().map(i64::cast_unsigned);
                Ok(SetOutcome::Refused { seen })
            }
        }
    }

    /// Every row that is saved, as every replica together knows it.
    pub(crate) async fn all_saves(&self) -> Result<Vec<(i32, i32)>, Error> {
        let options = Options::new()
            .consistency(Consistency::All)
            .page_size(PAGE)
            .idempotent();
        self.session
            .all(&self.all_saves.bind(())?.with(options))
            .await
    }

    /// Every list.
    pub(crate) async fn all_lists(&self) -> Result<Vec<(i32, Option<Vec<i64>>)>, Error> {
        let options = Options::new()
            .consistency(Consistency::All)
            .page_size(PAGE)
            .idempotent();
        self.session
            .all(&self.all_lists.bind(())?.with(options))
            .await
    }
}
