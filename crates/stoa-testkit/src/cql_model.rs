//! A plain model of Cassandra's CQL: a second opinion to compare the embedded engine with.
//!
//! It interprets the trees of `stoa-cql` over maps and vectors, is a [`Session`], and so runs
//! every conformance script. It was written from Cassandra's rules and answers, without a look at
//! the engine, so that the two do not share a mistake.
//!
//! What it does not know it says: an error with the code [`NOT_MODELLED`], which no server sends
//! and which is never agreement. After a write that it does not know, it knows nothing of that
//! table until the table is truncated or dropped.
//!
//! Invariants:
//! 1. Its time is the clock it was given.
//! 2. A statement that fails changes nothing but such doubts.
//! 3. It knows by `doubt` that it does not know, and never guesses.
//!
//! Reading order: `row` and `partition` keep what was written, `view` shows it at a moment,
//! `world` and `schema` have tables; `terms` makes values, `restriction` and `plan` read a WHERE,
//! `select` answers; `assign`, `target` and `write` work out writes, `condition` and
//! `conditional` those with an IF, `batch` several; `session` is the outside.
//!
//! [`Session`]: stoa_session::Session

mod aggregate;
mod assign;
mod batch;
mod condition;
mod conditional;
mod failure;
mod partition;
mod plan;
mod restriction;
mod row;
mod schema;
mod select;
mod selector;
mod session;
mod target;
mod terms;
mod user_types;
mod value;
mod variables;
mod view;
mod world;
mod write;

pub use failure::NOT_MODELLED;
pub use session::{CqlModel, is_not_modelled};
