//! How a user is told of what happens to watched policies.

use uuid::Uuid;

use super::day::Day;

/// How often a user gets a mail with what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DigestFrequency {
    /// Not at all.
    Never,
    /// On the day after.
    Daily,
    /// On Mondays, as long as the user says nothing else.
    #[default]
    Weekly,
}

/// Days from a Monday to 1970-01-01.
const MONDAY_TO_EPOCH: i32 = 3;
const DAYS_OF_WEEK: i32 = 7;

impl DigestFrequency {
    /// Every frequency with its name in tables.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Never, "never"),
        (Self::Daily, "daily"),
        (Self::Weekly, "weekly"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(it, _)| *it == self);
        found.map_or("", |(_, name)| name)
    }

    /// The frequency of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(frequency, _)| *frequency)
    }

    /// The day on which what happens on a day is told; always a later one.
    #[must_use]
    pub fn due_after(self, day: Day) -> Option<Day> {
        match self {
            Self::Never => None,
            Self::Daily => Some(day.next()),
            Self::Weekly => {
                let since_monday = day.0.wrapping_add(MONDAY_TO_EPOCH).rem_euclid(DAYS_OF_WEEK);
                Some(day.plus(DAYS_OF_WEEK - since_monday))
            }
        }
    }

    /// The first day of which a digest of a day tells; none if it is no day for a digest.
    #[must_use]
    pub fn first_day_of(self, due: Day) -> Option<Day> {
        let first = match self {
            Self::Never => return None,
            Self::Daily => due.plus(-1),
            Self::Weekly => due.plus(-DAYS_OF_WEEK),
        };
        (self.due_after(first) == Some(due)).then_some(first)
    }
}

/// What a user said about being told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotificationSettings {
    /// How often by mail.
    pub digest: DigestFrequency,
    /// The last notification that the user has seen; a time UUID.
    pub seen_through: Option<Uuid>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_due_on_a_later_day_and_tell_of_all_days_before() {
        // 2026-11-16 is a Monday.
        for day in Day(20_773).through(Day(20_800)) {
            assert_eq!(DigestFrequency::Daily.due_after(day), Some(day.next()));
            assert_eq!(DigestFrequency::Never.due_after(day), None);
            let due = DigestFrequency::Weekly.due_after(day).unwrap();
            assert!(due > day && due.0 - day.0 <= 7, "{day}");
            assert_eq!((due.0 - 20_773) % 7, 0, "{day}");
            let first = DigestFrequency::Weekly.first_day_of(due).unwrap();
            assert!(first <= day, "{day}");
            assert_eq!(
                DigestFrequency::Daily.first_day_of(day),
                Some(day.previous())
            );
            assert_eq!(DigestFrequency::Never.first_day_of(day), None);
        }
        assert_eq!(DigestFrequency::Weekly.first_day_of(Day(20_774)), None);
    }
}
