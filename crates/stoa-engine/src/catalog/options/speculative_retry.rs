//! The options `speculative_retry` and `additional_write_policy`.
//!
//! `99p`, `99percentile`, `50ms`, `ALWAYS`, `NEVER`, `NONE`, `MIN(99p,50ms)`, `MAX(99p,50ms)`, in
//! any case. There is one node only, so the policy is checked and shown, as Cassandra's
//! `SpeculativeRetryPolicy` does.

use super::java;
use super::{SpeculativeRetry, properties::parse_double};
use crate::refusal::Refusal;

/// Reads the text of the option.
///
/// # Errors
/// What is no policy; the words name `speculative_retry` whichever option it was, as in Cassandra.
pub fn read(text: &str) -> Result<SpeculativeRetry, Refusal> {
    let policy = parse(text)?;
    Ok(SpeculativeRetry(policy.to_string()))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Policy {
    Always,
    Never,
    Percentile(f64),
    Fixed(i32),
    Hybrid {
        takes_least: bool,
        percentile: f64,
        milliseconds: i32,
    },
}

impl std::fmt::Display for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Always => f.write_str("ALWAYS"),
            Self::Never => f.write_str("NEVER"),
            Self::Percentile(percentile) => write!(f, "{}p", java::four_digits(*percentile)),
            Self::Fixed(milliseconds) => write!(f, "{milliseconds}ms"),
            Self::Hybrid {
                takes_least,
                percentile,
                milliseconds,
            } => {
                let function = if *takes_least { "MIN" } else { "MAX" };
                let percentile = java::four_digits(*percentile);
                write!(f, "{function}({percentile}p,{milliseconds}ms)")
            }
        }
    }
}

fn parse(text: &str) -> Result<Policy, Refusal> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "always" => return Ok(Policy::Always),
        "never" | "none" => return Ok(Policy::Never),
        _ => {}
    }
    if let Some(number) = lower.strip_suffix("percentile").or(lower.strip_suffix('p'))
        && is_number(number)
    {
        let percentile = parse_double(number).ok_or_else(|| wrong(text))?;
        return match percentile <= 0.0 || percentile >= 100.0 {
            true => Err(Refusal::configuration(format!(
                "Invalid value {text} for PERCENTILE option 'speculative_retry': must be between \
                 (0.0 and 100.0)"
            ))),
            false => Ok(Policy::Percentile(percentile)),
        };
    }
    if let Some(number) = lower.strip_suffix("ms")
        && is_number(number)
    {
        let milliseconds = parse_double(number).ok_or_else(|| wrong(text))?;
        return Ok(Policy::Fixed(truncate(milliseconds)));
    }
    parse_hybrid(text, &lower)
}

fn parse_hybrid(text: &str, lower: &str) -> Result<Policy, Refusal> {
    let inner = |function: &str| lower.strip_prefix(function)?.strip_suffix(')');
    let (takes_least, inner) = match (inner("min("), inner("max(")) {
        (Some(inner), _) => (true, inner),
        (None, Some(inner)) => (false, inner),
        (None, None) => return Err(wrong(text)),
    };
    let (first, second) = inner.split_once(',').ok_or_else(|| wrong(text))?;
    let parts = (parse(first.trim_end()), parse(second.trim_start()));
    match (
        parts.0.map_err(|_| wrong(text))?,
        parts.1.map_err(|_| wrong(text))?,
    ) {
        (Policy::Percentile(percentile), Policy::Fixed(milliseconds))
        | (Policy::Fixed(milliseconds), Policy::Percentile(percentile)) => Ok(Policy::Hybrid {
            takes_least,
            percentile,
            milliseconds,
        }),
        (Policy::Fixed(_), Policy::Fixed(_)) => Err(same_kind(text, "FIXED")),
        (Policy::Percentile(_), Policy::Percentile(_)) => Err(same_kind(text, "PERCENTILE")),
        _ => Err(wrong(text)),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast to int in Java saturates, as ours does"
)]
fn truncate(milliseconds: f64) -> i32 {
    milliseconds as i32
}

fn wrong(text: &str) -> Refusal {
    Refusal::configuration(format!(
        "Invalid value {text} for option 'speculative_retry'"
    ))
}

fn same_kind(text: &str, kind: &str) -> Refusal {
    Refusal::configuration(format!(
        "Invalid value {text} for option 'speculative_retry': MIN()/MAX() arguments should be of \
         different types, but both are of type {kind}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_shown_in_one_form() {
        let cases = [
            ("always", "ALWAYS"),
            ("NONE", "NEVER"),
            ("95percentile", "95p"),
            ("99.5P", "99.5p"),
            ("50.9ms", "50ms"),
            ("min(50MS , 99p)", "MIN(99p,50ms)"),
            ("MAX(99p,50ms)", "MAX(99p,50ms)"),
        ];
        for (text, shown) in cases {
            assert_eq!(read(text).map(|it| it.0), Ok(shown.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_policy_is_refused() {
        for text in [
            "",
            "p",
            "101p",
            "0p",
            "-1ms",
            "sometimes",
            "MIN(50ms,60ms)",
            "MIN(99p)",
            "1.2.3ms",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
