//! `cargo xtask cassandra`: real Apache Cassandra for tests, on this machine.
//!
//! What other commands of xtask use is [`Cluster`](cluster::Cluster), found again by its name and left running,
//! and [`Held`], which ends with the value. [`command`] is the command line on top.

mod command;

mod cluster;
mod held;
mod settings;

mod config;
pub(crate) mod install;
pub(crate) mod java;
mod native;
mod node;
mod ports;
mod process;
mod ready;
mod watchdog;

pub(crate) use self::cluster::home;
pub(crate) use self::command::{ABOUT, Arguments, run};
pub(crate) use self::held::Held;
pub(crate) use self::settings::{Schema, Settings, Size};
