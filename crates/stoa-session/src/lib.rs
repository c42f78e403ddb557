//! The waist: what every CQL back end can do, and how programs talk to it.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod answer;
pub mod bind;
pub mod column;
pub mod error;
pub mod from_cql;
pub mod options;
pub mod pages;
pub mod retry;
pub mod rows;
pub mod session;
pub mod shortcuts;
pub mod statement;
pub mod to_cql;
pub mod uri;

pub use answer::{Answer, Body, PagingState, SchemaChange};
pub use bind::{BoundValues, ToValues};
pub use column::Column;
pub use error::{Error, ErrorKind, Outcome};
pub use from_cql::FromCql;
pub use options::{Consistency, Options, SerialConsistency};
pub use rows::{FromRow, Row, Rows};
pub use session::{Reply, Session};
pub use shortcuts::{Applied, Shortcuts};
pub use statement::{Batch, BatchKind, Bound, Prepared, Statement};
pub use stoa_session_derive::{FromCql, FromRow, ToCql, ToValues};
/// A CQL type; what the derives are written with.
pub use stoa_types::DataType;
pub use to_cql::ToCql;
pub use uri::BackEnd;
