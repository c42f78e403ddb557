//! `cargo xtask cassandra`: real Apache Cassandra for tests, on this machine.
//!
//! Other commands of xtask use a [`Cluster`](cluster::Cluster), which is found again by its name
//! and left running, or a [`Held`](held::Held) one, which ends with the value. [`command`] is the
//! command line on top.

mod command;

pub(crate) mod cluster;
pub(crate) mod held;
pub(crate) mod settings;

pub(crate) mod install;
pub(crate) mod java;

mod certificate;
mod config;
mod native;
mod node;
mod ports;
mod process;
mod ready;
mod watchdog;

pub(crate) use self::command::{ABOUT, Arguments, run};
