//! The driver used directly: what the session's figures are compared with.
//!
//! This is not part of the session. `stoa bench cluster` measures each work as a ratio to the same
//! statements going through the driver as a careful user of it would write them: prepared once,
//! typed values in, typed rows out, at the same consistency. It counts no attempts, converts no
//! errors, and serves no other purpose.

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session as Driver;
use scylla::errors::ExecutionError;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::{Consistency, SerialConsistency};
use stoa_session::uri::ClusterAddress;
use stoa_session::{Error, ErrorKind, Outcome};

use crate::connect;
use crate::failure;
use crate::password::Password;

/// A bare driver on a cluster.
#[derive(Debug)]
pub struct BareDriver {
    driver: Driver,
}

/// A statement that a bare driver has prepared.
#[derive(Debug)]
pub struct BareStatement(PreparedStatement);

impl BareDriver {
    /// Connects with the driver's own settings, but for QUORUM and SERIAL.
    ///
    /// # Errors
    /// When there is no connection, or no such keyspace.
    pub async fn connect(
        address: &ClusterAddress,
        password: Option<&Password>,
    ) -> Result<Self, Error> {
        let profile = ExecutionProfile::builder()
            .consistency(Consistency::Quorum)
            .serial_consistency(Some(SerialConsistency::Serial))
            .build();
        let mut builder = connect::reach(address, password)?
            .default_execution_profile_handle(profile.into_handle());
        if let Some(keyspace) = &address.keyspace {
            builder = builder.use_keyspace(keyspace, true);
        }
        let driver = builder.build().await;
        let refuse = |error| failure::of_connecting(&error).with(Outcome::NotApplied);
        Ok(Self {
            driver: driver.map_err(refuse)?,
        })
    }

    /// Prepares a statement.
    ///
    /// # Errors
    /// When the server refuses it.
    pub async fn prepare(&self, text: &str) -> Result<BareStatement, Error> {
        let prepared = self.driver.prepare(text).await;
        prepared
            .map(BareStatement)
            .map_err(|error| failure::of_prepare(&error).with(Outcome::NotApplied))
    }

    /// Writes a text and a number under a partition and a place in it.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn write(
        &self,
        statement: &BareStatement,
        (partition, place, body, number): (i32, i32, &str, i64),
    ) -> Result<(), Error> {
        let values = (partition, place, body, number);
        self.execute(statement, values).await.map(drop)
    }

    /// Reads a text and a number; `None` if there is no row.
    ///
    /// # Errors
    /// When the server does not answer, or something else.
    pub async fn read(
        &self,
        statement: &BareStatement,
        partition: i32,
        place: i32,
    ) -> Result<Option<(String, i64)>, Error> {
        let rows = self.rows(statement, (partition, place)).await?;
        rows.maybe_first_row().map_err(unexpected)
    }

    /// Reads all rows of a partition: place, text and number.
    ///
    /// # Errors
    /// When the server does not answer, or something else.
    pub async fn slice(
        &self,
        statement: &BareStatement,
        partition: i32,
    ) -> Result<Vec<(i32, String, i64)>, Error> {
        let rows = self.rows(statement, (partition,)).await?;
        let rows = rows.rows().map_err(unexpected)?;
        rows.collect::<Result<_, _>>().map_err(unexpected)
    }

    /// Executes a conditional write of a number under a key; answers whether it happened.
    ///
    /// # Errors
    /// When the server does not answer, or something else.
    pub async fn apply(
        &self,
        statement: &BareStatement,
        key: i32,
        number: i32,
    ) -> Result<bool, Error> {
        let rows = self.rows(statement, (key, number)).await?;
        let row: (bool,) = rows.first_row().map_err(unexpected)?;
        Ok(row.0)
    }

    /// Adds to the counter of a key.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn add(&self, statement: &BareStatement, by: i64, key: i32) -> Result<(), Error> {
        let values = (scylla::value::Counter(by), key);
        self.execute(statement, values).await.map(drop)
    }

    async fn rows(
        &self,
        statement: &BareStatement,
        values: impl SerializeRow,
    ) -> Result<QueryRowsResult, Error> {
        let result = self.execute(statement, values).await?;
        result.into_rows_result().map_err(unexpected)
    }

    async fn execute(
        &self,
        statement: &BareStatement,
        values: impl SerializeRow,
    ) -> Result<QueryResult, Error> {
        let answered = self.driver.execute_unpaged(&statement.0, values).await;
        answered
            .map_err(|error: ExecutionError| failure::of_execution(&error).with(Outcome::Unknown))
    }
}

fn unexpected(problem: impl std::fmt::Display) -> Error {
    Error::unknown(ErrorKind::Value, problem.to_string())
}
