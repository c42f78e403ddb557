//! The options of a table from the properties of a statement.
//!
//! Cassandra reads them twice: when it validates a statement, before it looks for the table, and
//! when it executes it, where it also refuses unknown names and senseless values. The order in
//! which several wrong options are found is that of Cassandra's `TableAttributes` and
//! `TableParams`.

use stoa_cql::ast::Properties;
use uuid::Uuid;

use super::properties::PropertyReader;
use super::speculative_retry;
use super::{CachedRows, Caching, ReadRepair, TableOptions, compaction, compression, java};
use crate::refusal::Refusal;

/// The names that `WITH` of a table knows.
const KNOWN: [&str; 21] = [
    "additional_write_policy",
    "allow_auto_snapshot",
    "auto_repair",
    "bloom_filter_fp_chance",
    "caching",
    "cdc",
    "comment",
    "compaction",
    "compression",
    "crc_check_chance",
    "default_time_to_live",
    "extensions",
    "gc_grace_seconds",
    "id",
    "incremental_backups",
    "max_index_interval",
    "memtable",
    "memtable_flush_period_in_ms",
    "min_index_interval",
    "read_repair",
    "speculative_retry",
];

/// The longest TTL there is: twenty years, in seconds.
pub const MAX_TIME_TO_LIVE: i32 = 20 * 365 * 24 * 60 * 60;
/// The least chance that Cassandra's Bloom filters can have.
const LEAST_FP_CHANCE: f64 = 6.71e-5;

impl TableOptions {
    /// The options of a new table.
    ///
    /// # Errors
    /// A value that cannot be read. Unknown names and senseless values are left to
    /// [`TableOptions::refuse_wrong`].
    pub fn read_new(properties: &Properties) -> Result<Self, Refusal> {
        let mut options = Self::default();
        options.set(PropertyReader(properties))?;
        if !PropertyReader(properties).has("bloom_filter_fp_chance") {
            options.bloom_filter_fp_chance =
                compaction::default_bloom_filter_fp_chance(&options.compaction);
        }
        Ok(options)
    }

    /// These options with others set.
    ///
    /// # Errors
    /// As [`TableOptions::read_new`], and an id, which cannot be altered.
    pub fn altered(&self, properties: &Properties) -> Result<Self, Refusal> {
        if read_id(properties)?.is_some() {
            return Err(Refusal::configuration("Cannot alter table id."));
        }
        let mut options = self.clone();
        options.set(PropertyReader(properties))?;
        Ok(options)
    }

    /// Refuses unknown names and senseless values. What a statement does not set counts as a
    /// default here, also when a table is altered: so does Cassandra.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn refuse_wrong(properties: &Properties) -> Result<(), Refusal> {
        PropertyReader(properties).refuse_unknown(&KNOWN)?;
        if PropertyReader(properties).has("auto_repair") {
            return Err(Refusal::configuration(
                "auto_repair option is not supported unless auto-repair is enabled with \
                 -Dcassandra.autorepair.enable=true",
            ));
        }
        Self::read_new(properties)?.validate()
    }

    fn set(&mut self, given: PropertyReader<'_>) -> Result<(), Refusal> {
        set(
            &mut self.allow_auto_snapshot,
            given.boolean("allow_auto_snapshot")?,
        );
        set(
            &mut self.bloom_filter_fp_chance,
            given.double("bloom_filter_fp_chance")?,
        );
        set(
            &mut self.caching,
            given.map("caching")?.map(read_caching).transpose()?,
        );
        set(&mut self.comment, given.text("comment")?.map(str::to_owned));
        let map = given.map("compaction")?.map(compaction::read);
        set(&mut self.compaction, map.transpose()?);
        let map = given.map("compression")?.map(compression::read);
        set(&mut self.compression, map.transpose()?);
        set(
            &mut self.memtable,
            given.text("memtable")?.map(read_memtable).transpose()?,
        );
        set(
            &mut self.default_time_to_live,
            given.integer("default_time_to_live")?,
        );
        set(
            &mut self.gc_grace_seconds,
            given.integer("gc_grace_seconds")?,
        );
        set(
            &mut self.incremental_backups,
            given.boolean("incremental_backups")?,
        );
        set(
            &mut self.max_index_interval,
            given.integer("max_index_interval")?,
        );
        let period = given.integer("memtable_flush_period_in_ms")?;
        set(&mut self.memtable_flush_period_in_ms, period);
        set(
            &mut self.min_index_interval,
            given.integer("min_index_interval")?,
        );
        let policy = given
            .text("speculative_retry")?
            .map(speculative_retry::read);
        set(&mut self.speculative_retry, policy.transpose()?);
        let policy = given
            .text("additional_write_policy")?
            .map(speculative_retry::read);
        set(&mut self.additional_write_policy, policy.transpose()?);
        set(
            &mut self.crc_check_chance,
            given.double("crc_check_chance")?,
        );
        set(&mut self.cdc, given.boolean("cdc")?);
        let read_repair = given.text("read_repair")?.map(read_read_repair);
        set(&mut self.read_repair, read_repair.transpose()?);
        given.map("auto_repair")?;
        Ok(())
    }

    fn validate(&self) -> Result<(), Refusal> {
        compaction::validate(&self.compaction)?;
        let chance = self.bloom_filter_fp_chance;
        if chance <= LEAST_FP_CHANCE || chance > 1.0 {
            return Err(Refusal::configuration(format!(
                "bloom_filter_fp_chance must be larger than {} and less than or equal to 1.0 (got \
                 {})",
                java::double(LEAST_FP_CHANCE),
                java::double(chance)
            )));
        }
        let chance = self.crc_check_chance;
        if !(0.0..=1.0).contains(&chance) && !chance.is_nan() {
            return Err(Refusal::configuration(format!(
                "crc_check_chance must be larger than or equal to 0 and smaller than or equal to \
                 1.0 (got {})",
                java::double(chance)
            )));
        }
        at_least("default_time_to_live", 0, self.default_time_to_live)?;
        if self.default_time_to_live > MAX_TIME_TO_LIVE {
            return Err(Refusal::configuration(format!(
                "default_time_to_live must be less than or equal to {MAX_TIME_TO_LIVE} (got {})",
                self.default_time_to_live
            )));
        }
        at_least("gc_grace_seconds", 0, self.gc_grace_seconds)?;
        at_least("min_index_interval", 1, self.min_index_interval)?;
        if self.max_index_interval < self.min_index_interval {
            return Err(Refusal::configuration(format!(
                "max_index_interval must be greater than or equal to min_index_interval ({}) (got \
                 {})",
                self.min_index_interval, self.max_index_interval
            )));
        }
        at_least(
            "memtable_flush_period_in_ms",
            0,
            self.memtable_flush_period_in_ms,
        )
    }
}

/// The id that a statement gives its table.
///
/// # Errors
/// What is no UUID.
pub fn read_id(properties: &Properties) -> Result<Option<Uuid>, Refusal> {
    let Some(text) = PropertyReader(properties).text("id")? else {
        return Ok(None);
    };
    let problem = |_| Refusal::configuration("Invalid table id");
    Uuid::parse_str(text).map(Some).map_err(problem)
}

fn set<T>(option: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *option = given;
    }
}

fn at_least(name: &str, least: i32, given: i32) -> Result<(), Refusal> {
    match given < least {
        true => Err(Refusal::configuration(format!(
            "{name} must be greater than or equal to {least} (got {given})"
        ))),
        false => Ok(()),
    }
}

fn read_caching(mut map: std::collections::BTreeMap<String, String>) -> Result<Caching, Refusal> {
    let keys = match map.remove("keys") {
        None => false,
        Some(keys) if keys.eq_ignore_ascii_case("ALL") => true,
        Some(keys) if keys.eq_ignore_ascii_case("NONE") => false,
        Some(keys) => {
            return Err(Refusal::configuration(format!(
                "Invalid value '{keys}' for caching sub-option 'keys': only 'ALL' and 'NONE' are \
                 allowed"
            )));
        }
    };
    let rows_per_partition = match map.remove("rows_per_partition") {
        None => CachedRows::None,
        Some(rows) => read_cached_rows(&rows)?,
    };
    match map.keys().next() {
        Some(unknown) => Err(Refusal::configuration(format!(
            "Invalid caching sub-options [{unknown}]: only 'keys' and 'rows_per_partition' are \
             allowed"
        ))),
        None => Ok(Caching {
            keys,
            rows_per_partition,
        }),
    }
}

fn read_cached_rows(rows: &str) -> Result<CachedRows, Refusal> {
    if rows.eq_ignore_ascii_case("ALL") {
        return Ok(CachedRows::All);
    }
    if rows.eq_ignore_ascii_case("NONE") {
        return Ok(CachedRows::None);
    }
    let is_number = !rows.is_empty() && rows.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(Refusal::configuration(format!(
            "Invalid value '{rows}' for caching sub-option 'rows_per_partition': only 'ALL', \
             'NONE', and integer values are allowed"
        )));
    }
    match rows.parse() {
        Ok(0) => Ok(CachedRows::None),
        Ok(i32::MAX) => Ok(CachedRows::All),
        Ok(count) => Ok(CachedRows::First(count)),
        // Cassandra does not catch what Java's parser throws for a number beyond 32 bits.
        Err(_) => Err(Refusal::server(format!(
            "java.lang.NumberFormatException: For input string: \"{rows}\""
        ))),
    }
}

fn read_memtable(name: &str) -> Result<String, Refusal> {
    match name {
        "default" => Ok(name.to_owned()),
        _ => Err(Refusal::configuration(format!(
            "Memtable configuration \"{name}\" not found."
        ))),
    }
}

/// Cassandra does not catch what Java throws for an unknown word.
fn read_read_repair(word: &str) -> Result<ReadRepair, Refusal> {
    match word.to_uppercase().as_str() {
        "BLOCKING" => Ok(ReadRepair::Blocking),
        "NONE" => Ok(ReadRepair::None),
        other => Err(Refusal::server(format!(
            "java.lang.IllegalArgumentException: No enum constant \
             org.apache.cassandra.service.reads.repair.ReadRepairStrategy.{other}"
        ))),
    }
}
