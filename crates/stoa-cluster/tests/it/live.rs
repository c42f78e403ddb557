//! The live cluster that tests talk to, and keyspaces of their own.

use std::sync::atomic::{AtomicU32, Ordering};

use stoa_cluster::{Cluster, Password};
use stoa_session::uri::{ClusterAddress, PasswordSource};
use stoa_session::{Answer, BackEnd, Bound, Error, Rows, Session, Shortcuts, ToValues};
use stoa_testkit::cassandra;

/// The address of the cluster; `None` if tests are to be skipped.
pub(crate) fn address() -> Option<ClusterAddress> {
    let Some(uri) = cassandra::uri().unwrap_or_else(|advice| panic!("{advice}")) else {
        println!("SKIPPED: no Cassandra");
        return None;
    };
    match uri.parse() {
        Ok(BackEnd::Cluster(address)) => Some(*address),
        other => panic!("STOA_CASSANDRA is not a cql:// URI: {other:?}"),
    }
}

/// Connects, with the password that the address points to.
pub(crate) async fn connect(address: &ClusterAddress) -> Result<Cluster, Error> {
    Cluster::connect(address, password(address).as_ref()).await
}

/// The password that the address points to.
pub(crate) fn password(address: &ClusterAddress) -> Option<Password> {
    match &address.password {
        Some(PasswordSource::Environment(name)) => std::env::var(name).ok().map(Password::new),
        Some(PasswordSource::File(file)) => panic!("tests do not read {file:?}"),
        None => None,
    }
}

/// A session in a keyspace of its own, which [`Scratch::drop_keyspace`] removes.
pub(crate) struct Scratch {
    pub(crate) session: Cluster,
    pub(crate) keyspace: String,
}

impl Scratch {
    /// A new keyspace; `None` if tests are to be skipped.
    pub(crate) async fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut address = address()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let keyspace = format!("cluster_it_{}_{number}", std::process::id());
        address.keyspace = Some(keyspace.clone());
        address.replication_factor = Some(1);
        let session = connect(&address).await.expect("connects");
        Some(Self { session, keyspace })
    }

    /// Executes a statement without variables.
    pub(crate) async fn run(&self, text: &str) -> Answer {
        let answer = self.session.run_text(text).await;
        answer.unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The error of a statement without variables.
    pub(crate) async fn error(&self, text: &str) -> Error {
        self.session.run_text(text).await.expect_err(text)
    }

    /// Prepares a statement and binds values to it.
    pub(crate) async fn bind(&self, text: &str, values: impl ToValues) -> Bound {
        let prepared = self.session.prepare(text).await;
        let prepared = prepared.unwrap_or_else(|error| panic!("{text}: {error}"));
        let bound = prepared.bind(values);
        bound.unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Executes a statement with values, and answers its rows.
    pub(crate) async fn query(&self, text: &str, values: impl ToValues + Send) -> Rows {
        let answer = self.session.query(text, values).await;
        answer
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .into_rows()
    }

    /// Removes the keyspace. After a failed test it stays, for who wants to look.
    pub(crate) async fn drop_keyspace(self) {
        self.run(&format!("DROP KEYSPACE {}", self.keyspace)).await;
    }
}
