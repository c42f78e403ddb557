//! How numbers, days and times are written.

use stoa_votes::model::Day;

/// What differs between languages.
#[derive(Debug)]
pub struct FormatTexts {
    /// Between thousands.
    pub thousands: &'static str,
    /// Between whole numbers and parts.
    pub point: &'static str,
    /// The months, as they stand in a date.
    pub months: [&'static str; 12],
    /// The months, where there is little room.
    pub short_months: [&'static str; 12],
    /// The days of a week, from Monday.
    pub weekdays: [&'static str; 7],
    /// A day of the month, a month, and a year if it must be told.
    pub date: fn(u32, &str, Option<i64>) -> String,
    /// A day and a time.
    pub moment: fn(&str, &str) -> String,
}

impl FormatTexts {
    /// A number, with its minus if it has one.
    #[must_use]
    pub fn number(&self, number: i64) -> String {
        let digits = number.unsigned_abs().to_string();
        let mut text = String::new();
        if number < 0 {
            text.push('−');
        }
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push_str(self.thousands);
            }
            text.push(digit);
        }
        text
    }

    /// A number that tells more or less, with its sign.
    #[must_use]
    pub fn change(&self, number: i64) -> String {
        match number > 0 {
            true => format!("+{}", self.number(number)),
            false => self.number(number),
        }
    }

    /// A number of thousandths, with one place behind the point.
    #[must_use]
    pub fn thousandths(&self, number: i64) -> String {
        let tenths = number / 100;
        format!(
            "{}{}{}",
            self.number(tenths / 10),
            self.point,
            (tenths % 10).abs()
        )
    }

    /// A day, with its year.
    #[must_use]
    pub fn day(&self, day: Day) -> String {
        let date = day.civil();
        (self.date)(date.day, month(&self.months, date.month), Some(date.year))
    }

    /// A day of this year or so.
    #[must_use]
    pub fn short_day(&self, day: Day) -> String {
        let date = day.civil();
        (self.date)(date.day, month(&self.short_months, date.month), None)
    }

    /// A day of the week.
    #[must_use]
    pub fn weekday(&self, day: Day) -> &'static str {
        // 1970-01-01 was a Thursday.
        let at = usize::try_from((day.0 + 3).rem_euclid(7)).unwrap_or(0);
        self.weekdays.get(at).copied().unwrap_or_default()
    }

    /// The time of a moment, in UTC.
    #[must_use]
    pub fn time(&self, micros: i64) -> String {
        let minutes = micros.div_euclid(60_000_000).rem_euclid(1_440);
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// A day and a time.
    #[must_use]
    pub fn moment(&self, micros: i64) -> String {
        let day = self.short_day(Day::of_micros(micros));
        (self.moment)(&day, &self.time(micros))
    }
}

fn month(names: &[&'static str; 12], number: u32) -> &'static str {
    let at = usize::try_from(number).unwrap_or(1).saturating_sub(1);
    names.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::{de, en};

    #[test]
    fn numbers_and_days_are_written_as_people_write_them() {
        let (english, german) = (&en::TEXTS.format, &de::TEXTS.format);
        assert_eq!(english.number(1_234_567), "1,234,567");
        assert_eq!(german.number(-1_234), "−1.234");
        assert_eq!(english.thousandths(12_345), "12.3");
        assert_eq!(german.thousandths(1_234_567), "1.234,5");
        assert_eq!(
            (english.change(38), english.change(0)),
            ("+38".to_owned(), "0".to_owned())
        );
        let monday = Day(20_773);
        assert_eq!(english.day(monday), "16 November 2026");
        assert_eq!(german.day(monday), "16. November 2026");
        assert_eq!(
            (english.weekday(monday), german.weekday(monday)),
            ("Monday", "Montag")
        );
        assert_eq!(english.time(monday.start_micros() + 3_660_000_000), "01:01");
    }
}
