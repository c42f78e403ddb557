//! `cargo xtask cassandra`: real Apache Cassandra for tests, on this machine.
//!
//! A [`cluster::Cluster`] is found again by its name. [`command`] is the command line on top.

mod command;

mod cluster;
mod settings;

mod config;
mod install;
mod java;
mod native;
mod node;
mod ports;
mod process;
mod ready;
mod watchdog;

pub(crate) use self::command::{ABOUT, Arguments, run};
