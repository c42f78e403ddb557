//! The public moderation log, day by day, the last first.

use maud::{Markup, html};
use stoa_votes::model::Day;
use stoa_votes::tables::moderation::LogEntry;
use uuid::Uuid;

use super::acts::Acts;
use crate::error::Failure;
use crate::fields::day_of;
use crate::layout::{self, About};
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// Entries of a page.
const MOST: usize = 50;
/// Days that one page looks through.
const MOST_DAYS: i32 = 31;

/// What a page shows.
struct Part {
    from: Day,
    days: Vec<(Day, Vec<LogEntry>)>,
    /// The day that was looked at last.
    to: Day,
    /// The entry of that day before which to go on.
    before: Option<Uuid>,
}

/// `GET /log`
pub async fn show(visit: Visit) -> Outcome {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    let today = visit.today();
    let asked = day_of(visit.query.get("day")).map(|day| day.min(today));
    let part = read(&visit, asked.unwrap_or(today)).await?;
    let first = visit.votes().tables().days.first(today).await?;
    let board = visit.votes().board().await?;
    let entries: Vec<LogEntry> = part.days.iter().flat_map(|it| it.1.clone()).collect();
    let acts = Acts::read(&visit, &board, &entries).await?;
    let main = html! {
        h1 { (texts.log_title) }
        p.lead { (texts.log_lead) }
        form.row.filters method="get" action="/log" {
            label for="day" { (texts.log_day) } " "
            input.in.sm.auto id="day" type="date" name="day" max=(today) value=[asked]; " "
            button.btn.sm { (texts.log_show) }
        }
        @if part.days.is_empty() {
            div.empty {
                h2 { ((texts.log_none)(&format.day(part.to), &format.day(part.from))) }
                p { (texts.log_none_more) }
                a.btn href="/rules" { (texts.rules_title) }
            }
        }
        @for (day, entries) in &part.days { (table(&visit, &acts, *day, entries)) }
        (pager(&visit, &part, first))
    };
    let about = About {
        title: texts.log_title,
        description: texts.log_lead,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

/// Entries from a day on backwards, until a page is full or enough days were looked through.
async fn read(visit: &Visit, from: Day) -> Result<Part, Failure> {
    let mut before = Uuid::try_parse(visit.query.get("before")).ok();
    let mut part = Part {
        from,
        days: Vec::new(),
        to: from,
        before: None,
    };
    let mut room = MOST;
    for day in from.plus(1 - MOST_DAYS).through(from).rev() {
        let page = visit
            .votes()
            .moderation_log(day, before.take(), room)
            .await?;
        part.to = day;
        part.before = page.next;
        room -= page.entries.len().min(room);
        if !page.entries.is_empty() {
            part.days.push((day, page.entries));
        }
        if room == 0 {
            break;
        }
    }
    Ok(part)
}

fn table(visit: &Visit, acts: &Acts, day: Day, entries: &[LogEntry]) -> Markup {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    html! {
        section.sec aria-labelledby={ "d-" (day) } {
            h2 id={ "d-" (day) } { (format.weekday(day)) ", " (format.day(day)) }
            table.tbl.fold.log role="table" {
                caption.vh { ((texts.log_caption)(&format.day(day))) }
                thead role="rowgroup" { tr role="row" {
                    @for name in [texts.log_time, texts.log_who, texts.log_what, texts.log_target, texts.log_why] {
                        th role="columnheader" scope="col" { (name) }
                    }
                } }
                tbody role="rowgroup" { @for it in entries { (acts.row(visit, it)) } }
            }
        }
    }
}

fn pager(visit: &Visit, part: &Part, first: Day) -> Markup {
    let texts = &visit.texts.record;
    let (day, before) = match part.before {
        Some(before) => (part.to, before.to_string()),
        None => (part.to.previous(), String::new()),
    };
    let is_newest = visit.query.get("day").is_empty();
    html! {
        nav.pager aria-label=(texts.log_title) {
            @if !is_newest { a.btn href="/log" { (texts.log_newest) } }
            @if day >= first {
                a.btn href=(links::with_fields("/log", [("day", day.to_string().as_str()), ("before", &before)])) { (texts.log_older) }
            }
        }
    }
}
