//! `date`, `time` and `timestamp`: points on the calendar and the clock face.
//!
//! These are bare counts; their texts are in [`crate::text`]. The calendar is the Gregorian one,
//! extended backwards without end.

/// Days per 400 Gregorian years.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_SHIFT_DAYS: i64 = 719_468;

/// A day: an unsigned count with 1970-01-01 at 2^31, so that the bytes sort as the days do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub u32);

impl Date {
    const EPOCH: u32 = 1 << 31;

    /// The day that is this many days after (or before) 1970-01-01.
    #[must_use]
    pub fn from_days_since_epoch(days: i32) -> Self {
        Self(days.cast_unsigned() ^ Self::EPOCH)
    }

    /// Days after (or, negative, before) 1970-01-01.
    #[must_use]
    pub fn days_since_epoch(self) -> i32 {
        (self.0 ^ Self::EPOCH).cast_signed()
    }
}

/// A time of day in nanoseconds since midnight.
///
/// Texts only make values below [`Time::NANOS_PER_DAY`]; bytes may hold any count, since Cassandra
/// checks nothing but their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// One more than the greatest time of day.
    pub const NANOS_PER_DAY: i64 = 86_400_000_000_000;

    /// Whether this is a time that a clock can show.
    #[must_use]
    pub fn is_in_day(self) -> bool {
        (0..Self::NANOS_PER_DAY).contains(&self.0)
    }
}

/// A moment in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A year (0 is 1 BC), a month (1 to 12) and a day (1 to 31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CivilDate {
    /// The year; 0 is 1 BC.
    pub year: i64,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
}

impl CivilDate {
    /// The calendar day of a count of days since 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last of its year and the length
    /// of all months before a given one is a straight line (153 days per five months).
    #[must_use]
    pub fn from_days(days: i64) -> Self {
        let shifted = days + EPOCH_SHIFT_DAYS;
        let era = shifted.div_euclid(DAYS_PER_ERA);
        let day_of_era = shifted.rem_euclid(DAYS_PER_ERA);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month: u32::try_from(month).unwrap_or(1),
            day: u32::try_from(day).unwrap_or(1),
        }
    }

    /// Days since 1970-01-01. The year must be far from the ends of `i64`.
    #[must_use]
    pub fn to_days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = i64::from((self.month + 9) % 12);
        let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_PER_ERA + day_of_era - EPOCH_SHIFT_DAYS
    }

    /// The number of days in this date's month.
    #[must_use]
    pub fn days_in_month(self) -> u32 {
        let year = self.year;
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        match self.month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_is_in_the_middle() {
        assert_eq!(Date::from_days_since_epoch(0).0, 1 << 31);
        assert_eq!(Date::from_days_since_epoch(i32::MIN).0, 0);
        assert_eq!(Date(u32::MAX).days_since_epoch(), i32::MAX);
    }

    #[test]
    fn civil_dates_are_known() {
        for (days, year, month, day) in [
            (0, 1970, 1, 1),
            (-1, 1969, 12, 31),
            (11_016, 2000, 2, 29),
            (11_017, 2000, 3, 1),
            (19_723, 2024, 1, 1),
            (-719_162, 1, 1, 1),
            (-719_528, 0, 1, 1),
            (2_932_896, 9999, 12, 31),
        ] {
            let date = CivilDate { year, month, day };
            assert_eq!(CivilDate::from_days(days), date);
            assert_eq!(date.to_days(), days);
        }
    }

    #[test]
    fn every_day_of_eight_centuries_round_trips_and_fits_its_month() {
        for days in -146_097..146_097_i64 {
            let date = CivilDate::from_days(days);
            assert_eq!(date.to_days(), days);
            assert!(date.day >= 1 && date.day <= date.days_in_month());
        }
    }
}
