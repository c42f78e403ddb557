//! What is on the front page on which day.

use crate::model::{Day, PageRefusal, PolicyId, UserId};

/// How many are on it on one day at most.
pub const MOST_FEATURED: usize = 6;
/// How many entries are kept at most, those of days to come included.
pub const MOST_ENTRIES: usize = 100;

/// A policy on the front page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Featured {
    /// The policy.
    pub policy: PolicyId,
    /// The first day.
    pub from: Day,
    /// The last day.
    pub through: Day,
}

/// An entry of the front page, and who put it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeaturedBy {
    /// The entry.
    pub featured: Featured,
    /// Who put it there, as it is now.
    pub by: UserId,
}

/// Entries that somebody puts in place of others. One that was there as it is stays that of whoever
/// put it there, wherever it stands now.
#[must_use]
pub fn put_by(by: UserId, entries: &[Featured], there: &[FeaturedBy]) -> Vec<FeaturedBy> {
    let entries = entries.iter().map(|featured| {
        let before = there.iter().find(|it| it.featured == *featured);
        FeaturedBy {
            featured: *featured,
            by: before.map_or(by, |it| it.by),
        }
    });
    entries.collect()
}

impl Featured {
    fn is_on(&self, day: Day) -> bool {
        self.from <= day && day <= self.through
    }
}

/// What is on it on a day, in its order.
#[must_use]
pub fn featured_on(entries: &[Featured], day: Day) -> Vec<PolicyId> {
    let on = entries.iter().filter(|entry| entry.is_on(day));
    on.map(|entry| entry.policy).collect()
}

/// Whether these can be on it.
///
/// # Errors
/// Why not.
pub fn check_front_page(entries: &[Featured]) -> Result<(), PageRefusal> {
    if entries.len() > MOST_ENTRIES {
        return Err(PageRefusal::TooManyFeatured);
    }
    for entry in entries {
        if entry.through < entry.from {
            return Err(PageRefusal::FeaturedBackwards);
        }
        // A day that has too many has them from the first day of one of them on, and so has one
        // that has a policy twice.
        let on = featured_on(entries, entry.from);
        if on.len() > MOST_FEATURED {
            return Err(PageRefusal::TooManyFeatured);
        }
        if on.iter().filter(|it| **it == entry.policy).count() > 1 {
            return Err(PageRefusal::FeaturedTwice);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn entry(policy: u128, from: i32, through: i32) -> Featured {
        Featured {
            policy: PolicyId(Uuid::from_u128(policy)),
            from: Day(from),
            through: Day(through),
        }
    }

    #[test]
    fn six_fit_on_a_day_and_the_order_is_kept() {
        let mut entries: Vec<Featured> = (0..6).map(|at| entry(9 - at, 10, 20)).collect();
        assert_eq!(check_front_page(&entries), Ok(()));
        let first = featured_on(&entries, Day(20)).first().copied();
        assert_eq!(first, Some(PolicyId(Uuid::from_u128(9))));
        entries.push(entry(77, 21, 30));
        assert_eq!(check_front_page(&entries), Ok(()));
        entries.push(entry(78, 5, 10));
        assert_eq!(
            check_front_page(&entries),
            Err(PageRefusal::TooManyFeatured)
        );
    }

    #[test]
    fn a_policy_is_on_it_once_a_day() {
        let once = [entry(1, 10, 12), entry(1, 13, 15)];
        assert_eq!(check_front_page(&once), Ok(()));
        let twice = [entry(1, 10, 12), entry(1, 12, 15)];
        assert_eq!(check_front_page(&twice), Err(PageRefusal::FeaturedTwice));
    }

    #[test]
    fn an_entry_does_not_end_before_it_begins() {
        let backwards = [entry(1, 10, 9)];
        assert_eq!(
            check_front_page(&backwards),
            Err(PageRefusal::FeaturedBackwards)
        );
        assert_eq!(featured_on(&backwards, Day(10)), []);
    }
}
