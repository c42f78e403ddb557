//! `stoa bench`: measures, always against a peer that does the same work in the same run.

mod child;
mod cluster;
mod data;
mod durable;
mod figure;
mod instructions;
mod memory;
mod plan;
mod printer;
mod reopen;
mod repeat;
mod single;
mod store;

use std::process::ExitCode;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Measure the store against the key-value crate under it
    Store(plan::Arguments),
    /// Measure a session on a cluster against the driver under it
    Cluster(cluster::Arguments),
    /// What the measurements run in processes of their own
    #[command(hide = true, subcommand)]
    Child(child::Child),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.subject {
        Subject::Store(arguments) => store::run(&arguments),
        Subject::Cluster(arguments) => cluster::run(&arguments),
        Subject::Child(child) => {
            child::run(&child)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
