//! The embedded CQL database.
#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod describe;
pub mod refusal;
pub mod schema;
pub mod system;

pub use refusal::{Refusal, RefusalKind};
