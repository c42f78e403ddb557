//! What the community cannot decide about votes as money, and why.

use super::day::Day;

/// Why a decision was not taken. Each has a code that clients may rely on for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigRefusal {
    /// It would begin too soon for everybody to know.
    #[error("a decision begins an hour from now at the earliest, at the beginning of a day")]
    TooSoon,
    /// It would begin within a period that was paid for.
    #[error("a decision begins with a period; the next one begins on {next}")]
    WithinPeriod {
        /// The first day of the next period.
        next: Day,
    },
    /// A decision that was taken already would begin within a period of this one.
    #[error("on {later} another decision begins, which would be within a period of this one")]
    BeforeDecision {
        /// When that one begins.
        later: Day,
    },
    /// Something else was decided for that day.
    #[error("something else was decided for that day already")]
    AlreadyDecided,
    /// A salary that cannot be.
    #[error("a salary is 0 to 1,000,000 votes")]
    SalaryOutOfRange,
    /// A cost that cannot be.
    #[error("a new policy costs 0 to 1,000,000 votes")]
    CostOutOfRange,
    /// A share that cannot be.
    #[error("0 to 100 percent of withdrawn votes are lost")]
    PercentOutOfRange,
    /// A period that cannot be.
    #[error("votes are paid every 1 to 366 days")]
    PeriodOutOfRange,
    /// A limit that cannot be.
    #[error("0 to 1,000,000,000 votes may stay unspent")]
    UnspentOutOfRange,
    /// A window that cannot be.
    #[error("rankings look back 1 to 366 days")]
    WindowOutOfRange,
}

impl ConfigRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::TooSoon => "decision_too_soon",
            Self::WithinPeriod { .. } => "decision_within_period",
            Self::BeforeDecision { .. } => "before_decision",
            Self::AlreadyDecided => "already_decided",
            Self::SalaryOutOfRange => "salary_out_of_range",
            Self::CostOutOfRange => "cost_out_of_range",
            Self::PercentOutOfRange => "percent_out_of_range",
            Self::PeriodOutOfRange => "period_out_of_range",
            Self::UnspentOutOfRange => "unspent_out_of_range",
            Self::WindowOutOfRange => "window_out_of_range",
        }
    }
}
