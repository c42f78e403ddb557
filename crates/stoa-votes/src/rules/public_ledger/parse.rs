//! Reading a line: only what [`Line`] writes, byte for byte.

use stoa_types::CivilDate;
use uuid::Uuid;

use super::hash::LedgerHash;
use super::line::{Carried, FORMAT, KINDS, Line, PolicyLine, RecordLine};
use crate::model::{
    Change, Day, Entry, PeriodLength, PolicyId, PrivacyMode, RecordKind, VotingConfig,
};

impl Line {
    /// The value of a line, unless no value is written so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan(text);
        scan.literal(r#"{"kind":""#)?;
        let line = match scan.text()? {
            "ledger" => scan.head(),
            "config" => scan.config(),
            "created" => Some(Self::Created(scan.policy(r#","policy":""#)?)),
            "merged" => Some(Self::Merged {
                policy: scan.policy(r#","policy":""#)?,
                into: scan.policy(r#","into":""#)?,
            }),
            "released" => Some(Self::Released(scan.policy(r#","policy":""#)?)),
            "carried" => scan.carried(),
            "record" => scan.record(),
            "policy" => scan.policy_line(),
            "rank" => Some(Self::Rank {
                place: scan.number(r#","place":"#)?,
                policy: scan.policy(r#","policy":""#)?,
                total: scan.number(r#","total":"#)?,
            }),
            "end" => Some(Self::End {
                day: scan.day(r#","day":""#)?,
                lines: scan.number(r#","lines":"#)?,
                previous: scan.hash(r#","previous":""#)?,
                hash: scan.hash(r#","hash":""#)?,
            }),
            "close" => Some(Self::Close {
                days: scan.number(r#","days":"#)?,
                hash: scan.hash(r#","hash":""#)?,
            }),
            _ => None,
        }?;
        scan.literal("}")?;
        scan.0.is_empty().then_some(line)
    }
}

/// What is left of a line.
struct Scan<'a>(&'a str);

impl<'a> Scan<'a> {
    fn literal(&mut self, literal: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }

    /// A text up to its closing quote. No text of the ledger has anything to escape.
    fn text(&mut self) -> Option<&'a str> {
        let (text, rest) = self.0.split_once('"')?;
        self.0 = rest;
        Some(text)
    }

    fn named(&mut self, literal: &str) -> Option<&'a str> {
        self.literal(literal)?;
        self.text()
    }

    /// A number as it is written: no sign but a minus, no zeros before it.
    fn number(&mut self, literal: &str) -> Option<i64> {
        self.literal(literal)?;
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '-';
        let end = self.0.find(|letter| !is_part(letter))?;
        let (digits, rest) = self.0.split_at_checked(end)?;
        let number = digits.parse::<i64>().ok()?;
        let plain = digits.strip_prefix('-').unwrap_or(digits);
        let is_plain = digits == "0" || !plain.starts_with('0');
        self.0 = rest;
        is_plain.then_some(number)
    }

    fn uuid(&mut self, literal: &str) -> Option<Uuid> {
        let text = self.named(literal)?;
        let is_plain = text.len() == 36 && !text.bytes().any(|it| it.is_ascii_uppercase());
        Uuid::try_parse(text).ok().filter(|_| is_plain)
    }

    fn policy(&mut self, literal: &str) -> Option<PolicyId> {
        self.uuid(literal).map(PolicyId)
    }

    fn hash(&mut self, literal: &str) -> Option<LedgerHash> {
        LedgerHash::parse(self.named(literal)?)
    }

    fn day(&mut self, literal: &str) -> Option<Day> {
        let text = self.named(literal)?;
        let mut parts = text.splitn(3, '-');
        let date = CivilDate {
            year: parts.next()?.parse().ok()?,
            month: parts.next()?.parse().ok()?,
            day: parts.next()?.parse().ok()?,
        };
        let is_date = (0..=9_999).contains(&date.year) && (1..=12).contains(&date.month);
        if !is_date || !(1..=31).contains(&date.day) {
            return None;
        }
        let day = Day(i32::try_from(date.to_days()).ok()?);
        (day.to_string() == text).then_some(day)
    }

    fn head(&mut self) -> Option<Line> {
        let format = self.number(r#","format":"#)?;
        let mode = PrivacyMode::of_name(self.named(r#","mode":""#)?)?;
        let first = self.day(r#","first":""#)?;
        (format == FORMAT).then_some(Line::Head { mode, first })
    }

    fn config(&mut self) -> Option<Line> {
        let from = self.day(r#","from":""#)?;
        let unit = self.named(r#","period":""#)?;
        let every = self.number(r#","every":"#)?;
        let period = match (unit, every) {
            ("day", every) => PeriodLength::Days(u16::try_from(every).ok()?),
            ("week", 1) => PeriodLength::Week,
            ("month", 1) => PeriodLength::Month,
            _ => return None,
        };
        Some(Line::Config(VotingConfig {
            period,
            salary: self.number(r#","salary":"#)?,
            creation_cost: self.number(r#","creation_cost":"#)?,
            penalty_percent: self.number(r#","penalty_percent":"#)?,
            most_unspent: match self.0.starts_with(r#","most_unspent":"#) {
                true => Some(self.number(r#","most_unspent":"#)?),
                false => None,
            },
            only_present: self.literal(r#","only_present":true"#).is_some(),
            // How far rankings look back is not about money.
            ..VotingConfig::initial(from)
        }))
    }

    fn carried(&mut self) -> Option<Line> {
        let who = self.uuid(r#","who":""#)?;
        let seq = self.number(r#","seq":"#)?;
        let since = self.day(r#","since":""#)?;
        let paid = self.number(r#","paid":"#)?;
        self.literal(r#","entries":["#)?;
        let entries = self.list(|scan| {
            let policy = scan.policy(r#"[""#)?;
            let total = scan.number(",")?;
            Some((policy, scan.entry(total)?))
        })?;
        Some(Line::Carried(Carried {
            who,
            seq,
            since,
            paid,
            entries,
        }))
    }

    fn record(&mut self) -> Option<Line> {
        let who = self.uuid(r#","who":""#)?;
        let seq = self.number(r#","seq":"#)?;
        let name = self.named(r#","what":""#)?;
        let kind: RecordKind = KINDS.iter().find(|(_, it)| *it == name)?.0;
        let paid = self.number(r#","paid":"#)?;
        let creates = match self.0.starts_with(r#","creates""#) {
            true => Some(self.policy(r#","creates":""#)?),
            false => None,
        };
        self.literal(r#","changes":["#)?;
        let changes = self.list(|scan| {
            let policy = scan.policy(r#"[""#)?;
            let increment = scan.number(",")?;
            let total = scan.number(",")?;
            let entry = scan.entry(total)?;
            Some((policy, Change { increment, entry }))
        })?;
        Some(Line::Record(RecordLine {
            who,
            seq,
            kind,
            paid,
            creates,
            changes,
        }))
    }

    fn policy_line(&mut self) -> Option<Line> {
        Some(Line::Policy(PolicyLine {
            policy: self.policy(r#","policy":""#)?,
            change: self.number(r#","change":"#)?,
            gross: self.number(r#","gross":"#)?,
            voters: self.number(r#","voters":"#)?,
            total: self.number(r#","total":"#)?,
        }))
    }

    /// The rest of an entry, with the bracket that closes it.
    fn entry(&mut self, total: i64) -> Option<Entry> {
        let withdrawn = self.number(",")?;
        let burned_hundredths = self.number(",")?;
        self.literal("]")?;
        Some(Entry {
            total,
            withdrawn,
            burned_hundredths,
        })
    }

    /// The items of a list and the bracket that closes it.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        if self.literal("]").is_some() {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if self.literal("]").is_some() {
                return Some(items);
            }
            self.literal(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn policy() -> impl Strategy<Value = PolicyId> {
        any::<u128>().prop_map(|number| PolicyId(Uuid::from_u128(number)))
    }

    fn day() -> impl Strategy<Value = Day> {
        (0..40_000).prop_map(Day)
    }

    fn hash() -> impl Strategy<Value = LedgerHash> {
        any::<[u8; 32]>().prop_map(LedgerHash)
    }

    fn entry() -> impl Strategy<Value = Entry> {
        any::<(i64, i64, i64)>().prop_map(|(total, withdrawn, burned_hundredths)| Entry {
            total,
            withdrawn,
            burned_hundredths,
        })
    }

    fn record() -> impl Strategy<Value = Line> {
        let change = (any::<i64>(), entry());
        let change = change.prop_map(|(increment, entry)| Change { increment, entry });
        let changes = proptest::collection::vec((policy(), change), 0..4);
        let kind = prop_oneof![Just(RecordKind::Vote), Just(RecordKind::Undo)];
        let creates = proptest::option::of(policy());
        (policy(), any::<i64>(), kind, any::<i64>(), creates, changes).prop_map(
            |(who, seq, kind, paid, creates, changes)| {
                let who = who.0;
                Line::Record(RecordLine {
                    who,
                    seq,
                    kind,
                    paid,
                    creates,
                    changes,
                })
            },
        )
    }

    fn carried() -> impl Strategy<Value = Line> {
        let entries = proptest::collection::vec((policy(), entry()), 0..4);
        (policy(), any::<i64>(), day(), any::<i64>(), entries).prop_map(
            |(who, seq, since, paid, entries)| {
                let who = who.0;
                Line::Carried(Carried {
                    who,
                    seq,
                    since,
                    paid,
                    entries,
                })
            },
        )
    }

    fn config() -> impl Strategy<Value = Line> {
        let period = prop_oneof![
            any::<u16>().prop_map(PeriodLength::Days),
            Just(PeriodLength::Week),
            Just(PeriodLength::Month)
        ];
        let options = any::<(Option<i64>, bool)>();
        (day(), period, any::<(i64, i64, i64)>(), options).prop_map(
            |(from, period, (salary, creation_cost, penalty_percent), options)| {
                let (most_unspent, only_present) = options;
                Line::Config(VotingConfig {
                    period,
                    salary,
                    creation_cost,
                    penalty_percent,
                    most_unspent,
                    only_present,
                    ..VotingConfig::initial(from)
                })
            },
        )
    }

    fn line() -> impl Strategy<Value = Line> {
        prop_oneof![
            day().prop_map(|first| Line::Head {
                mode: PrivacyMode::Tallies,
                first
            }),
            config(),
            policy().prop_map(Line::Created),
            (policy(), policy()).prop_map(|(policy, into)| Line::Merged { policy, into }),
            policy().prop_map(Line::Released),
            carried(),
            record(),
            (policy(), any::<(i64, i64, i64, i64)>()).prop_map(
                |(policy, (change, gross, voters, total))| {
                    Line::Policy(PolicyLine {
                        policy,
                        change,
                        gross,
                        voters,
                        total,
                    })
                }
            ),
            (policy(), any::<(i64, i64)>()).prop_map(|(policy, (place, total))| Line::Rank {
                place,
                policy,
                total
            }),
            (day(), any::<i64>(), hash(), hash()).prop_map(|(day, lines, previous, hash)| {
                Line::End {
                    day,
                    lines,
                    previous,
                    hash,
                }
            }),
            (any::<i64>(), hash()).prop_map(|(days, hash)| Line::Close { days, hash }),
        ]
    }

    proptest! {
        #[test]
        fn a_line_is_read_as_it_was_written(line in line()) {
            prop_assert_eq!(Line::parse(&line.to_string()), Some(line));
        }

        #[test]
        fn what_is_read_would_be_written_so(line in line(), at in any::<usize>(), byte in 32_u8..127) {
            let mut bytes = line.to_string().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            let text = String::from_utf8(bytes).unwrap();
            if let Some(read) = Line::parse(&text) {
                prop_assert_eq!(read.to_string(), text);
            }
        }
    }

    #[test]
    fn other_ways_to_write_the_same_are_refused() {
        let line = Line::Close {
            days: 7,
            hash: LedgerHash([7; 32]),
        };
        let text = line.to_string();
        assert_eq!(Line::parse(&text), Some(line));
        for (from, to) in [
            (r#""days":7"#, r#""days":07"#),
            (r#""days":7"#, r#""days":+7"#),
            (r#""days":7"#, r#""days": 7"#),
            (r#""days":7"#, r#""days":-0"#),
            ("}", "} "),
            ("07", "0A"),
        ] {
            assert_eq!(Line::parse(&text.replace(from, to)), None, "{to}");
        }
    }
}
