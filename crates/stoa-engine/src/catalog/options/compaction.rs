//! The option `compaction`: a strategy by the name of its class, and what the strategy takes.
//!
//! We compact in our own way; the option is checked and shown. The rules are those of Cassandra's
//! `CompactionParams` and of the `validateOptions` of each strategy. Reading and checking are apart
//! because Cassandra reads options before it looks whether the table exists, and checks them after.

use std::collections::BTreeMap;

use super::properties::parse_double;
use super::unified;
use crate::refusal::Refusal;

const PACKAGE: &str = "org.apache.cassandra.db.compaction.";
const DEFAULT_MIN_THRESHOLD: &str = "4";
const DEFAULT_MAX_THRESHOLD: &str = "32";
/// The levels that Cassandra's leveled strategy has.
const LEVELS: u32 = 9;

/// Reads the map of the option: `class` comes out in its full name, thresholds are filled in.
///
/// # Errors
/// An unknown class, or a wrong kind of overlapping tombstones.
pub fn read(mut map: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Refusal> {
    let class = map.remove("class").ok_or_else(|| {
        Refusal::configuration("Missing sub-option 'class' for the 'compaction' option")
    })?;
    let full = match class.contains('.') {
        true => class,
        false => format!("{PACKAGE}{class}"),
    };
    let strategy = Strategy::of(&full).ok_or_else(|| {
        Refusal::configuration(format!("Unable to find compaction strategy class '{full}'"))
    })?;
    if let Some(kind) = map.get("provide_overlapping_tombstones") {
        let upper = kind.to_uppercase();
        if !["NONE", "ROW", "CELL"].contains(&upper.as_str()) {
            return Err(Refusal::configuration(format!(
                "Invalid value {upper} for 'provide_overlapping_tombstones' compaction sub-option \
                 - must be one of the following [NONE, ROW, CELL]."
            )));
        }
    }
    if strategy != Strategy::Unified {
        let mut fill = |name: &str, value: &str| {
            let entry = map.entry(name.to_owned());
            entry.or_insert_with(|| value.to_owned());
        };
        fill("min_threshold", DEFAULT_MIN_THRESHOLD);
        fill("max_threshold", DEFAULT_MAX_THRESHOLD);
    }
    map.insert("class".to_owned(), full);
    Ok(map)
}

/// Checks what [`read`] made.
///
/// # Errors
/// An option that the strategy does not know, or a value that it does not take.
pub fn validate(map: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let class = map.get("class").map_or("", String::as_str);
    let strategy = Strategy::of(class).unwrap_or(Strategy::SizeTiered);
    let options = Options(map);
    validate_tombstones(options)?;
    match strategy {
        Strategy::SizeTiered => validate_buckets(options)?,
        Strategy::Leveled => {
            validate_levels(options)?;
            validate_buckets(options)?;
        }
        Strategy::TimeWindow => {
            validate_windows(options)?;
            validate_buckets(options)?;
        }
        Strategy::Unified => unified::validate(options)?,
    }
    let unknown = map.keys().find(|name| !strategy.knows(name));
    if let Some(name) = unknown {
        let short = class.rsplit('.').next().unwrap_or_default();
        return Err(Refusal::configuration(format!(
            "Properties specified [{name}] are not understood by {short}"
        )));
    }
    validate_thresholds(options)
}

/// How often a Bloom filter may err unless the table says so.
#[must_use]
pub fn default_bloom_filter_fp_chance(map: &BTreeMap<String, String>) -> f64 {
    let class = map.get("class").map_or("", String::as_str);
    match Strategy::of(class) {
        Some(Strategy::Leveled) => 0.1,
        _ => 0.01,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    SizeTiered,
    Leveled,
    TimeWindow,
    Unified,
}

impl Strategy {
    fn of(class: &str) -> Option<Self> {
        Some(match class.strip_prefix(PACKAGE)? {
            "SizeTieredCompactionStrategy" => Self::SizeTiered,
            "LeveledCompactionStrategy" => Self::Leveled,
            "TimeWindowCompactionStrategy" => Self::TimeWindow,
            "UnifiedCompactionStrategy" => Self::Unified,
            _ => return None,
        })
    }

    fn knows(self, option: &str) -> bool {
        const ALL: [&str; 8] = [
            "class",
            "enabled",
            "log_all",
            "only_purge_repaired_tombstones",
            "provide_overlapping_tombstones",
            "tombstone_compaction_interval",
            "tombstone_threshold",
            "unchecked_tombstone_compaction",
        ];
        const SIZE_TIERED: [&str; 5] = [
            "bucket_high",
            "bucket_low",
            "max_threshold",
            "min_sstable_size",
            "min_threshold",
        ];
        let own: &[&str] = match self {
            Self::SizeTiered => &[],
            Self::Leveled => &[
                "fanout_size",
                "single_sstable_uplevel",
                "sstable_size_in_mb",
            ],
            Self::TimeWindow => &[
                "compaction_window_size",
                "compaction_window_unit",
                "expired_sstable_check_frequency_seconds",
                "timestamp_resolution",
                "unsafe_aggressive_sstable_expiration",
            ],
            Self::Unified => &unified::OPTIONS,
        };
        let has_buckets = self != Self::Unified;
        ALL.contains(&option)
            || own.contains(&option)
            || (has_buckets && SIZE_TIERED.contains(&option))
    }
}

/// The options of a strategy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options<'a>(&'a BTreeMap<String, String>);

impl<'a> Options<'a> {
    pub(super) fn get(self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(String::as_str)
    }

    /// A whole number, if the option is there.
    pub(super) fn number<T: std::str::FromStr>(self, name: &str) -> Result<Option<T>, Refusal> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let problem =
            |_| Refusal::configuration(format!("{text} is not a parsable int (base10) for {name}"));
        text.parse().map(Some).map_err(problem)
    }

    fn double(self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let problem =
            || Refusal::configuration(format!("{text} is not a parsable float for {name}"));
        parse_double(text).map(Some).ok_or_else(problem)
    }

    pub(super) fn true_or_false(self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.get(name).map(str::to_lowercase).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(Refusal::configuration(format!(
                "'{name}' should either be 'true' or 'false', not '{other}'"
            ))),
        }
    }
}

fn validate_tombstones(options: Options<'_>) -> Result<(), Refusal> {
    let threshold = options.double("tombstone_threshold")?;
    if let Some(threshold) = threshold.filter(|it| *it < 0.0) {
        return Err(Refusal::configuration(format!(
            "tombstone_threshold must be greater than 0, but was {threshold:.6}"
        )));
    }
    let interval = options.number::<i64>("tombstone_compaction_interval")?;
    if let Some(interval) = interval.filter(|it| *it < 0) {
        return Err(Refusal::configuration(format!(
            "tombstone_compaction_interval must be greater than 0, but was {interval}"
        )));
    }
    for name in ["unchecked_tombstone_compaction", "log_all", "enabled"] {
        options.true_or_false(name)?;
    }
    Ok(())
}

fn validate_buckets(options: Options<'_>) -> Result<(), Refusal> {
    let size = options.number::<i64>("min_sstable_size")?;
    if let Some(size) = size.filter(|it| *it < 0) {
        return Err(Refusal::configuration(format!(
            "min_sstable_size must be non negative: {size}"
        )));
    }
    let low = options.double("bucket_low")?.unwrap_or(0.5);
    let high = options.double("bucket_high")?.unwrap_or(1.5);
    if high <= low {
        return Err(Refusal::configuration(format!(
            "bucket_high value ({high}) is less than or equal to the bucket_low value ({low})"
        )));
    }
    Ok(())
}

fn validate_levels(options: Options<'_>) -> Result<(), Refusal> {
    let positive = |name: &str, default: i32| {
        let number = options.number::<i32>(name)?.unwrap_or(default);
        match u64::try_from(number) {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(Refusal::configuration(format!(
                "{name} must be larger than 0, but was {number}"
            ))),
        }
    };
    let megabytes = positive("sstable_size_in_mb", 1)?;
    let fanout = positive("fanout_size", 10)?;
    let bytes = u128::from(megabytes) << 20;
    let deepest = u128::from(fanout)
        .checked_pow(LEVELS - 1)
        .and_then(|power| power.checked_mul(bytes));
    match deepest.and_then(|bytes| i64::try_from(bytes).ok()) {
        Some(_) => Ok(()),
        None => Err(Refusal::configuration(format!(
            "At most {} bytes may be in a compaction level; your maxSSTableSize must be absurdly \
             high",
            i64::MAX
        ))),
    }
}

fn validate_windows(options: Options<'_>) -> Result<(), Refusal> {
    let one_of = |name: &str, units: &[&str]| match options.get(name) {
        Some(unit) if !units.contains(&unit) => Err(Refusal::configuration(format!(
            "{unit} is not valid for {name}"
        ))),
        _ => Ok(()),
    };
    one_of(
        "timestamp_resolution",
        &["SECONDS", "MILLISECONDS", "MICROSECONDS", "NANOSECONDS"],
    )?;
    one_of("compaction_window_unit", &["MINUTES", "HOURS", "DAYS"])?;
    let size = options.number::<i32>("compaction_window_size")?;
    if let Some(size) = size.filter(|it| *it < 1) {
        return Err(Refusal::configuration(format!(
            "{size} must be greater than 1 for compaction_window_size"
        )));
    }
    let frequency = options.number::<i64>("expired_sstable_check_frequency_seconds")?;
    if let Some(frequency) = frequency.filter(|it| *it < 0) {
        return Err(Refusal::configuration(format!(
            "expired_sstable_check_frequency_seconds must not be negative, but was {frequency}"
        )));
    }
    match options.true_or_false("unsafe_aggressive_sstable_expiration")? {
        Some(true) => Err(Refusal::configuration(
            "unsafe_aggressive_sstable_expiration is requested but not allowed",
        )),
        _ => Ok(()),
    }
}

fn validate_thresholds(options: Options<'_>) -> Result<(), Refusal> {
    let threshold = |name: &str, default: i32| {
        let Some(text) = options.get(name) else {
            return Ok(default);
        };
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number).ok_or_else(|| {
            Refusal::configuration(format!(
                "Invalid value {text} for '{name}' compaction sub-option - must be an integer"
            ))
        })
    };
    let least: i32 = threshold("min_threshold", 4)?;
    let greatest: i32 = threshold("max_threshold", 32)?;
    if least <= 0 || greatest <= 0 {
        return Err(Refusal::configuration(
            "Disabling compaction by setting compaction thresholds to 0 has been removed, set the \
             compaction option 'enabled' to false instead.",
        ));
    }
    if least < 2 {
        return Err(Refusal::configuration(format!(
            "Min compaction threshold cannot be less than 2 (got {least})"
        )));
    }
    if least > greatest {
        return Err(Refusal::configuration(format!(
            "Min compaction threshold (got {least}) cannot be greater than max compaction \
             threshold (got {greatest})"
        )));
    }
    Ok(())
}
