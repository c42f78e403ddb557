//! A recount of a ledger that was made without a store.

use uuid::Uuid;

use super::*;
use crate::model::{Change, Entry, PolicyId, RecordKind, VotingConfig};
use crate::rules::public_ledger::line::{PolicyLine, RecordLine};

/// 2026-11-16, a Monday.
const MONDAY: Day = Day(20_773);

fn policy(number: u128) -> PolicyId {
    PolicyId(Uuid::from_u128(number))
}

/// What a person does on a day.
fn record(person: u32, at: i32) -> RecordLine {
    let total = i64::from(at) + 1;
    let entry = Entry {
        total,
        ..Entry::default()
    };
    let increment = 1;
    RecordLine {
        who: Uuid::from_u128(u128::from(person)),
        seq: total,
        kind: RecordKind::Vote,
        paid: 100 * (i64::from(at) / 7 + 1),
        creates: (at == 0 && person == 0).then(|| policy(7)),
        changes: vec![(policy(7), Change { increment, entry })],
    }
}

/// One policy that everybody puts one vote on each day, in public.
fn ledger(people: u32, days: i32) -> Vec<String> {
    let (mode, first) = (PrivacyMode::Public, MONDAY);
    let head = Line::Head { mode, first }.to_string();
    let mut hash = LedgerHash::of_line(&head);
    let mut lines = vec![head];
    for at in 0..days {
        let day = MONDAY.plus(at);
        let mut inside = Vec::new();
        if at == 0 {
            let config = VotingConfig {
                creation_cost: 1,
                ..VotingConfig::initial(day)
            };
            inside.push(Line::Config(config));
            inside.push(Line::Created(policy(7)));
        }
        inside.extend((0..people).map(|person| Line::Record(record(person, at))));
        let (change, total) = (i64::from(people), i64::from(people) * (i64::from(at) + 1));
        inside.push(Line::Policy(PolicyLine {
            policy: policy(7),
            change,
            gross: change,
            voters: change,
            total,
        }));
        inside.push(Line::Rank {
            place: 1,
            policy: policy(7),
            total,
        });
        let mut hasher = DayHasher::after(hash);
        let previous = hash;
        for line in &inside {
            let line = line.to_string();
            hasher.add(line.as_bytes());
            lines.push(line);
        }
        hash = hasher.hash();
        let count = i64::try_from(inside.len()).unwrap();
        lines.push(
            Line::End {
                day,
                lines: count,
                previous,
                hash,
            }
            .to_string(),
        );
    }
    lines.push(
        Line::Close {
            days: i64::from(days),
            hash,
        }
        .to_string(),
    );
    lines
}

fn verify(lines: &[String]) -> Report {
    let mut recount = Recount::new();
    for line in lines {
        recount.line(format!("{line}\n").as_bytes());
    }
    recount.finish()
}

#[test]
fn a_whole_ledger_counts_up() {
    let report = verify(&ledger(9, 20));
    assert_eq!(report.findings, []);
    assert_eq!((report.days, report.records, report.people), (20, 180, 9));
    assert_eq!(
        (report.policies, report.through),
        (1, Some(MONDAY.plus(19)))
    );
    assert_eq!(report.mode, Some(PrivacyMode::Public));
}

#[test]
fn nothing_is_no_ledger() {
    assert_eq!(verify(&[]).wrong, 1);
    assert!(verify(&ledger(2, 2)[1..]).wrong > 0);
}

#[test]
fn a_line_without_an_end_is_found() {
    let lines = ledger(2, 2);
    let mut recount = Recount::new();
    let (last, others) = lines.split_last().unwrap();
    for line in others {
        recount.line(format!("{line}\n").as_bytes());
    }
    recount.line(last.as_bytes());
    assert_eq!(recount.finish().findings[0].what, "the line does not end");
}

#[test]
fn many_findings_are_counted_and_the_first_are_told() {
    let lines: Vec<String> = ledger(300, 2)
        .into_iter()
        .map(|line| line.replace(r#""paid":100"#, r#""paid":101"#))
        .collect();
    let report = verify(&lines);
    assert_eq!(report.findings.len(), FINDINGS_KEPT);
    // Each first record, each that does not follow from it, and two hashes.
    assert!(report.wrong >= 302, "{}", report.wrong);
    let first = report.findings[0].to_string();
    assert_eq!(first, "line 4: 101 votes were not paid by 2026-11-16");
}
