//! Everything that people with roles did with them on a day: what everybody may read, and what only
//! admins may.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::ops::audit_log::AuditEntry;
use uuid::Uuid;

use super::{asked_day, days, name, none, page};
use crate::links;
use crate::pages::policy::Names;
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/acts";
/// Entries of a page.
const MOST: usize = 100;

/// `GET /admin/acts`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin_running;
    let title = visit.texts.admin.acts;
    let day = asked_day(&visit);
    let before = Uuid::try_parse(visit.query.get("before")).ok();
    let by = visit.viewer()?.by();
    let log = visit.votes().audit_log(by, day, before, MOST).await?;
    let mut names = Names::default();
    let people = log.entries.iter().map(|it| it.entry.moderator);
    names
        .read(&visit, people.filter(|it| !it.0.is_nil()).collect())
        .await?;
    let text = day.to_string();
    let main = html! {
        h1 { (title) ": " (visit.texts.format.day(day)) }
        p.text { (texts.acts_about) }
        (days(&visit, LIST, day, &[]))
        @if log.entries.is_empty() { (none(texts.no_acts, texts.no_acts_more)) }
        @else { (table(&visit, &names, &log.entries)) }
        @if before.is_some() || log.next.is_some() {
            nav.pager aria-label=(title) {
                @if before.is_some() {
                    a.btn href=(links::with_fields(LIST, [("day", text.as_str())])) { (texts.newest) }
                }
                @if let Some(next) = log.next {
                    a.btn href=(links::with_fields(LIST, [("day", text.as_str()), ("before", &next.to_string())])) { (texts.older) }
                }
            }
        }
    };
    Ok(page(&visit, LIST, title, &main))
}

fn table(visit: &Visit, names: &Names, entries: &[AuditEntry]) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    html! {
        table.tbl.fold role="table" {
            caption.vh { (visit.texts.admin.acts) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.at) }
                th role="columnheader" scope="col" { (texts.who) }
                th role="columnheader" scope="col" { (texts.what) }
                th role="columnheader" scope="col" { (texts.why) }
                th role="columnheader" scope="col" { (texts.seen_by) }
            } }
            tbody role="rowgroup" { @for AuditEntry { entry, is_public } in entries {
                tr role="row" {
                    td role="cell" { (format.time(time_uuid::unix_micros(&entry.id).unwrap_or(0))) }
                    td role="cell" { (name(visit, names, entry.moderator)) }
                    th role="rowheader" scope="row" {
                        code { (entry.action) }
                        div.small.muted { (texts.to_what) ": " (entry.target) }
                    }
                    td role="cell" { (entry.reason) }
                    td role="cell" data-l=(texts.seen_by) {
                        @if *is_public { span.badge.is-info { (texts.public) } }
                        @else { span.badge { (texts.not_public) } }
                    }
                }
            } }
        }
    }
}
