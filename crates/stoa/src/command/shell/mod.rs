//! `stoa shell`: statements from the command line, a file, a pipe or a person, on any back end.

mod command;
mod complete;
mod copy;
mod copy_options;
mod csv;
mod csv_value;
mod describe;
mod execute;
mod help;
mod interactive;
mod interrupt;
mod names;
mod obey;
mod output;
mod result;
mod script;
mod table;
mod transfer;
mod trouble;
mod words;

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{ArgGroup, Args, ValueEnum};
use stoa_session::BackEnd;

use self::execute::{Shell, Source};
use crate::connect::{self, Place};

const LONG_ABOUT: &str = "\
Type CQL and see what it answers; or run a script of it.

Statements come from -e, from -f, from a pipe, or, on a terminal, from a person. Results are
printed as cqlsh prints them, or as JSON or CSV for programs.

Without --data or --store nothing is kept: the database is in memory and gone when the shell ends.

A statement that fails does not stop the ones after it. Errors are told on standard error; where
the text is not CQL, a caret stands under the place. The exit code is 0 if every statement was
executed and 1 if one was not.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    group(ArgGroup::new("back_end").args(["data", "memory", "store"])),
    after_help = "Examples:\n  \
        stoa shell                                try things out; nothing is kept\n  \
        stoa shell --data data                    on the database in folder data\n  \
        stoa shell --store cql://127.0.0.1/votes  on a Cassandra cluster\n  \
        stoa shell --data data -f schema.cql      run a script\n  \
        stoa shell --data data -e 'SELECT * FROM votes.users' --format json\n  \
        echo 'DESCRIBE KEYSPACES;' | stoa shell --data data"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Execute these statements and end; the last one needs no semicolon
    #[arg(short, long, value_name = "CQL", conflicts_with = "file")]
    execute: Option<String>,
    /// Execute the statements in this file and end
    #[arg(short, long)]
    file: Option<PathBuf>,
    /// How rows are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table, as cqlsh prints it
    Table,
    /// One JSON object a line, with values as SELECT JSON writes them
    Json,
    /// Comma-separated values, with a line of names before them
    Csv,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let back_end = back_end(arguments)?;
    let runtime = connect::runtime()?;
    let connection = runtime.block_on(connect::back_end(&back_end))?;
    let keyspace = match back_end {
        BackEnd::Cluster(address) => address.keyspace,
        BackEnd::Memory | BackEnd::File(_) => None,
    };
    let mut shell = Shell::new(connection.session.clone(), runtime, arguments.format);
    shell.keyspace = keyspace;
    feed(&mut shell, arguments)?;
    shell.output.end_capture()?;
    let is_well = shell.failures == 0;
    drop(shell);
    connection.close()?;
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn back_end(arguments: &Arguments) -> anyhow::Result<BackEnd> {
    if let Some(named) = arguments.place.back_end()? {
        return Ok(named);
    }
    output::say("nothing is kept when the shell ends; --data DIR keeps it in a folder")?;
    Ok(BackEnd::Memory)
}

/// Executes what the command line says.
fn feed(shell: &mut Shell, arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(text) = &arguments.execute {
        return shell.run_script(text, &Source::Argument);
    }
    if let Some(file) = &arguments.file {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        return shell.run_script(&text, &Source::Named(file.display().to_string()));
    }
    if std::io::stdin().is_terminal() {
        return interactive::run(shell);
    }
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.context("cannot read standard input")?;
    shell.run_script(&text, &Source::Named("stdin".to_owned()))
}
