//! The lines of the ledger: what they say, and how that is written.

use std::fmt;

use uuid::Uuid;

use super::hash::LedgerHash;
use crate::model::{
    Change, ClosedDay, Day, Entry, PeriodLength, PolicyId, PrivacyMode, RecordKind, VotingConfig,
};

/// The number of the format; another one reads otherwise.
pub const FORMAT: i64 = 1;

/// A record, as it is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLine {
    /// Whose.
    pub who: Uuid,
    /// How many records the chain has up to it.
    pub seq: i64,
    /// What sort of record it is.
    pub kind: RecordKind,
    /// Votes that were paid to the user up to its day.
    pub paid: i64,
    /// The policy that it creates.
    pub creates: Option<PolicyId>,
    /// What it changes, by policy.
    pub changes: Vec<(PolicyId, Change)>,
}

/// What somebody had when the year changed, under a new name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The new name.
    pub who: Uuid,
    /// The number of the last record before.
    pub seq: i64,
    /// The day of that record.
    pub since: Day,
    /// Votes that were paid up to that day.
    pub paid: i64,
    /// What was on policies, by policy; nothing of those that were never voted for.
    pub entries: Vec<(PolicyId, Entry)>,
}

/// What a policy got and lost on a day, merges left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyLine {
    /// The policy.
    pub policy: PolicyId,
    /// Votes more, or less, than the day before.
    pub change: i64,
    /// Votes put on it and withdrawn, added up.
    pub gross: i64,
    /// How many people did that.
    pub voters: i64,
    /// Votes at the end of the day.
    pub total: i64,
}

impl PolicyLine {
    /// The line of a closed day.
    #[must_use]
    pub fn of(policy: PolicyId, day: &ClosedDay) -> Self {
        Self {
            policy,
            change: day.change,
            gross: day.gross,
            voters: day.voters,
            total: day.closing_total,
        }
    }
}

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The first: what follows.
    Head {
        /// What is shown.
        mode: PrivacyMode,
        /// The first day.
        first: Day,
    },
    /// What holds about votes as money, from a day on.
    Config(VotingConfig),
    /// A policy came to be.
    Created(PolicyId),
    /// A policy counts for another one from now on.
    Merged {
        /// The policy.
        policy: PolicyId,
        /// Where its votes count.
        into: PolicyId,
    },
    /// The votes on a policy were given back.
    Released(PolicyId),
    /// Somebody goes on under a new name.
    Carried(Carried),
    /// A record.
    Record(RecordLine),
    /// What a policy got and lost.
    Policy(PolicyLine),
    /// A policy whose votes changed, with all that are merged into it: where it stands among those.
    Rank {
        /// Its place among them, from 1.
        place: i64,
        /// The policy.
        policy: PolicyId,
        /// Its votes.
        total: i64,
    },
    /// The end of a day.
    End {
        /// The day.
        day: Day,
        /// How many lines it has, this one left aside.
        lines: i64,
        /// The hash before it.
        previous: LedgerHash,
        /// Its hash.
        hash: LedgerHash,
    },
    /// The last: nothing follows.
    Close {
        /// How many days there are.
        days: i64,
        /// The last hash.
        hash: LedgerHash,
    },
}

impl Line {
    /// Where it stands in its day: lines of a day rise strictly by this.
    #[must_use]
    pub fn place(&self) -> (u8, u128, i64) {
        let of = |id: &PolicyId| id.0.as_u128();
        match self {
            Self::Head { .. } => (0, 0, 0),
            Self::Config(config) => (1, 0, i64::from(config.from.0)),
            Self::Created(policy) => (2, of(policy), 0),
            Self::Merged { policy, .. } => (3, of(policy), 0),
            Self::Released(policy) => (4, of(policy), 0),
            Self::Carried(carried) => (5, carried.who.as_u128(), 0),
            Self::Record(record) => (5, record.who.as_u128(), record.seq),
            Self::Policy(it) => (6, of(&it.policy), 0),
            Self::Rank { place, .. } => (7, 0, *place),
            Self::End { .. } => (8, 0, 0),
            Self::Close { .. } => (9, 0, 0),
        }
    }
}

/// The name of a kind of record.
pub(super) const KINDS: [(RecordKind, &str); 3] = [
    (RecordKind::Vote, "vote"),
    (RecordKind::Undo, "undo"),
    (RecordKind::Final, "final"),
];

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head { mode, first } => write!(
                f,
                r#"{{"kind":"ledger","format":{FORMAT},"mode":"{}","first":"{first}"}}"#,
                mode.name()
            ),
            Self::Config(config) => write_config(f, config),
            Self::Created(policy) => write!(f, r#"{{"kind":"created","policy":"{policy}"}}"#),
            Self::Merged { policy, into } => {
                write!(
                    f,
                    r#"{{"kind":"merged","policy":"{policy}","into":"{into}"}}"#
                )
            }
            Self::Released(policy) => write!(f, r#"{{"kind":"released","policy":"{policy}"}}"#),
            Self::Carried(carried) => write_carried(f, carried),
            Self::Record(record) => write_record(f, record),
            Self::Policy(it) => write!(
                f,
                r#"{{"kind":"policy","policy":"{}","change":{},"gross":{},"voters":{},"total":{}}}"#,
                it.policy, it.change, it.gross, it.voters, it.total
            ),
            Self::Rank {
                place,
                policy,
                total,
            } => write!(
                f,
                r#"{{"kind":"rank","place":{place},"policy":"{policy}","total":{total}}}"#
            ),
            Self::End {
                day,
                lines,
                previous,
                hash,
            } => write!(
                f,
                r#"{{"kind":"end","day":"{day}","lines":{lines},"previous":"{previous}","hash":"{hash}"}}"#
            ),
            Self::Close { days, hash } => {
                write!(f, r#"{{"kind":"close","days":{days},"hash":"{hash}"}}"#)
            }
        }
    }
}

fn write_config(f: &mut fmt::Formatter<'_>, config: &VotingConfig) -> fmt::Result {
    let (unit, count) = match config.period {
        PeriodLength::Days(count) => ("day", count),
        PeriodLength::Week => ("week", 1),
        PeriodLength::Month => ("month", 1),
    };
    write!(
        f,
        r#"{{"kind":"config","from":"{}","period":"{unit}","every":{count},"salary":{},"creation_cost":{},"penalty_percent":{}"#,
        config.from, config.salary, config.creation_cost, config.penalty_percent
    )?;
    if let Some(most) = config.most_unspent {
        write!(f, r#","most_unspent":{most}"#)?;
    }
    if config.only_present {
        f.write_str(r#","only_present":true"#)?;
    }
    f.write_str("}")
}

fn write_carried(f: &mut fmt::Formatter<'_>, it: &Carried) -> fmt::Result {
    write!(
        f,
        r#"{{"kind":"carried","who":"{}","seq":{},"since":"{}","paid":{},"entries":["#,
        it.who, it.seq, it.since, it.paid
    )?;
    for (at, (policy, entry)) in it.entries.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(
            f,
            r#"{comma}["{policy}",{},{},{}]"#,
            entry.total, entry.withdrawn, entry.burned_hundredths
        )?;
    }
    f.write_str("]}")
}

fn write_record(f: &mut fmt::Formatter<'_>, it: &RecordLine) -> fmt::Result {
    let kind = KINDS.iter().find(|(kind, _)| *kind == it.kind);
    let kind = kind.map_or("", |(_, name)| name);
    write!(
        f,
        r#"{{"kind":"record","who":"{}","seq":{},"what":"{kind}","paid":{},"#,
        it.who, it.seq, it.paid
    )?;
    if let Some(policy) = it.creates {
        write!(f, r#""creates":"{policy}","#)?;
    }
    f.write_str(r#""changes":["#)?;
    for (at, (policy, change)) in it.changes.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let entry = change.entry;
        write!(
            f,
            r#"{comma}["{policy}",{},{},{},{}]"#,
            change.increment, entry.total, entry.withdrawn, entry.burned_hundredths
        )?;
    }
    f.write_str("]}")
}
