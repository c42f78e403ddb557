//! The last things that happened, formatted only when somebody asks.

use std::collections::VecDeque;

use stoa_session::{Error, Outcome};

use crate::cluster::Call;
use crate::plan::table::Table;
use crate::store::cell::Bytes;

/// The last lines of what happened.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    most: usize,
    lines: VecDeque<(u64, What)>,
}

/// Something that happened.
#[derive(Debug)]
pub(crate) enum What {
    /// A client asked for something.
    Asked {
        call: Call,
        table: std::sync::Arc<Table>,
        /// The partition; `None` for several.
        key: Option<Bytes>,
    },
    /// A client was answered.
    Answered(Call, Result<(), Error>),
    /// A conditional write was decided.
    Decided(Call, bool),
    /// A replica went down or came up.
    Replica { replica: usize, is_up: bool },
    /// A client died.
    Died(std::sync::Arc<str>),
}

impl Trace {
    /// Keeps so many lines from now on.
    pub(crate) fn keep(&mut self, lines: usize) {
        self.most = lines;
        self.lines.clear();
    }

    pub(crate) fn is_on(&self) -> bool {
        self.most > 0
    }

    pub(crate) fn note(&mut self, at_micros: u64, what: What) {
        if self.most == 0 {
            return;
        }
        if self.lines.len() >= self.most {
            self.lines.pop_front();
        }
        self.lines.push_back((at_micros, what));
    }

    /// The lines, oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lines.iter();
        lines
            .map(|(at, what)| format!("{:>14} {}", at, describe(what)))
            .collect()
    }
}

fn describe(what: &What) -> String {
    match what {
        What::Asked { call, table, key } => {
            let key = key
                .as_deref()
                .map_or_else(|| "*".to_owned(), |key| show(table, key));
            format!(
                "{} #{} {:?} {}.{} [{key}]",
                call.client, call.number, call.kind, table.keyspace, table.name
            )
        }
        What::Answered(call, Ok(())) => format!("{} #{} done", call.client, call.number),
        What::Answered(call, Err(error)) => {
            let outcome = match error.outcome() {
                Outcome::NotApplied => "not applied",
                Outcome::Unknown => "unknown",
            };
            format!(
                "{} #{} {:?}, {outcome}",
                call.client,
                call.number,
                error.kind()
            )
        }
        What::Decided(call, holds) => {
            let word = if *holds { "applied" } else { "refused" };
            format!("{} #{} decided: {word}", call.client, call.number)
        }
        What::Replica { replica, is_up } => {
            format!("replica {replica} {}", if *is_up { "up" } else { "down" })
        }
        What::Died(client) => format!("{client} died"),
    }
}

/// A partition key as text.
fn show(table: &Table, key: &[u8]) -> String {
    let parts = stoa_types::partition_key::split(key, table.partition_columns);
    let parts = parts.unwrap_or_default();
    let shown = table.partition_key().zip(parts).map(|(column, part)| {
        let value = stoa_types::native::decode(&column.data_type, part);
        value.map_or_else(
            |_| "?".to_owned(),
            |value| stoa_types::text::display(&column.data_type, &value),
        )
    });
    shown.collect::<Vec<_>>().join(", ")
}
