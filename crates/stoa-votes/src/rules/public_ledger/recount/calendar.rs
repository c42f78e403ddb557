//! What was paid when: the configuration as it is told, and what follows from it.

use std::collections::BTreeSet;

use crate::model::{ConfigHistory, Day, VotingConfig};
use crate::rules::salary::period_of;

/// How far back somebody may have joined: fifty years.
const MOST_DAYS: i32 = 18_300;

/// Payments by day.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    configs: Vec<VotingConfig>,
    history: Option<ConfigHistory>,
    /// What was paid from the first day through each, that one included.
    paid: Vec<i64>,
    first: Option<Day>,
    beginnings: Option<Beginnings>,
}

impl Calendar {
    pub(super) fn is_empty(&self) -> bool {
        self.configs.is_empty()
    }

    pub(super) fn add(&mut self, config: VotingConfig) {
        self.configs.push(config);
        let mut all = self.configs.iter().copied();
        self.history = all.next().map(|first| ConfigHistory::new(first, all));
    }

    pub(super) fn on(&self, day: Day) -> VotingConfig {
        let history = self.history.as_ref();
        history.map_or_else(|| VotingConfig::initial(day), |history| history.on(day))
    }

    /// Pays what is due up to a day; all that holds by then was told.
    pub(super) fn reach(&mut self, day: Day) {
        let first = *self.first.get_or_insert(day);
        let known = i32::try_from(self.paid.len()).unwrap_or(i32::MAX);
        for day in first.plus(known).through(day) {
            let before = self.paid.last().copied().unwrap_or(0);
            self.paid.push(before.saturating_add(self.due(day)));
        }
    }

    /// What is paid to everybody on a day: that of the period that begins then.
    fn due(&self, day: Day) -> i64 {
        let config = self.on(day);
        match period_of(day, config.period) == day {
            true => config.salary,
            false => 0,
        }
    }

    /// Whether somebody with so many votes on one day can have been paid so many up to another, both
    /// of which were reached.
    pub(super) fn can_go_on(&self, (since, before): (Day, i64), (day, paid): (Day, i64)) -> bool {
        let due = self.between(since, day);
        let most = due.map(|due| before.saturating_add(due));
        match self.pays_everybody() {
            true => most == Some(paid),
            false => most.is_some_and(|most| (before..=most).contains(&paid)),
        }
    }

    /// Whether what somebody was paid follows from the days alone. Otherwise it is no more than that.
    fn pays_everybody(&self) -> bool {
        self.configs.iter().all(VotingConfig::pays_everybody)
    }

    /// What is paid after one day and up to another, both of which were reached.
    fn between(&self, after: Day, through: Day) -> Option<i64> {
        let first = self.first?;
        let at = |day: Day| -> Option<i64> {
            let place = usize::try_from(day.0.checked_sub(first.0)?).ok()?;
            self.paid.get(place).copied()
        };
        Some(at(through)?.saturating_sub(at(after)?))
    }

    /// Whether somebody who joined some day, or not yet, can have been paid so much up to a day.
    pub(super) fn can_begin_with(&mut self, day: Day, paid: i64) -> bool {
        let known = self.beginnings.take().filter(|known| known.day == day);
        let mut known = known.unwrap_or_else(|| Beginnings {
            day,
            amounts: BTreeSet::from([0]),
            later: 0,
            joined: day,
        });
        // Who joined earlier was paid more, so most are found after a few days.
        while known.later <= paid && known.joined > day.plus(-MOST_DAYS) {
            let period = period_of(known.joined, self.on(known.joined).period);
            let first = self.on(period).salary;
            known.amounts.insert(known.later.saturating_add(first));
            known.later = known.later.saturating_add(self.due(known.joined));
            known.joined = known.joined.previous();
        }
        let is_possible = match self.pays_everybody() {
            true => known.amounts.contains(&paid),
            false => (0..=known.amounts.last().copied().unwrap_or(0)).contains(&paid),
        };
        self.beginnings = Some(known);
        is_possible
    }
}

/// What somebody whose first record is of a day can have been paid.
#[derive(Debug)]
struct Beginnings {
    day: Day,
    amounts: BTreeSet<i64>,
    /// What everybody was paid since who joined on the last day that was looked at.
    later: i64,
    /// The next day of joining to look at, going back.
    joined: Day,
}
