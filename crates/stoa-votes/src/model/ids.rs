//! Identifiers, one type for each kind of thing, so that none stands where another belongs.

use std::fmt;

use stoa_session::bind::ValueError;
use stoa_session::to_cql::Presence;
use stoa_session::{DataType, FromCql, ToCql};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::refusal::Refusal;

macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl ToCql for $name {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                self.0.write_cql(data_type, out)
            }
        }

        impl FromCql<'_> for $name {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                <Uuid as FromCql>::check(data_type)
            }

            fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
                <Uuid as FromCql>::from_bytes(data_type, bytes).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    /// A person's account.
    UserId;
    /// A policy; a time UUID.
    PolicyId;
    /// One record of a user's chain; a time UUID.
    VoteVersion;
    /// What a client calls one request, so that it can ask again.
    RequestId;
    /// What one closer computed of a day.
    SnapshotId;
    /// A comment; a time UUID.
    CommentId;
    /// A tag; the same for the same first name.
    TagId;
}

impl RequestId {
    /// What a client calls a request, as text.
    ///
    /// # Errors
    /// That it is no identifier.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let uuid = Uuid::try_parse(text).map_err(|_| Refusal::MalformedRequest)?;
        match uuid.is_nil() {
            true => Err(Refusal::MalformedRequest),
            false => Ok(Self(uuid)),
        }
    }
}

impl PolicyId {
    /// When it was made, by the clock of who made it, in microseconds since 1970.
    #[must_use]
    pub fn made_at_micros(self) -> i64 {
        time_uuid::unix_micros(&self.0).unwrap_or(0)
    }
}

impl CommentId {
    /// When it was written, in microseconds since 1970.
    #[must_use]
    pub fn made_at_micros(self) -> i64 {
        time_uuid::unix_micros(&self.0).unwrap_or(0)
    }
}

impl VoteVersion {
    /// When it was made, by the clock of who made it, in microseconds since 1970.
    #[must_use]
    pub fn made_at_micros(self) -> i64 {
        time_uuid::unix_micros(&self.0).unwrap_or(0)
    }
}
