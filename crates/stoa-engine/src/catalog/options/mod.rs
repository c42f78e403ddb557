//! The options of a table: what `WITH` sets.
//!
//! They are kept as Cassandra keeps them: checked, with defaults filled in, and in the form in
//! which `system_schema` and `DESCRIBE` show them. Only few of them mean something to us: the grace
//! of deletions, the default TTL and the comment. The others are kept because drivers, tools and
//! people read them back.

pub mod compaction;
pub mod compression;
pub mod java;
pub mod properties;
mod read;
pub mod speculative_retry;
mod unified;

use std::collections::BTreeMap;
use std::fmt;

pub use read::{MAX_TIME_TO_LIVE, read_id};

/// The options of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableOptions {
    /// When a slow write goes to another replica too.
    pub additional_write_policy: SpeculativeRetry,
    /// Whether Cassandra would keep a copy of dropped and truncated tables.
    pub allow_auto_snapshot: bool,
    /// How often a Bloom filter may err.
    pub bloom_filter_fp_chance: f64,
    /// What Cassandra would keep in memory.
    pub caching: Caching,
    /// Whether changes are captured.
    pub cdc: bool,
    /// Words for people.
    pub comment: String,
    /// The strategy of compaction: `class` in its full name, and its options.
    pub compaction: BTreeMap<String, String>,
    /// The compressor: `class` in its full name, and its options; `enabled: false` for none.
    pub compression: BTreeMap<String, String>,
    /// The name of the configuration of memtables.
    pub memtable: String,
    /// How often checksums are verified.
    pub crc_check_chance: f64,
    /// The TTL of writes that give none, in seconds; zero for none.
    pub default_time_to_live: i32,
    /// Seconds for which deletions are kept.
    pub gc_grace_seconds: i32,
    /// Whether Cassandra would link new files into its folder of backups.
    pub incremental_backups: bool,
    /// The greatest distance of entries in Cassandra's index summaries.
    pub max_index_interval: i32,
    /// After how many milliseconds a memtable is flushed; zero for never.
    pub memtable_flush_period_in_ms: i32,
    /// The least distance of entries in Cassandra's index summaries.
    pub min_index_interval: i32,
    /// Whether a read repairs replicas that differ.
    pub read_repair: ReadRepair,
    /// When a slow read goes to another replica too.
    pub speculative_retry: SpeculativeRetry,
}

impl Default for TableOptions {
    /// Cassandra's defaults.
    fn default() -> Self {
        let map = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
            owned.collect()
        };
        Self {
            additional_write_policy: SpeculativeRetry::default(),
            allow_auto_snapshot: true,
            bloom_filter_fp_chance: 0.01,
            caching: Caching::default(),
            cdc: false,
            comment: String::new(),
            compaction: map(&[
                (
                    "class",
                    "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy",
                ),
                ("max_threshold", "32"),
                ("min_threshold", "4"),
            ]),
            compression: map(&[
                ("chunk_length_in_kb", "16"),
                ("class", "org.apache.cassandra.io.compress.LZ4Compressor"),
            ]),
            memtable: "default".to_owned(),
            crc_check_chance: 1.0,
            default_time_to_live: 0,
            gc_grace_seconds: 864_000,
            incremental_backups: true,
            max_index_interval: 2048,
            memtable_flush_period_in_ms: 0,
            min_index_interval: 128,
            read_repair: ReadRepair::Blocking,
            speculative_retry: SpeculativeRetry::default(),
        }
    }
}

/// What Cassandra would keep in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    /// Whether keys are kept.
    pub keys: bool,
    /// How many rows of each partition are kept.
    pub rows_per_partition: CachedRows,
}

/// How many rows of each partition are kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachedRows {
    /// All of them.
    All,
    /// None.
    None,
    /// So many from the first on.
    First(i32),
}

impl Default for Caching {
    fn default() -> Self {
        Self {
            keys: true,
            rows_per_partition: CachedRows::None,
        }
    }
}

impl Caching {
    /// As `system_schema` shows it.
    #[must_use]
    pub fn as_map(self) -> BTreeMap<String, String> {
        let keys = if self.keys { "ALL" } else { "NONE" };
        let rows = match self.rows_per_partition {
            CachedRows::All => "ALL".to_owned(),
            CachedRows::None => "NONE".to_owned(),
            CachedRows::First(count) => count.to_string(),
        };
        BTreeMap::from([
            ("keys".to_owned(), keys.to_owned()),
            ("rows_per_partition".to_owned(), rows),
        ])
    }
}

/// Whether a read repairs replicas that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRepair {
    /// Before it answers.
    Blocking,
    /// It does not.
    None,
}

impl fmt::Display for ReadRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocking => "BLOCKING",
            Self::None => "NONE",
        })
    }
}

/// When a slow request goes to another replica too; in the form in which it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeculativeRetry(pub String);

impl Default for SpeculativeRetry {
    fn default() -> Self {
        Self("99p".to_owned())
    }
}

impl fmt::Display for SpeculativeRetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
