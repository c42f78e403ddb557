//! Months and days added to moments, as Java's `GregorianCalendar` in UTC does it.
//!
//! That calendar is the Julian one before 15 October 1582. A day beyond the end of a month becomes
//! its last one.

use stoa_types::{Date, Duration};

const MILLIS_PER_DAY: i64 = 86_400_000;
const NANOS_PER_MILLI: i64 = 1_000_000;
/// 15 October 1582, the first day of the Gregorian calendar, in days since 1970.
const FIRST_GREGORIAN_DAY: i64 = -141_427;
/// Days from 1 March of year 0, in the Julian calendar, to 1970.
const JULIAN_SHIFT_DAYS: i64 = 719_470;
/// Days from 1 March of year 0, in the Gregorian calendar, to 1970.
const GREGORIAN_SHIFT_DAYS: i64 = 719_468;
const DAYS_PER_FOUR_YEARS: i64 = 1_461;
const DAYS_PER_400_YEARS: i64 = 146_097;

/// Whether the duration has no parts below a millisecond.
pub(super) fn is_whole_millis(duration: &Duration) -> bool {
    duration.nanoseconds() % NANOS_PER_MILLI == 0
}

/// The moment that is a duration later: by months, then days, then milliseconds.
pub(super) fn add(millis: i64, duration: &Duration) -> i64 {
    moved(
        millis,
        duration.months(),
        duration.days(),
        duration.nanoseconds(),
    )
}

/// The moment that is a duration earlier.
pub(super) fn subtract(millis: i64, duration: &Duration) -> i64 {
    moved(
        millis,
        duration.months().wrapping_neg(),
        duration.days().wrapping_neg(),
        duration.nanoseconds().wrapping_neg(),
    )
}

fn moved(millis: i64, months: i32, days: i32, nanoseconds: i64) -> i64 {
    let of_days = i64::from(days).wrapping_mul(MILLIS_PER_DAY);
    let of_nanoseconds = nanoseconds / NANOS_PER_MILLI;
    if months == 0 {
        return millis.wrapping_add(of_days.wrapping_add(of_nanoseconds));
    }
    // With months, Cassandra hands the milliseconds on as an `int`.
    plus_months(millis, months)
        .wrapping_add(of_days)
        .wrapping_add(i64::from(of_nanoseconds as i32))
}

/// The same day and time of another month.
fn plus_months(millis: i64, months: i32) -> i64 {
    let (days, of_day) = (
        millis.div_euclid(MILLIS_PER_DAY),
        millis.rem_euclid(MILLIS_PER_DAY),
    );
    let day = Day::of_days(days);
    let month = day.year * 12 + (day.month - 1) + i64::from(months);
    let moved = Day {
        year: month.div_euclid(12),
        month: month.rem_euclid(12) + 1,
        day: day.day,
    };
    moved
        .clamped_to_month()
        .to_days()
        .wrapping_mul(MILLIS_PER_DAY)
        .wrapping_add(of_day)
}

/// The greatest moment not after `millis` that is whole durations after `start`.
///
/// The start must not be after the moment, and the duration not negative.
pub(super) fn floor(millis: i64, duration: &Duration, start: i64) -> i64 {
    let of_rest = i64::from(duration.days())
        .wrapping_mul(MILLIS_PER_DAY)
        .wrapping_add(duration.nanoseconds() / NANOS_PER_MILLI);
    if duration.months() == 0 {
        return match millis.wrapping_sub(start).checked_rem(of_rest) {
            Some(beyond) => millis.wrapping_sub(beyond),
            None => millis,
        };
    }
    let month_number = |millis: i64| {
        let day = Day::of_days(millis.div_euclid(MILLIS_PER_DAY));
        day.year_of_era() as i32 * 12 + (day.month - 1) as i32
    };
    let apart = month_number(millis).wrapping_sub(month_number(start));
    let mut times = apart / duration.months();
    let mut floor = plus_months(start, times.wrapping_mul(duration.months()));
    if duration.days() == 0 && duration.nanoseconds() == 0 {
        return floor;
    }
    let with_rest =
        |floor: i64, times: i32| i128::from(floor) + i128::from(times) * i128::from(of_rest);
    let longest_step =
        i128::from(of_rest) + i128::from(duration.months()) * 31 * i128::from(MILLIS_PER_DAY);
    loop {
        let beyond = with_rest(floor, times) - i128::from(millis);
        if beyond <= 0 {
            break;
        }
        // Many steps at once, where no month is too short for the day to stay the same.
        let is_in_every_month = Day::of_days(floor.div_euclid(MILLIS_PER_DAY)).day <= 28;
        let steps = if is_in_every_month {
            beyond / longest_step
        } else {
            1
        };
        let steps = i32::try_from(steps).unwrap_or(i32::MAX).max(1);
        times = times.wrapping_sub(steps);
        floor = plus_months(floor, duration.months().wrapping_mul(steps).wrapping_neg());
    }
    let floor = with_rest(floor, times).max(i128::from(start));
    i64::try_from(floor).unwrap_or(millis)
}

/// Midnight of a day.
pub(super) fn millis_of_date(date: Date) -> i64 {
    i64::from(date.days_since_epoch()) * MILLIS_PER_DAY
}

/// The day of a moment. Before 1970, whole seconds are cut towards it, as Cassandra does.
pub(super) fn date_of_millis(millis: i64) -> Date {
    let seconds = millis.div_euclid(1_000);
    Date::from_days_since_epoch((seconds / (MILLIS_PER_DAY / 1_000)) as i32)
}

/// A day of the calendar; year 0 is 1 BC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
}

impl Day {
    fn of_days(days: i64) -> Self {
        if days >= FIRST_GREGORIAN_DAY {
            return Self::gregorian(days);
        }
        let shifted = days + JULIAN_SHIFT_DAYS;
        let cycle = shifted.div_euclid(DAYS_PER_FOUR_YEARS);
        let day = shifted.rem_euclid(DAYS_PER_FOUR_YEARS);
        let year = (day - day / 1_460) / 365;
        Self::of_day_of_year(cycle * 4 + year, day - 365 * year)
    }

    /// The day of the Gregorian calendar, also before it was made.
    pub(super) fn gregorian(days: i64) -> Self {
        let shifted = days + GREGORIAN_SHIFT_DAYS;
        let era = shifted.div_euclid(DAYS_PER_400_YEARS);
        let day = shifted.rem_euclid(DAYS_PER_400_YEARS);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        Self::of_day_of_year(era * 400 + year, day - (365 * year + year / 4 - year / 100))
    }

    /// Years are counted from March here, so that the leap day ends its year, and the days before
    /// a month are a straight line: 153 in five months.
    fn of_day_of_year(year: i64, day_of_year: i64) -> Self {
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        Self {
            year: year + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * month_from_march + 2) / 5 + 1,
        }
    }

    fn to_days(self) -> i64 {
        let gregorian = self.count(GREGORIAN_SHIFT_DAYS, |year| {
            365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)
        });
        if gregorian >= FIRST_GREGORIAN_DAY {
            return gregorian;
        }
        // The ten days that were left out of October 1582 are taken as Julian ones too.
        self.count(JULIAN_SHIFT_DAYS, |year| 365 * year + year.div_euclid(4))
    }

    fn count(self, shift: i64, days_before_year: impl Fn(i64) -> i64) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let month_from_march = (self.month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + self.day - 1;
        days_before_year(year) + day_of_year - shift
    }

    fn clamped_to_month(self) -> Self {
        let is_leap = if self.year > 1582 {
            self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0)
        } else {
            self.year % 4 == 0
        };
        let length = match self.month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        Self {
            day: self.day.min(length),
            ..self
        }
    }

    /// The year as Java counts it, which has no year zero: 1 BC and 1 AD are both 1.
    pub(super) fn year_of_era(self) -> i64 {
        if self.year > 0 {
            self.year
        } else {
            1 - self.year
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(text: &str) -> Duration {
        text.parse().unwrap()
    }

    #[test]
    fn days_of_both_calendars_round_trip() {
        for days in (-1_500_000..1_500_000).step_by(17) {
            assert_eq!(Day::of_days(days).to_days(), days);
        }
        let first = Day {
            year: 1582,
            month: 10,
            day: 15,
        };
        let last_julian = Day {
            year: 1582,
            month: 10,
            day: 4,
        };
        assert_eq!(Day::of_days(FIRST_GREGORIAN_DAY), first);
        assert_eq!(Day::of_days(FIRST_GREGORIAN_DAY - 1), last_julian);
        assert_eq!(
            Day::gregorian(-719_528),
            Day {
                year: 0,
                month: 1,
                day: 1
            }
        );
    }

    #[test]
    fn months_end_with_their_last_day() {
        let january_31 = 1_580_464_800_000; // 2020-01-31T10:00Z
        assert_eq!(add(january_31, &duration("1mo")), 1_582_970_400_000);
        assert_eq!(subtract(january_31, &duration("1mo")), 1_577_786_400_000);
        assert_eq!(add(january_31, &duration("1y2mo3d4h")), 1_617_458_400_000);
        assert_eq!(subtract(january_31, &duration("36h")), 1_580_335_200_000);
    }

    #[test]
    fn floors_count_from_the_start() {
        let moment = 1_296_743_706_789; // 2011-02-03T14:35:06.789Z
        for (text, start, expected) in [
            ("1h", 0, 1_296_741_600_000),
            ("1mo", 0, 1_296_518_400_000),
            ("1y", 0, 1_293_840_000_000),
            ("1mo1d", 0, 1_295_568_000_000),
            ("7d", 915_148_800_000, 1_296_172_800_000),
            ("0h", 0, moment),
        ] {
            assert_eq!(floor(moment, &duration(text), start), expected, "{text}");
        }
    }
}
