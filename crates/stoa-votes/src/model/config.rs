//! What the community decided about votes as money. Each change is a row of its own with the day
//! it begins, written before that day and never changed.

use super::day::Day;

/// How often votes are paid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeriodLength {
    /// Every so many days, counted from 1970-01-01.
    Days(u16),
    /// Every Monday.
    Week,
    /// On the first of every month.
    Month,
}

/// What holds from one day on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VotingConfig {
    /// The day it begins.
    pub from: Day,
    /// How often votes are paid out.
    pub period: PeriodLength,
    /// How many votes a user gets each time.
    pub salary: i64,
    /// How many votes a new policy gets from who creates it.
    pub creation_cost: i64,
    /// How much of each withdrawn vote is lost, in percent.
    pub penalty_percent: i64,
    /// Beyond how many unspent votes nobody is paid, if the community decided so.
    pub most_unspent: Option<i64>,
    /// Whether a period is paid only to those who are there during it.
    pub only_present: bool,
    /// Over how many days rankings look unless somebody asks for others.
    pub window_days: u16,
}

impl VotingConfig {
    /// What holds where nobody decided anything: 100 votes a week, a policy costs 100, half of
    /// what is withdrawn is lost, and unspent votes are kept.
    #[must_use]
    pub fn initial(from: Day) -> Self {
        Self {
            from,
            period: PeriodLength::Week,
            salary: 100,
            creation_cost: 100,
            penalty_percent: 50,
            most_unspent: None,
            only_present: false,
            window_days: 3,
        }
    }

    /// Whether everybody is paid the same, whatever they do.
    #[must_use]
    pub fn pays_everybody(&self) -> bool {
        self.most_unspent.is_none() && !self.only_present
    }
}

/// Every configuration there was and is, by the day it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigHistory(Vec<VotingConfig>);

impl ConfigHistory {
    /// The history of these. The first also holds before its day.
    #[must_use]
    pub fn new(first: VotingConfig, others: impl IntoIterator<Item = VotingConfig>) -> Self {
        let mut all: Vec<VotingConfig> = std::iter::once(first).chain(others).collect();
        all.sort_by_key(|config| config.from);
        Self(all)
    }

    /// What holds on a day.
    #[must_use]
    pub fn on(&self, day: Day) -> VotingConfig {
        let begun = self.0.iter().rev().find(|config| config.from <= day);
        let found = begun.or(self.0.first()).copied();
        found.unwrap_or_else(|| VotingConfig::initial(day))
    }

    /// What holds on a day or later, the earliest first.
    #[must_use]
    pub fn since(&self, day: Day) -> &[VotingConfig] {
        let begun = self.0.iter().take_while(|config| config.from <= day);
        let past = begun.count().saturating_sub(1);
        self.0.get(past..).unwrap_or_default()
    }

    /// All of them, the earliest first.
    #[must_use]
    pub fn all(&self) -> &[VotingConfig] {
        &self.0
    }
}
