//! The commands, one file each.

pub(crate) mod admin;
pub(crate) mod backup;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod check_cluster;
pub(crate) mod cql;
pub(crate) mod dump;
pub(crate) mod load;
mod replication;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod sim;
mod term_value;
pub(crate) mod votes;

use std::process::ExitCode;

use clap::Subcommand;

/// What the user asked for.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the web app of a community
    Serve(serve::Arguments),
    /// Open a database to CQL drivers and cqlsh
    Cql(cql::Arguments),
    /// Copy a database into a folder, also while it is served
    Backup(backup::Arguments),
    /// Put a backup into a folder to be served
    Restore(restore::Arguments),
    /// Administer a community: people, roles, what holds, mail that waits
    Admin(admin::Arguments),
    /// Type CQL, or run a script of it
    Shell(shell::Arguments),
    /// Write a whole database as CQL text
    Dump(dump::Arguments),
    /// Read a dump into a database
    Load(load::Arguments),
    /// Read everything in a store and say what is damaged
    Check(check::Arguments),
    /// Look at a Cassandra cluster and say what is fine and what to change
    CheckCluster(check_cluster::Arguments),
    /// Count, check and close votes
    Votes(votes::Arguments),
    /// Measure
    Bench(bench::Arguments),
    /// Run real code on a simulated cluster, from one seed
    Sim(sim::Arguments),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Serve(arguments) => serve::run(arguments),
            Self::Cql(arguments) => cql::run(&arguments),
            Self::Backup(arguments) => backup::run(&arguments),
            Self::Restore(arguments) => restore::run(&arguments),
            Self::Admin(arguments) => admin::run(&arguments),
            Self::Shell(arguments) => shell::run(&arguments),
            Self::Dump(arguments) => dump::run(&arguments),
            Self::Load(arguments) => load::run(&arguments),
            Self::Check(arguments) => check::run(&arguments),
            Self::CheckCluster(arguments) => check_cluster::run(&arguments),
            Self::Votes(arguments) => votes::run(&arguments),
            Self::Bench(arguments) => bench::run(arguments),
            Self::Sim(arguments) => sim::run(&arguments),
        }
    }
}
