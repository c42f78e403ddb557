//! The embedded database on a TCP port.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answer;
mod connection;
mod execute;
mod failure;
mod options;
mod outbox;
mod prepared;
pub mod server;
mod startup;

pub use server::{Limits, serve, serve_within};
