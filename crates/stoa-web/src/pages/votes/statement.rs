//! The statement of account: every record with what it moved and what it cost.

use maud::{Markup, html};
use stoa_votes::model::RecordKind;
use stoa_votes::ops::read_records::ToldRecord;
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::links;
use crate::pages::policy::title;
use crate::visit::Visit;

/// Records of a page.
const MOST: i64 = 15;

/// The section of the page, from where the address says.
pub(super) async fn section(visit: &Visit, board: &RankingBoard) -> Result<Markup, Failure> {
    let user = visit.member()?.account.user;
    let before = visit.query.number::<i64>("before");
    let told = visit.votes().told_records(user, before, MOST).await?;
    let texts = &visit.texts.votes;
    let mut rows = Vec::new();
    for it in &told {
        rows.push(row(visit, board, it).await?);
    }
    let older = told.last().map(|it| it.record.seq).filter(|seq| *seq > 1);
    Ok(html! {
        @if !rows.is_empty() {
            section.sec aria-labelledby="statement" {
                h2 #statement { (texts.statement) }
                table.tbl.fold.ledger role="table" {
                    caption { (texts.statement_more) }
                    thead role="rowgroup" { tr role="row" {
                        th role="columnheader" scope="col" { (texts.day) }
                        th role="columnheader" scope="col" { (texts.entry) }
                        th.n role="columnheader" scope="col" { (texts.votes) }
                        th.n role="columnheader" scope="col" { (texts.burned) }
                        th.n role="columnheader" scope="col" { (texts.receipt) }
                    } }
                    tbody role="rowgroup" { @for row in &rows { (row) } }
                }
                @if let Some(seq) = older {
                    nav.pager aria-label=(texts.statement) { a.btn href={ "/votes?before=" (seq) "#statement" } { (texts.older) } }
                }
            }
        }
    })
}

async fn row(visit: &Visit, board: &RankingBoard, it: &ToldRecord) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let record = &it.record;
    let mut named = Vec::new();
    for policy in record.changes.keys().take(5) {
        named.push((*policy, title(visit, board, *policy).await?));
    }
    let kind = match record.kind {
        RecordKind::Vote if record.policy_created.is_some() => texts.kind_create,
        RecordKind::Vote => texts.kind_vote,
        RecordKind::Undo => texts.kind_undo,
        RecordKind::Final => texts.kind_final,
    };
    let moved: i64 = record.changes.values().map(|change| change.increment).sum();
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
            td.n role="cell" data-l=(texts.votes) { (format.change(moved)) }
            td.n role="cell" data-l=(texts.burned) {
                @if burned == 0 { "0" } @else { span.price { (format.number(burned)) } }
            }
            td.n role="cell" { a href={ "/votes/receipts/" (record.seq) } { ((texts.receipt_of)(record.seq)) } }
        }
    })
}
