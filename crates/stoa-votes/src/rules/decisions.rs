//! What may be decided about votes as money, and from when it may hold.
//!
//! A decision is dated in the future, so that every instance knows it before it holds, and begins
//! with a period, so that no period is paid at two rates.

use super::salary::period_of;
use crate::model::{ConfigHistory, ConfigRefusal, Day, PeriodLength, VotingConfig};

/// How long before it holds a decision is taken at least. Instances remember what they read for a
/// minute, and their clocks are up to five minutes off.
pub const NOTICE_MICROS: i64 = 3_600_000_000;
/// Votes of a salary, and of a new policy, at most.
const MOST_VOTES: i64 = 1_000_000;
/// Unspent votes that a community can decide to allow at most.
const MOST_UNSPENT: i64 = 1_000_000_000;
/// Days of a period, and of a window, at most; so many are looked at for the beginning of the next one.
const MOST_DAYS: u16 = 366;
/// How many days ahead days are looked for on which a decision may begin.
const LOOKED_AHEAD: i32 = 800;

/// Judges a decision by what was decided before it.
///
/// # Errors
/// Why it cannot be taken.
pub fn check(
    config: &VotingConfig,
    history: &ConfigHistory,
    now_micros: i64,
) -> Result<(), ConfigRefusal> {
    if !(0..=MOST_VOTES).contains(&config.salary) {
        return Err(ConfigRefusal::SalaryOutOfRange);
    }
    if !(0..=MOST_VOTES).contains(&config.creation_cost) {
        return Err(ConfigRefusal::CostOutOfRange);
    }
    if !(0..=100).contains(&config.penalty_percent) {
        return Err(ConfigRefusal::PercentOutOfRange);
    }
    if let PeriodLength::Days(days) = config.period
        && !(1..=MOST_DAYS).contains(&days)
    {
        return Err(ConfigRefusal::PeriodOutOfRange);
    }
    if config
        .most_unspent
        .is_some_and(|most| !(0..=MOST_UNSPENT).contains(&most))
    {
        return Err(ConfigRefusal::UnspentOutOfRange);
    }
    if !(1..=MOST_DAYS).contains(&config.window_days) {
        return Err(ConfigRefusal::WindowOutOfRange);
    }
    if config.from.start_micros() < now_micros.saturating_add(NOTICE_MICROS) {
        return Err(ConfigRefusal::TooSoon);
    }
    let begins = |day: &Day| period_of(*day, history.on(day.previous()).period) == *day;
    if begins(&config.from) {
        return match split_by(config, history) {
            None => Ok(()),
            Some(later) => Err(ConfigRefusal::BeforeDecision { later }),
        };
    }
    let later = config.from.next();
    let mut later = later.through(later.plus(i32::from(MOST_DAYS)));
    let next = later.find(begins).unwrap_or(config.from);
    Err(ConfigRefusal::WithinPeriod { next })
}

/// The next days on which a decision may begin and nothing is decided yet, the earliest first.
#[must_use]
pub fn next_days(history: &ConfigHistory, now_micros: i64, most: usize) -> Vec<Day> {
    let first = Day::of_micros(now_micros.saturating_add(NOTICE_MICROS)).next();
    let days = first.through(first.plus(LOOKED_AHEAD));
    let begins = |day: &Day| period_of(*day, history.on(day.previous()).period) == *day;
    let is_free = |day: &Day| !history.all().iter().any(|it| it.from == *day);
    let days = days.filter(|day| begins(day) && is_free(day));
    days.take(most).collect()
}

/// The next decision that was taken already, if it would begin within a period of this one.
fn split_by(config: &VotingConfig, history: &ConfigHistory) -> Option<Day> {
    let mut later = history.since(config.from).iter().map(|it| it.from);
    let later = later.find(|from| *from > config.from)?;
    (period_of(later, config.period) != later).then_some(later)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16, a Monday.
    const MONDAY: Day = Day(20_773);

    fn code(config: VotingConfig) -> &'static str {
        let history = ConfigHistory::new(VotingConfig::initial(Day(0)), []);
        let now = MONDAY.plus(1).start_micros();
        check(&config, &history, now).map_or_else(ConfigRefusal::code, |()| "taken")
    }

    #[test]
    fn a_decision_begins_with_a_period_that_nobody_is_in_yet() {
        let on = |day| code(VotingConfig::initial(day));
        assert_eq!(on(MONDAY.plus(7)), "taken");
        assert_eq!(on(MONDAY), "decision_too_soon");
        assert_eq!(on(MONDAY.plus(3)), "decision_within_period");
        let history = ConfigHistory::new(VotingConfig::initial(Day(0)), []);
        let config = VotingConfig::initial(MONDAY.plus(3));
        let next = MONDAY.plus(7);
        assert_eq!(
            check(&config, &history, MONDAY.start_micros()),
            Err(ConfigRefusal::WithinPeriod { next })
        );
    }

    #[test]
    fn a_decision_does_not_reach_into_the_period_of_a_later_one() {
        let weekly = VotingConfig::initial(MONDAY.plus(28));
        let history = ConfigHistory::new(VotingConfig::initial(Day(0)), [weekly]);
        let every = |period| VotingConfig {
            period,
            ..VotingConfig::initial(MONDAY.plus(14))
        };
        let on = |period| check(&every(period), &history, MONDAY.start_micros());
        assert_eq!(on(PeriodLength::Week), Ok(()));
        assert_eq!(on(PeriodLength::Days(1)), Ok(()));
        let later = weekly.from;
        assert_eq!(
            on(PeriodLength::Month),
            Err(ConfigRefusal::BeforeDecision { later })
        );
    }

    #[test]
    fn absurd_numbers_are_refused_each_by_its_name() {
        let config = VotingConfig::initial(MONDAY.plus(7));
        for salary in [-1, MOST_VOTES + 1, i64::MIN, i64::MAX] {
            assert_eq!(
                code(VotingConfig { salary, ..config }),
                "salary_out_of_range"
            );
            let creation_cost = salary;
            let config = VotingConfig {
                creation_cost,
                ..config
            };
            assert_eq!(code(config), "cost_out_of_range");
        }
        for penalty_percent in [-1, 101, i64::MAX] {
            let config = VotingConfig {
                penalty_percent,
                ..config
            };
            assert_eq!(code(config), "percent_out_of_range");
        }
        for most in [-1, MOST_UNSPENT + 1, i64::MIN] {
            let most_unspent = Some(most);
            let config = VotingConfig {
                most_unspent,
                ..config
            };
            assert_eq!(code(config), "unspent_out_of_range");
        }
        for window_days in [0, 367, u16::MAX] {
            let config = VotingConfig {
                window_days,
                ..config
            };
            assert_eq!(code(config), "window_out_of_range");
        }
        for days in [0, 367, u16::MAX] {
            let period = PeriodLength::Days(days);
            assert_eq!(
                code(VotingConfig { period, ..config }),
                "period_out_of_range"
            );
        }
    }

    #[test]
    fn decisions_begin_on_the_first_days_of_periods_that_are_free() {
        let now = MONDAY.start_micros();
        let weekly = ConfigHistory::new(VotingConfig::initial(Day(0)), []);
        assert_eq!(
            next_days(&weekly, now, 2),
            [MONDAY.plus(7), MONDAY.plus(14)]
        );
        let monthly = VotingConfig {
            period: PeriodLength::Month,
            ..VotingConfig::initial(MONDAY.plus(14))
        };
        let history = ConfigHistory::new(VotingConfig::initial(Day(0)), [monthly]);
        let next = next_days(&history, now, 3).into_iter();
        let next: Vec<String> = next.map(|day| day.to_string()).collect();
        assert_eq!(next, ["2026-11-23", "2026-12-01", "2027-01-01"]);
        for day in next_days(&weekly, now, 5) {
            let config = VotingConfig::initial(day);
            assert_eq!(check(&config, &weekly, now), Ok(()));
        }
    }
}
