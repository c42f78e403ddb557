//! Which periods a user is paid for, and how much.
//!
//! A period is named by its first day. Paying a period twice is therefore the same payment, and
//! every instance computes the same list.

use crate::model::{ConfigHistory, Day, PeriodLength};

/// Payments that are computed at once at most: fifty years of days.
const MOST_PAYMENTS: usize = 18_300;

/// One payment of votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// The first day of the period.
    pub period: Day,
    /// How many votes.
    pub amount: i64,
}

/// The first day of the period that a day falls in.
#[must_use]
pub fn period_of(day: Day, length: PeriodLength) -> Day {
    match length {
        PeriodLength::Days(days) => day.plus(-day.0.rem_euclid(i32::from(days.max(1)))),
        // 1970-01-01 was a Thursday, three days after a Monday.
        PeriodLength::Week => day.plus(-(day.0 + 3).rem_euclid(7)),
        PeriodLength::Month => day.plus(1 - i32::try_from(day.civil().day).unwrap_or(1)),
    }
}

/// Whether a period begins on a day.
fn begins(day: Day, config: &ConfigHistory) -> bool {
    period_of(day, config.on(day).period) == day
}

/// What is due to a user who joined on a day, up to another on which the user is there: the period
/// of joining, and every period that began since, each at the rate of its first day. Where only those
/// who are there are paid, a later period that is over is paid with nothing, unless it was paid while
/// it was under way. That decides it: an instance whose clock is behind, or that was held up, could
/// pay it otherwise, and what was paid up to the day of a record would change after the record.
#[must_use]
pub fn payments(config: &ConfigHistory, joined: Day, through: Day) -> Vec<Payment> {
    let first = period_of(joined, config.on(joined).period);
    let later = joined.next().through(through);
    let later = later.filter(|day| begins(*day, config));
    let later = later.map(|period| {
        let rate = config.on(period);
        let is_missed = rate.only_present && period_of(through, rate.period) != period;
        Payment {
            period,
            amount: if is_missed { 0 } else { rate.salary },
        }
    });
    let first = Payment {
        period: first,
        amount: config.on(first).salary,
    };
    std::iter::once(first)
        .chain(later)
        .take(MOST_PAYMENTS)
        .collect()
}

/// What is paid of an amount to somebody with so many unspent votes.
#[must_use]
pub fn paid_of(amount: i64, unspent: i64, most_unspent: Option<i64>) -> i64 {
    match most_unspent {
        None => amount,
        Some(most) => amount.min(most.saturating_sub(unspent)).max(0),
    }
}

/// Whether a payment can be what was decided for its period; and, where it is known when the user
/// joined, whether it is due to the user at all: nobody is paid for a period that was over by then.
#[must_use]
pub fn is_possible(payment: Payment, joined: Option<Day>, config: &ConfigHistory) -> bool {
    let rate = config.on(payment.period);
    let begins = begins(payment.period, config);
    let is_period = match joined {
        None => begins,
        Some(joined) if payment.period > joined => begins,
        Some(joined) => payment.period == period_of(joined, config.on(joined).period),
    };
    let is_amount = match rate.most_unspent {
        None if rate.only_present => [0, rate.salary].contains(&payment.amount),
        None => payment.amount == rate.salary,
        Some(_) => (0..=rate.salary).contains(&payment.amount),
    };
    is_period && is_amount
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VotingConfig;

    /// 2026-11-16, a Monday.
    const MONDAY: Day = Day(20_773);

    fn weekly(salary: i64) -> VotingConfig {
        VotingConfig {
            salary,
            ..VotingConfig::initial(Day(0))
        }
    }

    #[test]
    fn days_have_their_names_and_weeks_begin_on_mondays() {
        assert_eq!(MONDAY.to_string(), "2026-11-16");
        for day in 0..7 {
            assert_eq!(period_of(MONDAY.plus(day), PeriodLength::Week), MONDAY);
        }
        assert_eq!(
            period_of(MONDAY.previous(), PeriodLength::Week),
            MONDAY.plus(-7)
        );
        let first = period_of(MONDAY, PeriodLength::Month);
        assert_eq!(first.to_string(), "2026-11-01");
        assert_eq!(period_of(Day(-1), PeriodLength::Days(10)), Day(-10));
    }

    #[test]
    fn the_period_of_joining_is_paid_and_each_one_after() {
        let config = ConfigHistory::new(weekly(100), []);
        let joined = MONDAY.plus(2);
        let paid = payments(&config, joined, MONDAY.plus(14));
        let periods: Vec<Day> = paid.iter().map(|payment| payment.period).collect();
        assert_eq!(periods, [MONDAY, MONDAY.plus(7), MONDAY.plus(14)]);
        assert_eq!(payments(&config, joined, joined.plus(-30)).len(), 1);
    }

    #[test]
    fn a_new_rate_holds_from_the_first_period_that_begins_under_it() {
        let change = VotingConfig {
            from: MONDAY.plus(3),
            salary: 70,
            ..weekly(0)
        };
        let config = ConfigHistory::new(weekly(100), [change]);
        let paid = payments(&config, MONDAY, MONDAY.plus(8));
        let amounts: Vec<i64> = paid.iter().map(|payment| payment.amount).collect();
        assert_eq!(amounts, [100, 70]);
    }

    #[test]
    fn where_only_those_are_paid_who_are_there_a_period_that_is_over_is_paid_with_nothing() {
        let present = VotingConfig {
            only_present: true,
            ..VotingConfig::initial(MONDAY)
        };
        let config = ConfigHistory::new(weekly(100), [present]);
        let joined = MONDAY.plus(-14);
        let due = |through: Day| -> Vec<(i32, i64)> {
            let due = payments(&config, joined, through).into_iter();
            due.map(|it| (it.period.0 - MONDAY.0, it.amount)).collect()
        };
        let (one, two) = ((-14, 100), (-7, 100));
        assert_eq!(due(MONDAY.previous()), [one, two]);
        assert_eq!(due(MONDAY.plus(6)), [one, two, (0, 100)]);
        let missed = [one, two, (0, 0), (7, 0), (14, 100)];
        assert_eq!(due(MONDAY.plus(20)), missed);
        let possible = |amount| {
            let period = MONDAY;
            is_possible(Payment { period, amount }, None, &config)
        };
        assert!(possible(0) && possible(100) && !possible(50));
    }

    #[test]
    fn a_period_ends_by_its_own_length_where_the_next_ones_are_longer() {
        let daily = VotingConfig {
            period: PeriodLength::Days(1),
            only_present: true,
            ..weekly(100)
        };
        // Three days from a day that is the second of three as they are counted from 1970.
        let longer = VotingConfig {
            from: MONDAY.plus(3),
            period: PeriodLength::Days(3),
            ..daily
        };
        let config = ConfigHistory::new(daily, [longer]);
        let before = period_of(longer.from, longer.period);
        assert_eq!(before, MONDAY.plus(2));
        // Who comes on the day of the change was not there the day before.
        let due = payments(&config, MONDAY, longer.from);
        let of_before = due.iter().find(|it| it.period == before);
        assert_eq!(of_before.map(|it| it.amount), Some(0));
    }

    #[test]
    fn nobody_is_paid_beyond_what_may_be_unspent() {
        let paid = |unspent| paid_of(100, unspent, Some(250));
        assert_eq!([0, 150, 200, 250, 400].map(paid), [100, 100, 50, 0, 0]);
        assert_eq!(paid(-50), 100);
        assert_eq!(paid_of(100, i64::MAX, None), 100);
        let capped = VotingConfig {
            most_unspent: Some(250),
            ..weekly(100)
        };
        let possible = |config: VotingConfig, amount| {
            let period = MONDAY;
            let config = ConfigHistory::new(config, []);
            is_possible(Payment { period, amount }, None, &config)
        };
        assert!([0, 50, 100].into_iter().all(|it| possible(capped, it)));
        assert!([-1, 101].into_iter().all(|it| !possible(capped, it)));
        assert!(possible(weekly(100), 100) && !possible(weekly(100), 50));
    }

    #[test]
    fn what_is_due_is_possible_and_nothing_before_or_beside_it() {
        let longer = VotingConfig {
            from: MONDAY.plus(3),
            period: PeriodLength::Days(10),
            ..weekly(150)
        };
        let config = ConfigHistory::new(weekly(100), [longer]);
        for joined in MONDAY.plus(-9).through(MONDAY.plus(25)) {
            let through = MONDAY.plus(60);
            let due = payments(&config, joined, through);
            for period in MONDAY.plus(-40).through(through) {
                let amount = config.on(period).salary;
                let payment = Payment { period, amount };
                let is_due = due.contains(&payment);
                let possible = is_possible(payment, Some(joined), &config);
                assert_eq!(possible, is_due, "{joined}, {period}");
                let other = Payment {
                    amount: amount + 1,
                    ..payment
                };
                assert!(!is_possible(other, Some(joined), &config));
            }
        }
    }

    #[test]
    fn a_change_of_the_length_neither_skips_nor_doubles_a_day() {
        let monthly = VotingConfig {
            from: MONDAY.plus(3),
            period: PeriodLength::Month,
            ..weekly(400)
        };
        let config = ConfigHistory::new(weekly(100), [monthly]);
        let paid = payments(&config, MONDAY.plus(-7), MONDAY.plus(40));
        let shown: Vec<String> = paid
            .iter()
            .map(|payment| format!("{} {}", payment.period, payment.amount))
            .collect();
        let expected = ["2026-11-09 100", "2026-11-16 100", "2026-12-01 400"];
        assert_eq!(shown, expected);
    }
}
