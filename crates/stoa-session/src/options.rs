//! How a statement is to be executed: consistency, time, pages, deadline.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use stoa_types::WriteTime;

/// How a statement is to be executed. Whatever is left out is as the session has it.
///
/// ```
/// use std::time::Duration;
/// use stoa_session::{Consistency, Options};
///
/// let options = Options::new()
///     .consistency(Consistency::One)
///     .deadline(Duration::from_millis(500))
///     .idempotent();
/// assert_eq!(options.consistency, Some(Consistency::One));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// How many replicas must answer. One machine meets every level.
    pub consistency: Option<Consistency>,
    /// How many replicas must agree on a conditional write.
    pub serial_consistency: Option<SerialConsistency>,
    /// The timestamp of what is written, unless the statement itself says one.
    pub timestamp: Option<WriteTime>,
    /// How many rows a page has at most.
    pub page_size: Option<NonZeroU32>,
    /// Whether executing it twice has the effect of executing it once. Only then is it repeated
    /// when its outcome is unknown, or sent to two nodes at once.
    pub is_idempotent: bool,
    /// How long the answer may take. Past it, the error is `Deadline`.
    pub deadline: Option<Duration>,
}

impl Options {
    /// Everything as the session has it; not idempotent.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many replicas must answer.
    #[must_use]
    pub fn consistency(self, level: Consistency) -> Self {
        Self {
            consistency: Some(level),
            ..self
        }
    }

    /// Sets how many replicas must agree on a conditional write.
    #[must_use]
    pub fn serial_consistency(self, level: SerialConsistency) -> Self {
        Self {
            serial_consistency: Some(level),
            ..self
        }
    }

    /// Sets the timestamp of what is written.
    #[must_use]
    pub fn timestamp(self, time: WriteTime) -> Self {
        Self {
            timestamp: Some(time),
            ..self
        }
    }

    /// Sets how many rows a page has at most.
    #[must_use]
    pub fn page_size(self, rows: NonZeroU32) -> Self {
        Self {
            page_size: Some(rows),
            ..self
        }
    }

    /// Says that executing it twice is as good as once.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self {
            is_idempotent: true,
            ..self
        }
    }

    /// Sets how long the answer may take.
    #[must_use]
    pub fn deadline(self, longest: Duration) -> Self {
        Self {
            deadline: Some(longest),
            ..self
        }
    }
}

/// How many replicas must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// A write may be kept by the coordinator alone.
    Any,
    /// One replica.
    One,
    /// Two replicas.
    Two,
    /// Three replicas.
    Three,
    /// More than half of all replicas.
    Quorum,
    /// Every replica.
    All,
    /// More than half of the replicas of this datacenter.
    LocalQuorum,
    /// More than half of the replicas of each datacenter.
    EachQuorum,
    /// Reads only: sees every conditional write that was answered.
    Serial,
    /// Reads only: as `Serial`, within this datacenter.
    LocalSerial,
    /// One replica of this datacenter.
    LocalOne,
}

impl Consistency {
    /// Every level with its name in CQL tools.
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Any, "ANY"),
        (Self::One, "ONE"),
        (Self::Two, "TWO"),
        (Self::Three, "THREE"),
        (Self::Quorum, "QUORUM"),
        (Self::All, "ALL"),
        (Self::LocalQuorum, "LOCAL_QUORUM"),
        (Self::EachQuorum, "EACH_QUORUM"),
        (Self::Serial, "SERIAL"),
        (Self::LocalSerial, "LOCAL_SERIAL"),
        (Self::LocalOne, "LOCAL_ONE"),
    ];
}

impl fmt::Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(level, _)| level == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Consistency {
    type Err = UnknownConsistency;

    /// Reads a level's name, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::NAMES
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map(|(level, _)| *level)
            .ok_or_else(|| UnknownConsistency(text.to_owned()))
    }
}

/// How many replicas must agree on a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerialConsistency {
    /// More than half of all replicas.
    Serial,
    /// More than half of the replicas of this datacenter.
    LocalSerial,
}

impl fmt::Display for SerialConsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Serial => "SERIAL",
            Self::LocalSerial => "LOCAL_SERIAL",
        })
    }
}

impl FromStr for SerialConsistency {
    type Err = UnknownConsistency;

    /// Reads a level's name, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Serial, Self::LocalSerial]
            .into_iter()
            .find(|level| level.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownConsistency(text.to_owned()))
    }
}

/// A word that names no consistency level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no consistency level is called {0:?}")]
pub struct UnknownConsistency(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_reads_its_own_name() {
        for (level, name) in Consistency::NAMES {
            assert_eq!(level.to_string(), name);
            assert_eq!(name.to_lowercase().parse(), Ok(level));
        }
        assert_eq!("local_serial".parse(), Ok(SerialConsistency::LocalSerial));
        assert!("most".parse::<Consistency>().is_err());
    }
}
