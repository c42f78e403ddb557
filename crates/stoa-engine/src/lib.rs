//! The embedded CQL database.
#![doc = include_str!("../README.md")]

mod alarms;
mod at_once;
pub mod catalog;
mod consistency;
mod database;
mod deadline;
mod derived;
pub mod describe;
mod execute;
mod failure;
pub mod functions;
pub mod json;
pub mod refusal;
mod restrict;
mod rows;
pub mod schema;
mod select;
mod session;
mod statement;
mod statements;
pub mod system;
mod terms;
mod workers;
mod write;

pub use database::Database;
pub use failure::Failure;
pub use refusal::{Refusal, RefusalKind};
pub use session::Embedded;
