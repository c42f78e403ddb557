//! The embedded CQL database.
#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod functions;
pub mod json;
pub mod refusal;

pub use refusal::{Refusal, RefusalKind};
