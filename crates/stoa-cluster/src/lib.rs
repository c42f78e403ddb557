//! A session on a Cassandra cluster.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod attempts;
pub mod baseline;
mod cache;
mod cluster;
mod columns;
mod connect;
mod failure;
pub mod health;
mod nature;
mod options;
mod password;
mod retries;
mod rows;
mod tls;
mod values;
mod words;

pub use cluster::Cluster;
pub use connect::DEFAULT_DEADLINE;
pub use password::Password;
