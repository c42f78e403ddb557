//! The public ledger: its closed days with their hashes and files, how to count it again, and what
//! it does not show.

use maud::{Markup, html};
use stoa_votes::model::{Day, PrivacyMode};
use stoa_votes::ops::ledger_days::LedgerDays;

use super::ledger_whole;
use super::rules::mode_name;
use crate::fields::day_of;
use crate::layout::{self, About, short_hash};
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// Days of a page.
const MOST: u16 = 31;

/// `GET /ledger`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.record;
    let before = day_of(visit.query.get("before"));
    let days = visit.votes().ledger_days(before, MOST).await?;
    let main = html! {
        h1 { (texts.ledger_title) }
        p.lead.narrow { (texts.ledger_lead) }
        @if days.days.is_empty() {
            div.empty { h2 { (texts.ledger_none) } p { (texts.ledger_none_more) } a.btn href="/rules" { (texts.rules_title) } }
        } @else {
            (last(&visit))
            (table(&visit, &days, before))
        }
        (verify(&visit))
        (shows(&visit))
    };
    let about = About {
        title: texts.ledger_title,
        description: texts.ledger_lead,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

/// The hash that people keep.
fn last(visit: &Visit) -> Markup {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    html! {
        @if let Some((day, hash)) = &visit.notice.closed {
            dl.panel {
                dt.small.muted { (texts.ledger_last) }
                dd { b { (format.day(*day)) } }
                dt.small.muted { (texts.ledger_hash) }
                dd { code { (hash.to_string()) } }
            }
        }
    }
}

fn table(visit: &Visit, days: &LedgerDays, before: Option<Day>) -> Markup {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    html! {
        section.sec aria-labelledby="h-days" {
            h2 #h-days { (texts.ledger_days) }
            table.tbl.fold role="table" {
                caption.vh { (texts.ledger_caption) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.log_day) }
                    th.n role="columnheader" scope="col" { (texts.ledger_ranked) }
                    th role="columnheader" scope="col" { (texts.ledger_hash) }
                    th role="columnheader" scope="col" { (texts.ledger_file) }
                } }
                tbody role="rowgroup" { @for it in &days.days {
                    @let (day, hash) = (format.day(it.day), it.hash.to_string());
                    tr role="row" {
                        th role="rowheader" scope="row" { (day) }
                        td.n role="cell" data-l=(texts.ledger_ranked) { @match it.policies {
                            Some(policies) => a href=(links::ranking_on(it.day)) { (format.number(policies)) span.vh { ": " ((texts.ledger_ranking)(&day)) } },
                            None => "–",
                        } }
                        td role="cell" data-l=(texts.ledger_hash) { code title=(hash) { (short_hash(&hash)) " …" } }
                        td role="cell" { a href=(links::ledger_day(it.day)) download { ((texts.ledger_download)(&it.day.to_string())) } }
                    }
                } }
            }
            nav.pager aria-label=(texts.ledger_days) {
                @if before.is_some() { a.btn href="/ledger" { (texts.ledger_newest) } }
                @if let Some(next) = days.next {
                    a.btn href=(links::with_fields("/ledger", [("before", next.to_string().as_str())])) { (texts.ledger_older) }
                }
            }
        }
    }
}

fn verify(visit: &Visit) -> Markup {
    let texts = &visit.texts.record;
    let hash = visit
        .notice
        .closed
        .as_ref()
        .map(|(_, hash)| hash.to_string());
    html! {
        section.sec aria-labelledby="h-verify" {
            h2 #h-verify { (texts.verify_title) }
            ol.text {
                li {
                    p { (texts.verify_1) }
                    @if ledger_whole::is_kept(visit) {
                        p { a.btn href="/ledger/ledger.jsonl" download { (texts.verify_whole) } }
                    } @else {
                        p.small.muted { (texts.verify_no_whole) " " code { "stoa votes export --out ledger.jsonl" } }
                    }
                }
                li {
                    p { (texts.verify_2) }
                    p { code { "stoa votes verify ledger.jsonl" @if let Some(hash) = hash { " --hash " (hash) } } }
                }
                li { p { (texts.verify_3) } }
            }
        }
    }
}

fn shows(visit: &Visit) -> Markup {
    let texts = &visit.texts.record;
    let mode = visit.notice.rules.privacy;
    let hides = match mode {
        PrivacyMode::Public => texts.hides_public,
        PrivacyMode::Pseudonymous => texts.hides_pseudonymous,
        PrivacyMode::Tallies => texts.hides_tallies,
    };
    html! {
        section.sec aria-labelledby="h-shows" {
            h2 #h-shows { (texts.shows_title) }
            div.text { p { b { (mode_name(texts, mode)) "." } } p { (hides) } }
        }
    }
}
