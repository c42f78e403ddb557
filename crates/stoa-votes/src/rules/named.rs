//! The thirteen rules by which no vote is lost and none spent twice.
//!
//! A running system holds all of them ([`Rules::ALL`]). The simulation leaves out one at a time,
//! and must then find a wrong count: that shows both that the rule is needed and that the
//! simulation would notice. Every place that keeps a rule asks for it here by its name.

use std::fmt;
use std::str::FromStr;

/// A rule by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The head of a chain moves by one conditional batch that also holds the record and the
    /// answer to the request.
    HeadCas,
    /// The intent is acknowledged before the batch is sent.
    IntentFirst,
    /// After the intent, the day is looked at again; who closes a day marks it before looking for
    /// intents.
    DayRecheck,
    /// After an unknown outcome nothing is concluded before a serial read.
    SettleUnknown,
    /// An intent without a record goes only when its batch can no longer be applied.
    Fence,
    /// One request has one answer, a refusal too.
    RequestOnce,
    /// What is lowered is judged by where the policy counts now, and the chain remembers it.
    RootFresh,
    /// States of policies change by conditional writes; a source counts only where it points.
    StateCas,
    /// A merge is written down before it begins, and finished whatever happens.
    MergeIntent,
    /// A day closes after the day before it, with all its intents settled; one closer's result is
    /// picked by a conditional write.
    CloseInOrder,
    /// A recount sums everything again, and writes as of when it began to read.
    RecountStamp,
    /// A period is paid once, at the rate of that period.
    PayOnce,
    /// An account ends with a record that takes everything back and has no successor.
    FinalHead,
}

impl Rule {
    /// All of them, with their names.
    pub const NAMES: [(Self, &'static str); 13] = [
        (Self::HeadCas, "head-cas"),
        (Self::IntentFirst, "intent-first"),
        (Self::DayRecheck, "day-recheck"),
        (Self::SettleUnknown, "settle-unknown"),
        (Self::Fence, "fence"),
        (Self::RequestOnce, "request-once"),
        (Self::RootFresh, "root-fresh"),
        (Self::StateCas, "state-cas"),
        (Self::MergeIntent, "merge-intent"),
        (Self::CloseInOrder, "close-in-order"),
        (Self::RecountStamp, "recount-stamp"),
        (Self::PayOnce, "pay-once"),
        (Self::FinalHead, "final-head"),
    ];

    fn bit(self) -> u16 {
        let place = Self::NAMES.iter().position(|(rule, _)| *rule == self);
        place.map_or(0, |place| 1 << place)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(rule, _)| rule == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

/// A name that no rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rule is called {0:?}")]
pub struct NoSuchRule(pub String);

impl FromStr for Rule {
    type Err = NoSuchRule;

    fn from_str(text: &str) -> Result<Self, NoSuchRule> {
        let found = Self::NAMES.iter().find(|(_, name)| *name == text);
        found
            .map(|(rule, _)| *rule)
            .ok_or_else(|| NoSuchRule(text.to_owned()))
    }
}

/// The rules that hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    left_out: u16,
}

impl Rules {
    /// All of them: what every system but a simulation runs by.
    pub const ALL: Self = Self { left_out: 0 };

    /// All but one, to show in a simulation that it is needed.
    #[must_use]
    pub fn without(rule: Rule) -> Self {
        Self {
            left_out: rule.bit(),
        }
    }

    /// Whether a rule holds.
    #[must_use]
    pub fn hold(self, rule: Rule) -> bool {
        self.left_out & rule.bit() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_reads_its_own_name_and_is_left_out_alone() {
        for (rule, name) in Rule::NAMES {
            assert_eq!(rule.to_string(), name);
            assert_eq!(name.parse(), Ok(rule));
            assert!(Rules::ALL.hold(rule));
            let holding = Rule::NAMES.map(|(other, _)| Rules::without(rule).hold(other));
            assert_eq!(holding, Rule::NAMES.map(|(other, _)| other != rule));
        }
        assert!("no-rule".parse::<Rule>().is_err());
    }
}
