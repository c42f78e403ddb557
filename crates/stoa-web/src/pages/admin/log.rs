//! What instances told on a day: what failed, and what audits found.

use maud::{Markup, html};
use stoa_tasks::{Level, Line};
use stoa_types::Date;
use stoa_votes::model::Day;
use uuid::Uuid;

use super::{asked_day, days, none, page, short_id};
use crate::background::Background;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/log";
/// Lines of a page.
const MOST_LINES: u16 = 200;

/// `GET /admin/log`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin_running;
    let title = visit.texts.admin.log;
    let Some(background) = visit.app.background() else {
        let main = html! { h1 { (title) } (none(title, texts.nothing_runs)) };
        return Ok(page(&visit, LIST, title, &main));
    };
    let day = asked_day(&visit);
    let named = Uuid::try_parse(visit.query.get("instance")).ok();
    let lines = lines(background, day, named).await?;
    let kept = named.map(|it| it.to_string()).unwrap_or_default();
    let is_cut = lines.len() >= usize::from(MOST_LINES);
    let main = html! {
        h1 { (title) ": " (visit.texts.format.day(day)) }
        p.text { (texts.log_about) }
        (days(&visit, LIST, day, &[("instance", kept.as_str())]))
        @if let Some(named) = named {
            p.row {
                (texts.instance) " " code { (short_id(named)) }
                a.btn.sm href={ (LIST) "?day=" (day) } { (texts.every_instance) }
            }
        }
        @if lines.is_empty() { (none(texts.no_lines, texts.no_lines_more)) } @else {
            (table(&visit, day, &lines))
            @if is_cut { p.muted { ((texts.most_lines)(MOST_LINES)) } }
        }
    };
    Ok(page(&visit, LIST, title, &main))
}

/// The last lines of a day, of one instance or of all.
pub(super) async fn lines(
    background: &Background,
    day: Day,
    instance: Option<Uuid>,
) -> Result<Vec<Line>, Failure> {
    let log = &background.tables.log;
    let day = Date::from_days_since_epoch(day.0);
    let lines = match instance {
        Some(instance) => log.of_instance(day, instance, MOST_LINES).await?,
        None => log.day(day, MOST_LINES).await?,
    };
    Ok(lines)
}

fn table(visit: &Visit, day: Day, lines: &[Line]) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    html! {
        table.tbl.fold role="table" {
            caption.vh { (visit.texts.admin.log) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.at) }
                th role="columnheader" scope="col" { (texts.level) }
                th role="columnheader" scope="col" { (texts.what) }
                th role="columnheader" scope="col" { (texts.instance) }
            } }
            tbody role="rowgroup" { @for line in lines {
                tr role="row" {
                    td role="cell" { (format.time(line.at_micros())) }
                    td role="cell" { (level(visit, line.level)) }
                    th role="rowheader" scope="row" {
                        (line.what)
                        div.small.muted.meta { @for (name, value) in &line.fields {
                            span { (name) ": " (value) }
                        } }
                    }
                    td role="cell" data-l=(texts.instance) {
                        a href={ (LIST) "?day=" (day) "&instance=" (line.instance) } { code { (short_id(line.instance)) } }
                    }
                }
            } }
        }
    }
}

/// How much a line matters, in words and by shape.
fn level(visit: &Visit, level: Level) -> Markup {
    let texts = &visit.texts.admin_running;
    match level {
        Level::Info => html! { span.badge { (texts.info) } },
        Level::Warning => html! { span.badge.is-wait { (texts.warning) } },
        Level::Error => html! { span.badge.is-bad { (texts.error) } },
    }
}
