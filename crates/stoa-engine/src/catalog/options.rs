//! The options of a table: what `WITH` sets.

use std::collections::BTreeMap;

/// The options of a table, all with Cassandra's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct TableOptions {
    /// Seconds for which deletions are kept.
    pub gc_grace_seconds: i32,
    /// The TTL of writes that give none, in seconds; zero for none.
    pub default_time_to_live: i32,
    /// Words for people.
    pub comment: String,
    /// All others, by name, as they are shown.
    pub others: BTreeMap<String, String>,
}
