//! What Cassandra's unified compaction strategy takes.

use super::compaction::Options;
use super::properties::parse_double;
use crate::refusal::Refusal;

/// The options that no other strategy has.
pub(super) const OPTIONS: [&str; 10] = [
    "base_shard_count",
    "expired_sstable_check_frequency_seconds",
    "flush_size_override",
    "max_sstables_to_compact",
    "min_sstable_size",
    "overlap_inclusion_method",
    "scaling_parameters",
    "sstable_growth",
    "target_sstable_size",
    "unsafe_aggressive_sstable_expiration",
];

const LEAST_TARGET_SIZE: f64 = 1_048_576.0;
const DEFAULT_TARGET_SIZE: f64 = 1_073_741_824.0;

/// Checks the options, as Cassandra's `Controller.validateOptions` does.
pub(super) fn validate(options: Options<'_>) -> Result<(), Refusal> {
    let scaling = options.get("scaling_parameters").unwrap_or("N");
    for parameter in scaling.split(',') {
        validate_scaling(parameter.trim())?;
    }
    positive(options, "base_shard_count")?;
    positive(options, "expired_sstable_check_frequency_seconds")?;
    options.number::<i32>("max_sstables_to_compact")?;
    options.true_or_false("unsafe_aggressive_sstable_expiration")?;
    let target = size(options, "target_sstable_size")?.unwrap_or(DEFAULT_TARGET_SIZE);
    let flush = size(options, "flush_size_override")?.unwrap_or(DEFAULT_TARGET_SIZE);
    for (name, size) in [
        ("target_sstable_size", target),
        ("flush_size_override", flush),
    ] {
        if size < LEAST_TARGET_SIZE {
            return Err(Refusal::configuration(format!(
                "{name} is not acceptable, size must be at least 1.000MiB"
            )));
        }
    }
    let least = size(options, "min_sstable_size")?.unwrap_or(0.0);
    if least < 0.0 || least >= (target * std::f64::consts::FRAC_1_SQRT_2).ceil() {
        return Err(Refusal::configuration(
            "Invalid configuration, min_sstable_size should be less than 70% of the \
             targetSSTableSize",
        ));
    }
    validate_growth(options)?;
    let methods = ["NONE", "SINGLE", "TRANSITIVE"];
    match options.get("overlap_inclusion_method") {
        Some(method) if !methods.contains(&method.to_uppercase().as_str()) => {
            Err(Refusal::configuration(format!(
                "Invalid overlap inclusion method {method}. The valid options are [NONE, SINGLE, \
                 TRANSITIVE]."
            )))
        }
        _ => Ok(()),
    }
}

/// `N`, `L4`, `T10` or a number.
fn validate_scaling(parameter: &str) -> Result<(), Refusal> {
    let problem = || {
        Refusal::configuration(format!(
            "Scaling parameter {parameter} must match N, L[2+], T[2+] or a number"
        ))
    };
    let at_least_two = |digits: &str| match digits.parse::<i32>() {
        Ok(number) if number >= 2 && !digits.starts_with('+') => Ok(()),
        _ => Err(problem()),
    };
    if parameter == "N" {
        return Ok(());
    }
    match parameter.strip_prefix(['L', 'T']) {
        Some(digits) => at_least_two(digits),
        None => parameter.parse::<i32>().map(|_| ()).map_err(|_| problem()),
    }
}

fn positive(options: Options<'_>, name: &str) -> Result<(), Refusal> {
    match options.number::<i64>(name)? {
        Some(number) if number <= 0 => Err(Refusal::configuration(format!(
            "Invalid configuration, {name} should be positive: {number}"
        ))),
        _ => Ok(()),
    }
}

fn validate_growth(options: Options<'_>) -> Result<(), Refusal> {
    let Some(text) = options.get("sstable_growth") else {
        return Ok(());
    };
    let text = text.trim();
    let growth = match text.strip_suffix('%') {
        Some(percent) => parse_double(percent).map(|number| number / 100.0),
        None => parse_double(text),
    };
    match growth {
        Some(growth) if (0.0..=1.0).contains(&growth) => Ok(()),
        _ => Err(Refusal::configuration(format!(
            "sstable_growth {text} must be between 0 and 1"
        ))),
    }
}

/// A number of bytes such as `100MiB`.
fn size(options: Options<'_>, name: &str) -> Result<Option<f64>, Refusal> {
    let Some(text) = options.get(name) else {
        return Ok(None);
    };
    let problem = || Refusal::configuration(format!("{name} {text} is not a valid size in bytes"));
    parse_size(text).map(Some).ok_or_else(problem)
}

fn parse_size(text: &str) -> Option<f64> {
    let text = text.strip_suffix('B')?;
    let (text, is_binary) = match text.strip_suffix('i') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let prefixes = [
        ('k', 1),
        ('K', 1),
        ('M', 2),
        ('G', 3),
        ('T', 4),
        ('P', 5),
        ('E', 6),
    ];
    let prefix = prefixes.iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, power) = match prefix {
        Some((letter, power)) => (text.strip_suffix(*letter)?, *power),
        None if is_binary => return None,
        None => (text, 0),
    };
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    let starts_well =
        number.starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first));
    let number = parse_double(number.trim_end()).filter(|_| starts_well)?;
    Some(number * base.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("100MiB"), Some(104_857_600.0));
        assert_eq!(parse_size("1.5 kB"), Some(1500.0));
        assert_eq!(parse_size("7B"), Some(7.0));
        assert_eq!(parse_size("7"), None);
        assert_eq!(parse_size("iB"), None);
        assert_eq!(parse_size("xB"), None);
    }

    #[test]
    fn scaling_parameters() {
        for good in ["N", "L2", "T10", "-3", "0"] {
            assert!(validate_scaling(good).is_ok(), "{good}");
        }
        for bad in ["", "L1", "X4", "T", "T+4"] {
            assert!(validate_scaling(bad).is_err(), "{bad}");
        }
    }
}
