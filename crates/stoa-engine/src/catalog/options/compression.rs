//! The option `compression`: a compressor by the name of its class, and what it takes.
//!
//! We compress in our own way; the option is checked and shown. The rules are those of Cassandra's
//! `CompressionParams` and its compressors.

use std::collections::BTreeMap;

use super::java;
use super::properties::parse_double;
use crate::refusal::Refusal;

const PACKAGE: &str = "org.apache.cassandra.io.compress.";
const DEFAULT_CHUNK_KB: i32 = 16;

/// Reads and checks the map of the option; `class` comes out in its full name.
///
/// # Errors
/// An unknown class or option, or a value that makes no sense.
pub fn read(mut map: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Refusal> {
    let is_enabled = |map: &BTreeMap<String, String>| {
        map.get("enabled")
            .is_none_or(|it| it.eq_ignore_ascii_case("true"))
    };
    let enabled = is_enabled(&map);
    if !map.is_empty() && enabled && !map.contains_key("class") {
        return Err(Refusal::configuration(
            "Missing sub-option 'class' for the 'compression' option.",
        ));
    }
    map.remove("enabled");
    if !enabled && !map.is_empty() {
        return Err(Refusal::configuration(
            "If the 'enabled' option is set to false no other options must be specified",
        ));
    }
    let Some(class) = map.remove("class") else {
        return Ok(disabled());
    };
    if class.is_empty() {
        return Err(Refusal::configuration(
            "The 'class' option must not be empty. To disable compression use 'enabled' : false",
        ));
    }
    let chunk_kb = chunk_length(map.remove("chunk_length_in_kb"))?;
    let ratio = compress_ratio(map.remove("min_compress_ratio"))?;
    let full = match class.contains('.') {
        true => class,
        false => format!("{PACKAGE}{class}"),
    };
    validate_compressor(&full, &map)?;
    validate_lengths(chunk_kb, ratio)?;
    map.insert("class".to_owned(), full);
    map.insert("chunk_length_in_kb".to_owned(), chunk_kb.to_string());
    if ratio != 0.0 {
        map.insert("min_compress_ratio".to_owned(), java::double(ratio));
    }
    Ok(map)
}

/// No compression, as it is shown.
#[must_use]
pub fn disabled() -> BTreeMap<String, String> {
    BTreeMap::from([("enabled".to_owned(), "false".to_owned())])
}

fn chunk_length(text: Option<String>) -> Result<i32, Refusal> {
    let Some(text) = text else {
        return Ok(DEFAULT_CHUNK_KB);
    };
    let kilobytes: i32 = text
        .parse()
        .map_err(|_| Refusal::configuration("Invalid value for chunk_length_in_kb"))?;
    match kilobytes > i32::MAX / 1024 {
        true => Err(Refusal::configuration(format!(
            "Value of chunk_length_in_kb is too large ({kilobytes})"
        ))),
        false => Ok(kilobytes),
    }
}

/// Cassandra does not catch what Java's parser throws here, so a wrong number is its own failure.
fn compress_ratio(text: Option<String>) -> Result<f64, Refusal> {
    let Some(text) = text else {
        return Ok(0.0);
    };
    parse_double(&text).ok_or_else(|| {
        Refusal::server(format!(
            "java.lang.NumberFormatException: For input string: \"{text}\""
        ))
    })
}

fn validate_lengths(chunk_kb: i32, ratio: f64) -> Result<(), Refusal> {
    if chunk_kb <= 0 {
        return Err(Refusal::configuration(
            "Invalid negative or null chunk_length_in_kb",
        ));
    }
    if chunk_kb & (chunk_kb - 1) != 0 {
        return Err(Refusal::configuration(
            "chunk_length_in_kb must be a power of 2",
        ));
    }
    if ratio < 0.0 {
        return Err(Refusal::configuration(
            "Invalid negative min_compress_ratio",
        ));
    }
    if ratio > 0.0 && ratio < 1.0 {
        return Err(Refusal::configuration(
            "min_compress_ratio can either be 0 or greater than or equal to 1",
        ));
    }
    Ok(())
}

fn validate_compressor(class: &str, options: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let known: &[&str] = match class.strip_prefix(PACKAGE) {
        Some("LZ4Compressor") => {
            validate_lz4(options)?;
            &["lz4_compressor_type", "lz4_high_compressor_level"]
        }
        Some("ZstdCompressor") => {
            validate_zstd(options)?;
            &["compression_level"]
        }
        Some("SnappyCompressor" | "DeflateCompressor" | "NoopCompressor") => &[],
        _ => {
            return Err(Refusal::configuration(format!(
                "Could not create Compression for type {class}"
            )));
        }
    };
    match options.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err(Refusal::configuration(format!(
            "Unknown compression options {unknown}"
        ))),
        None => Ok(()),
    }
}

fn validate_lz4(options: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if let Some(kind) = options.get("lz4_compressor_type")
        && !["fast", "high"].contains(&kind.as_str())
    {
        return Err(Refusal::configuration(format!(
            "Invalid compressor type '{kind}' specified for LZ4 parameter 'lz4_compressor_type'. \
             Valid options are [high, fast]."
        )));
    }
    match options.get("lz4_high_compressor_level") {
        Some(level) if !is_within(level, 1..=17) => Err(Refusal::configuration(format!(
            "Invalid value [{level}] for parameter 'lz4_high_compressor_level'. Value must be \
             between 1 and 17."
        ))),
        _ => Ok(()),
    }
}

fn validate_zstd(options: &BTreeMap<String, String>) -> Result<(), Refusal> {
    match options.get("compression_level") {
        Some(level) if !is_within(level, -131_072..=22) => Err(Refusal::configuration(format!(
            "ZstdCompressor.create() threw an error: java.lang.IllegalArgumentException \
             compression_level={level} is invalid"
        ))),
        _ => Ok(()),
    }
}

fn is_within(text: &str, range: std::ops::RangeInclusive<i32>) -> bool {
    text.parse()
        .is_ok_and(|number: i32| range.contains(&number))
}
