//! `stoa bench`: measures, always against a peer that does the same work in the same run.

mod child;
mod cluster;
mod compare;
mod data;
mod durable;
mod engine;
mod engine_side;
mod figure;
mod instructions;
mod memory;
mod page;
mod pair;
mod plan;
mod printer;
mod reopen;
mod repeat;
mod single;
mod spread;
mod store;
mod votes;
mod web;
mod workload;

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
    /// Measure prepared statements on the embedded database against the key-value crate under it
    Engine(engine::Arguments),
    /// Measure the embedded database beside a Cassandra cluster
    Compare(compare::Arguments),
    /// Measure a session on a cluster against the driver under it
    Cluster(cluster::Arguments),
    /// Measure the voting domain against its bare statements
    Votes(votes::Arguments),
    /// Measure pages and votes over HTTP against a bare server
    Web(web::Arguments),
    /// What the measurements run in processes of their own
    #[command(hide = true, subcommand)]
    Child(child::Child),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.subject {
        Subject::Store(arguments) => store::run(&arguments),
        Subject::Engine(arguments) => engine::run(&arguments),
        Subject::Compare(arguments) => compare::run(&arguments),
        Subject::Cluster(arguments) => cluster::run(&arguments),
        Subject::Votes(arguments) => votes::run(&arguments),
        Subject::Web(arguments) => web::run(&arguments),
        Subject::Child(child) => {
            child::run(&child)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
