//! Pieces of the statements that DESCRIBE answers.

use std::collections::BTreeMap;

use stoa_types::text::identifier::quoted;

use super::Element;

/// A text as a CQL string.
pub(super) fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A map of texts as CQL.
pub(super) fn map(entries: &BTreeMap<String, String>) -> String {
    let entries = entries.iter();
    let entries: Vec<_> = entries
        .map(|(key, value)| format!("{}: {}", string(key), string(value)))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

/// A name with its keyspace.
pub(super) fn qualified(keyspace: &str, name: &str) -> String {
    format!("{}.{}", quoted(keyspace), quoted(name))
}

/// An element that is only named.
pub(super) fn named(keyspace: &str, kind: &'static str, name: &str) -> Element {
    Element {
        keyspace: keyspace.to_owned(),
        kind,
        name: name.to_owned(),
        statement: String::new(),
    }
}
