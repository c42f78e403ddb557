//! All of one's votes as a statement: every payment and every record, as rows for programs.

use stoa_votes::model::{Day, RecordKind, VoteRecord};
use stoa_votes::ops::read_records::ToldRecord;

use crate::error::Failure;
use crate::json::Json;
use crate::visit::Visit;

/// Records that are read at once.
const AT_ONCE: i64 = 100;

/// Everything that one was paid, by the day, the first first.
pub(super) async fn payments(visit: &Visit) -> Result<Vec<(Day, i64)>, Failure> {
    let user = visit.member()?.account.user;
    let paid = visit.votes().tables().money.paid(user).await?;
    let mut paid: Vec<(Day, i64)> = paid.iter().map(|it| (it.period, it.amount)).collect();
    paid.sort_unstable();
    Ok(paid)
}

/// Every record of one's chain, the first first.
async fn records(visit: &Visit) -> Result<Vec<ToldRecord>, Failure> {
    let user = visit.member()?.account.user;
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let told = visit.votes().told_records(user, before, AT_ONCE).await?;
        before = told.last().map(|it| it.record.seq);
        all.extend(told);
        if before.is_none_or(|seq| seq <= 1) {
            all.reverse();
            return Ok(all);
        }
    }
}

/// What a record is called in files.
fn kind(record: &VoteRecord) -> &'static str {
    match record.kind {
        RecordKind::Vote if record.policy_created.is_some() => "proposed",
        RecordKind::Vote => "vote",
        RecordKind::Undo => "undo",
        RecordKind::Final => "end",
    }
}

/// A moment as programs read it, in UTC.
pub(crate) fn timestamp(micros: i64) -> String {
    let seconds = micros.div_euclid(1_000_000).rem_euclid(86_400);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let day = Day::of_micros(micros);
    format!("{day}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The statement as JSON.
pub(crate) async fn json(visit: &Visit) -> Result<Json, Failure> {
    let now = &visit.member()?.statement;
    let paid = payments(visit).await?.into_iter().map(|(day, votes)| {
        Json::Object(vec![
            ("day", Json::text(day.to_string())),
            ("votes", Json::Number(votes)),
        ])
    });
    let positions = now.positions.iter().map(|(policy, it)| {
        Json::Object(vec![
            ("policy", Json::text(policy.to_string())),
            ("votes", Json::Number(it.total)),
            ("burned", Json::Number(it.burned())),
        ])
    });
    let (paid, positions) = (paid.collect(), positions.collect());
    let records = records(visit).await?;
    Ok(Json::Object(vec![
        ("paid", Json::Number(now.salary)),
        ("left", Json::Number(now.balance)),
        ("positions", Json::List(positions)),
        ("payments", Json::List(paid)),
        ("records", Json::List(records.iter().map(record).collect())),
    ]))
}

fn record(it: &ToldRecord) -> Json {
    let record = &it.record;
    let changes = record.changes.iter().map(|(policy, change)| {
        let burned = it.burned.get(policy).copied().unwrap_or(0);
        Json::Object(vec![
            ("policy", Json::text(policy.to_string())),
            ("votes", Json::Number(change.increment)),
            ("burned", Json::Number(burned)),
            ("total", Json::Number(change.entry.total)),
        ])
    });
    let made = record.version.made_at_micros();
    Json::Object(vec![
        ("number", Json::Number(record.seq)),
        ("version", Json::text(record.version.to_string())),
        ("at", Json::text(timestamp(made))),
        ("day", Json::text(record.day.to_string())),
        ("kind", Json::text(kind(record))),
        ("changes", Json::List(changes.collect())),
    ])
}

/// The statement as lines of a table: payments first, then every change of every record.
pub(super) async fn csv(visit: &Visit) -> Result<String, Failure> {
    let mut lines = String::from("number,at,day,kind,policy,votes,burned,total\r\n");
    for (day, votes) in payments(visit).await? {
        lines.push_str(&format!(",,{day},paid,,{votes},0,\r\n"));
    }
    for it in records(visit).await? {
        let record = &it.record;
        let at = timestamp(record.version.made_at_micros());
        for (policy, change) in &record.changes {
            let burned = it.burned.get(policy).copied().unwrap_or(0);
            lines.push_str(&format!(
                "{},{at},{},{},{policy},{},{burned},{}\r\n",
                record.seq,
                record.day,
                kind(record),
                change.increment,
                change.entry.total
            ));
        }
    }
    Ok(lines)
}
