//! The queue of reports: every case that waits, the oldest first, of one kind or of all.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{CaseState, Role, TargetKind};
use stoa_votes::ops::judge_case::QueuedCase;

use super::thing::{self, Thing, kind_name};
use super::{Tab, by};
use crate::error::Failure;
use crate::pages::policy::Names;
use crate::parts::forms;
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// Cases of a page at most.
const MOST: usize = 50;

/// A case in the queue.
pub(super) struct Waiting {
    queued: QueuedCase,
    thing: Thing,
}

/// How deep the heading of a case stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Second,
    Third,
}

/// `GET /desk/cases`
pub async fn show(visit: Visit) -> Outcome {
    let kinds = kinds(&visit);
    let asked = TargetKind::of_name(visit.query.get("kind")).filter(|it| kinds.contains(it));
    let mut names = Names::default();
    let waiting = waiting(&visit, asked, MOST, &mut names).await?;
    let texts = &visit.texts.desk.cases;
    let main = html! {
        div.row.apart.base {
            form.row.small method="get" action="/desk/cases" {
                label for="kind" { (texts.kind) } " "
                select.in.sm.auto #kind name="kind" {
                    option value="" { (texts.all_kinds) }
                    @for kind in &kinds {
                        option value=(kind.name()) selected[Some(*kind) == asked] { (kind_name(texts, *kind)) }
                    }
                } " "
                button.btn.sm { (texts.show) }
            }
            span.small.muted { (texts.queue_more) }
        }
        @if waiting.is_empty() { (nothing(&visit)) }
        @for it in &waiting { (article(&visit, it, &names, Level::Second)) }
    };
    Ok(super::page(&visit, Tab::Cases, texts.queue, &main))
}

/// The kinds of cases that the viewer may decide.
fn kinds(visit: &Visit) -> Vec<TargetKind> {
    match visit.duties.may(Role::HandleReports) {
        true => TargetKind::NAMES.iter().map(|(kind, _)| *kind).collect(),
        false => vec![TargetKind::Comment],
    }
}

/// The first cases that wait, of a kind or of all that the viewer may decide.
pub(super) async fn waiting(
    visit: &Visit,
    kind: Option<TargetKind>,
    most: usize,
    names: &mut Names,
) -> Result<Vec<Waiting>, Failure> {
    let kinds = kind.map_or_else(|| kinds(visit), |kind| vec![kind]);
    let mut queued = Vec::new();
    for kind in kinds {
        queued.extend(visit.votes().open_cases(by(visit)?, kind).await?);
    }
    queued.sort_by(|one, other| time_uuid::compare(&one.case.id, &other.case.id));
    queued.truncate(most);
    let takers = queued.iter().filter_map(|it| it.case.handled_by);
    names.read(visit, takers.collect()).await?;
    let mut waiting = Vec::new();
    for queued in queued {
        let thing = thing::of_case(visit, &queued.case, names).await?;
        waiting.push(Waiting { queued, thing });
    }
    Ok(waiting)
}

/// What stands where no case waits.
pub(super) fn nothing(visit: &Visit) -> Markup {
    let texts = &visit.texts.desk;
    html! {
        div.empty.gap-t {
            (icons::mark())
            h2 { (texts.nothing_waits) }
            p.flush { (texts.nothing_waits_more) }
        }
    }
}

/// A case in the queue, with the way to it.
pub(super) fn article(visit: &Visit, it: &Waiting, names: &Names, level: Level) -> Markup {
    let texts = &visit.texts.desk.cases;
    let (case, thing) = (&it.queued.case, &it.thing);
    let address = thing::address(case.target);
    let opened = time_uuid::unix_micros(&case.id).unwrap_or(0);
    let is_free = case.state == CaseState::Open;
    html! {
        article.case {
            div.stack.tight {
                div.row {
                    (badge(visit, it)) " "
                    span.meta {
                        span { (kind_name(texts, case.target.kind())) }
                        @if !it.queued.reports.is_empty() { span { ((texts.people)(it.queued.reports.len())) } }
                        @if case.score > 0 { span { ((texts.score)(case.score)) } }
                        span { ((texts.since)(&visit.texts.format.moment(opened))) }
                        @if let Some(taker) = case.handled_by { span { ((texts.taken_by)(names.of(visit, taker))) } }
                    }
                }
                @match level {
                    Level::Second => h2.name { a href=(address) { (thing.name) } },
                    Level::Third => h3.name { a href=(address) { (thing.name) } },
                }
                @if !thing.quote.is_empty() { blockquote.quote { (thing.quote) } }
                @if thing.is_withheld { p.small.muted { (texts.read_in_case) } }
                @if !it.queued.reports.is_empty() { p.small.muted { (reasons(visit, it)) } }
            }
            div.row {
                @if is_free {
                    (forms::form(visit, &address, &html! {
                        (forms::hidden("case", &case.id.to_string()))
                        button.btn.sm name="do" value="take" aria-label={ (texts.take) ": " (thing.name) } { (texts.take) }
                    })) " "
                }
                a.btn.sm href=(address) aria-label=((texts.open_label)(&thing.name)) { (texts.open) }
            }
        }
    }
}

fn badge(visit: &Visit, it: &Waiting) -> Markup {
    let texts = &visit.texts.desk.cases;
    let case = &it.queued.case;
    html! {
        @if case.hiding.is_some() { span.badge.is-bad { (texts.hidden) } }
        @else if case.state == CaseState::Taken { span.badge.is-info { (texts.taken) } }
        @else { span.badge.is-wait { (texts.waiting) } }
    }
}

/// Why people reported it, and how many for each reason.
fn reasons(visit: &Visit, it: &Waiting) -> String {
    let mut counted: Vec<(&'static str, usize)> = Vec::new();
    for report in &it.queued.reports {
        let name = super::case::reason_name(visit, report.reason);
        match counted.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counted.push((name, 1)),
        }
    }
    let told = counted
        .iter()
        .map(|(name, count)| format!("{name} ({count})"));
    told.collect::<Vec<_>>().join(", ")
}
