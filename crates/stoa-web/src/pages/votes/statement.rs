//! The statement of account: every payment, and every record with what it moved and what it cost; a
//! few of them below one's votes, all of them on a page of their own, and as files.

use axum::http::header;
use maud::{Markup, html};
use stoa_votes::model::{Day, RecordKind};
use stoa_votes::ops::read_records::ToldRecord;
use stoa_votes::rules::ranking::RankingBoard;

use super::ledger;
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::login::limits::EXPORT_ACCOUNT;
use crate::pages::policy::title;
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// Records below one's votes.
const FEW: i64 = 8;
/// Records of a page.
const MOST: i64 = 30;

/// `GET /votes/statement`
pub async fn show(visit: Visit) -> Outcome {
    let board = visit.votes().board().await?;
    let before = visit.query.number::<i64>("before");
    let (rows, older) = rows(&visit, &board, before, MOST).await?;
    let texts = &visit.texts.votes;
    let main = html! {
        h1 { (texts.statement) }
        p.row.small {
            a href="/votes" { (texts.title) } " "
            (files(&visit)) " "
            a href="/ledger" { (texts.check_ledger) }
        }
        @if rows.is_empty() {
            div.empty {
                (icons::mark())
                h2 { (texts.none) }
                p { (texts.statement_none) }
                a.btn href="/ranking" { (texts.see_ranking) }
            }
        } @else { (table(&visit, &rows)) }
        @if before.is_some() || older.is_some() {
            nav.pager aria-label=(texts.statement) {
                @if before.is_some() { a.btn href="/votes/statement" { (texts.newest) } }
                @if let Some(seq) = older { a.btn href={ "/votes/statement?before=" (seq) } { (texts.older) } }
            }
        }
    };
    let about = About {
        title: texts.statement,
        place: Place::Votes,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

/// `GET /votes/statement.csv`
pub async fn csv(visit: Visit) -> Outcome {
    limit(&visit)?;
    let lines = ledger::csv(&visit).await?;
    Ok(file("text/csv; charset=utf-8", "votes.csv", lines))
}

/// `GET /votes/statement.json`
pub async fn json(visit: Visit) -> Outcome {
    limit(&visit)?;
    let text = format!("{}\n", ledger::json(&visit).await?);
    let kind = "application/json; charset=utf-8";
    Ok(file(kind, "votes.json", text))
}

fn limit(visit: &Visit) -> Result<(), Failure> {
    let now = visit.app.clock.monotonic();
    let user = visit.member()?.account.user.to_string();
    visit.app.limits.take("export", &user, EXPORT_ACCOUNT, now)
}

fn file(kind: &str, name: &str, text: String) -> Answer {
    let disposition = format!("attachment; filename=\"{name}\"");
    let answer = Answer::of(kind, text.into_bytes());
    answer.with_header(header::CONTENT_DISPOSITION, disposition)
}

/// The ways to the files.
fn files(visit: &Visit) -> Markup {
    let texts = &visit.texts.votes;
    html! {
        a href="/votes/statement.csv" download="votes.csv" { (texts.export_csv) } " "
        a href="/votes/statement.json" download="votes.json" { (texts.export_json) }
    }
}

/// The last of it, below one's votes.
pub(super) async fn section(visit: &Visit, board: &RankingBoard) -> Result<Markup, Failure> {
    let (rows, _) = rows(visit, board, None, FEW).await?;
    let texts = &visit.texts.votes;
    Ok(html! {
        @if !rows.is_empty() {
            section.sec aria-labelledby="statement" {
                div.row.apart.base {
                    h2 #statement { (texts.statement) }
                    span.row.small { (files(visit)) " " a href="/ledger" { (texts.check_ledger) } }
                }
                (table(visit, &rows))
                nav.pager aria-label=(texts.statement) { a.btn href="/votes/statement" { (texts.whole) } }
            }
        }
    })
}

fn table(visit: &Visit, rows: &[Markup]) -> Markup {
    let texts = &visit.texts.votes;
    html! {
        table.tbl.fold.ledger role="table" {
            caption { (texts.statement_more) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.day) }
                th role="columnheader" scope="col" { (texts.entry) }
                th.n role="columnheader" scope="col" { (texts.votes) }
                th.n role="columnheader" scope="col" { (texts.burned) }
                th.n role="columnheader" scope="col" { (texts.receipt) }
            } }
            tbody role="rowgroup" { @for row in rows { (row) } }
        }
    }
}

/// Some records and the payments between them, the last first; and where the next page begins.
async fn rows(
    visit: &Visit,
    board: &RankingBoard,
    before: Option<i64>,
    most: i64,
) -> Result<(Vec<Markup>, Option<i64>), Failure> {
    let user = visit.member()?.account.user;
    let votes = visit.votes();
    let told = votes.told_records(user, before, most).await?;
    let older = told.last().map(|it| it.record.seq).filter(|seq| *seq > 1);
    // A payment stands on the page of the first record after it.
    let to = match before {
        Some(before) => votes.told_records(user, Some(before + 1), 1).await?,
        None => Vec::new(),
    };
    let to = to.first().map_or(Day(i32::MAX), |it| it.record.day);
    let from = match (older, told.last()) {
        (Some(_), Some(last)) => last.record.day,
        _ => Day(i32::MIN),
    };
    let mut paid = ledger::payments(visit).await?;
    paid.retain(|(day, _)| *day >= from && *day < to);
    let mut rows = Vec::new();
    for it in &told {
        while let Some((day, amount)) = paid.pop_if(|(day, _)| *day > it.record.day) {
            rows.push(paid_row(visit, day, amount));
        }
        rows.push(row(visit, board, it).await?);
    }
    let rest = paid.into_iter().rev();
    rows.extend(rest.map(|(day, amount)| paid_row(visit, day, amount)));
    Ok((rows, older))
}

fn paid_row(visit: &Visit, day: Day, amount: i64) -> Markup {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    html! {
        tr role="row" {
            th role="rowheader" scope="row" { (format.short_day(day)) }
            td role="cell" { (texts.kind_paid) }
            td.n role="cell" data-l=(texts.votes) { (format.change(amount)) }
            td.n role="cell" data-l=(texts.burned) { "0" }
            td.n role="cell" {}
        }
    }
}

async fn row(visit: &Visit, board: &RankingBoard, it: &ToldRecord) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let record = &it.record;
    let mut named = Vec::new();
    for policy in record.changes.keys().take(5) {
        named.push((*policy, title(visit, board, *policy).await?));
    }
    let moved: i64 = record.changes.values().map(|change| change.increment).sum();
    let kind = match record.kind {
        RecordKind::Vote if record.policy_created.is_some() => texts.kind_create,
        RecordKind::Vote if moved < 0 => texts.kind_taken,
        RecordKind::Vote => texts.kind_vote,
        RecordKind::Undo => texts.kind_undo,
        RecordKind::Final => texts.kind_final,
    };
    let burned: i64 = it.burned.values().sum();
    let more = record.changes.len().saturating_sub(named.len());
    Ok(html! {
        tr role="row" {
            th role="rowheader" scope="row" { (format.moment(record.version.made_at_micros())) }
            td role="cell" {
                (kind) ": "
                @for (at, (policy, title)) in named.iter().enumerate() {
                    @if at > 0 { ", " }
                    a href=(links::policy(*policy, title)) { @if title.is_empty() { (policy) } @else { (title) } }
                }
                @if more > 0 { " +" (more) }
            }
            // What goes to a policy leaves the purse.
            td.n role="cell" data-l=(texts.votes) { (format.change(-moved)) }
            td.n role="cell" data-l=(texts.burned) {
                @if burned == 0 { "0" } @else { span.price { (format.number(burned)) } }
            }
            td.n role="cell" { a href={ "/votes/receipts/" (record.seq) } { ((texts.receipt_of)(record.seq)) } }
        }
    })
}
