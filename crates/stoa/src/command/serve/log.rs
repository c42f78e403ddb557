//! The log, on standard error: lines for whoever sits before it, objects of JSON for machines.

use std::io::IsTerminal as _;

use clap::ValueEnum;

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::command) enum LogForm {
    /// Lines for people
    Text,
    /// An object of JSON for each line
    Json,
}

/// Begins it. If nothing is said, people get lines: those who see it on a terminal.
pub(in crate::command) fn begin(wanted: Option<LogForm>) {
    let form = wanted.unwrap_or_else(|| match std::io::stderr().is_terminal() {
        true => LogForm::Text,
        false => LogForm::Json,
    });
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO);
    match form {
        LogForm::Text => builder.init(),
        LogForm::Json => builder.json().flatten_event(true).init(),
    }
}
