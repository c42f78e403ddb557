//! The form by which an admin decides what holds: what was typed, and the decision it makes.

use stoa_votes::model::{ConfigHistory, ConfigRefusal, Day, PeriodLength, VotingConfig};
use stoa_votes::rules::decisions;
use stoa_votes::rules::salary::period_of;

use crate::fields::Fields;
use crate::parts::forms::Mistakes;
use crate::visit::Visit;

/// How many days ahead pay days are looked for.
const LOOKED_AHEAD: i32 = 800;

/// The fields of the form, as they are typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) from: String,
    pub(super) period: String,
    pub(super) period_days: String,
    pub(super) salary: String,
    pub(super) cost: String,
    pub(super) penalty: String,
    pub(super) unspent: String,
    pub(super) is_present_only: bool,
    pub(super) window: String,
}

impl Typed {
    /// What would go on as it is, from a day.
    pub(super) fn of(config: &VotingConfig, from: Option<Day>) -> Self {
        let (period, period_days) = match config.period {
            PeriodLength::Week => ("week", String::new()),
            PeriodLength::Month => ("month", String::new()),
            PeriodLength::Days(days) => ("days", days.to_string()),
        };
        let unspent = config.most_unspent.map(|most| most.to_string());
        Self {
            from: from.map(|day| day.to_string()).unwrap_or_default(),
            period: period.to_owned(),
            period_days,
            salary: config.salary.to_string(),
            cost: config.creation_cost.to_string(),
            penalty: config.penalty_percent.to_string(),
            unspent: unspent.unwrap_or_default(),
            is_present_only: config.only_present,
            window: config.window_days.to_string(),
        }
    }

    /// What a form brings.
    pub(super) fn of_form(form: &Fields) -> Self {
        let text = |name: &str| form.trimmed(name).to_owned();
        Self {
            from: text("from"),
            period: text("period"),
            period_days: text("period_days"),
            salary: text("salary"),
            cost: text("cost"),
            penalty: text("penalty"),
            unspent: text("unspent"),
            is_present_only: text("present") == "1",
            window: text("window"),
        }
    }

    /// The fields again, for a form that only confirms them.
    pub(super) fn hidden(&self) -> [(&'static str, &str); 9] {
        [
            ("from", &self.from),
            ("period", &self.period),
            ("period_days", &self.period_days),
            ("salary", &self.salary),
            ("cost", &self.cost),
            ("penalty", &self.penalty),
            ("unspent", &self.unspent),
            ("present", if self.is_present_only { "1" } else { "" }),
            ("window", &self.window),
        ]
    }

    /// The decision that was typed, which may be taken by what was decided before; none where
    /// something is wrong, which is noted.
    pub(super) fn decision(
        &self,
        visit: &Visit,
        history: &ConfigHistory,
        mistakes: &mut Mistakes,
    ) -> Option<VotingConfig> {
        let config = self.config(visit, mistakes)?;
        let known = history.all().iter().find(|it| it.from == config.from);
        let before = VotingConfig {
            from: config.from,
            ..history.on(config.from.previous())
        };
        let refusal = match known {
            // The same once more, which does no harm.
            Some(known) if *known == config => None,
            Some(_) => Some(ConfigRefusal::AlreadyDecided),
            None => decisions::check(&config, history, visit.now_micros()).err(),
        };
        if let Some(refusal) = refusal {
            let what = visit.texts.refusal(refusal.code(), &refusal.to_string());
            mistakes.add(field_of(refusal.code()), &what);
        } else if known.is_none() && before == config {
            mistakes.add("salary", visit.texts.admin_rules.same);
        }
        mistakes.is_empty().then_some(config)
    }

    fn config(&self, visit: &Visit, mistakes: &mut Mistakes) -> Option<VotingConfig> {
        let texts = &visit.texts.admin_rules;
        let from = Day::parse(&self.from);
        if from.is_none() {
            mistakes.add("from", texts.enter_day);
        }
        let mut number = |field: &str, typed: &str| {
            let number = typed.parse::<i64>().ok();
            if number.is_none() {
                mistakes.add(field, texts.enter_number);
            }
            number
        };
        let period = match self.period.as_str() {
            "week" => Some(PeriodLength::Week),
            "month" => Some(PeriodLength::Month),
            "days" => number("period_days", &self.period_days)
                // What is no number of days is refused as one that is too great.
                .map(|days| PeriodLength::Days(u16::try_from(days).unwrap_or(u16::MAX))),
            _ => None,
        };
        let (salary, cost) = (number("salary", &self.salary), number("cost", &self.cost));
        let penalty = number("penalty", &self.penalty);
        let most_unspent = match self.unspent.as_str() {
            "" => Some(None),
            typed => number("unspent", typed).map(Some),
        };
        let window = number("window", &self.window);
        if !matches!(self.period.as_str(), "week" | "month" | "days") {
            mistakes.add("period", texts.enter_period);
        }
        Some(VotingConfig {
            from: from?,
            period: period?,
            salary: salary?,
            creation_cost: cost?,
            penalty_percent: penalty?,
            most_unspent: most_unspent?,
            only_present: self.is_present_only,
            window_days: u16::try_from(window?).unwrap_or(u16::MAX),
        })
    }
}

/// Which field a refusal of a decision is about.
pub(super) fn field_of(code: &str) -> &'static str {
    match code {
        "decision_too_soon" | "decision_within_period" | "before_decision" | "already_decided" => {
            "from"
        }
        "salary_out_of_range" => "salary",
        "cost_out_of_range" => "cost",
        "percent_out_of_range" => "penalty",
        "period_out_of_range" => "period_days",
        "unspent_out_of_range" => "unspent",
        "window_out_of_range" => "window",
        _ => "",
    }
}

/// The next days on which votes are paid from a day on, with how many, if a decision is taken.
pub(super) fn pay_days(
    history: &ConfigHistory,
    decision: VotingConfig,
    most: usize,
) -> Vec<(Day, i64)> {
    let others = history.all().iter().copied();
    let others = others.filter(|it| it.from != decision.from);
    let history = ConfigHistory::new(decision, others);
    let from = decision.from;
    let days = from.through(from.plus(LOOKED_AHEAD));
    let paid = days.filter(|day| period_of(*day, history.on(*day).period) == *day);
    paid.map(|day| (day, history.on(day).salary))
        .take(most)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16, a Monday.
    const MONDAY: Day = Day(20_773);

    #[test]
    fn pay_days_are_told_with_what_is_decided_after() {
        let twice = VotingConfig {
            salary: 200,
            ..VotingConfig::initial(MONDAY.plus(7))
        };
        let later = VotingConfig {
            salary: 50,
            ..VotingConfig::initial(MONDAY.plus(21))
        };
        let history = ConfigHistory::new(VotingConfig::initial(Day(0)), [later]);
        let paid = pay_days(&history, twice, 3);
        let expected = [(7, 200), (14, 200), (21, 50)].map(|(at, votes)| (MONDAY.plus(at), votes));
        assert_eq!(paid, expected);
    }
}
