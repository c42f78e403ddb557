//! Background tasks: what each does, how it ran last, and running one now. Running is a wish that
//! this instance hears; whoever asks does not wait for it.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_tasks::Record;
use stoa_votes::tasks::catalog::{Described, described};

use super::{none, page};
use crate::answer::Answer;
use crate::background::Background;
use crate::error::Failure;
use crate::links;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/tasks";

/// `GET /admin/tasks`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin_running;
    let title = visit.texts.admin.tasks;
    let Some(background) = visit.app.background() else {
        let main = html! { h1 { (title) } (none(title, texts.nothing_runs)) };
        return Ok(page(&visit, LIST, title, &main));
    };
    let last = last_runs(background).await?;
    let asked = visit.query.get("asked");
    let asked = described().find(|task| task.name == asked);
    let main = html! {
        h1 { (title) }
        @if let Some(task) = asked { p.note.is-good role="status" { ((texts.asked)(task.name)) } }
        p.text { (texts.tasks_about) }
        table.tbl.fold role="table" {
            caption.vh { (title) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.task) }
                th role="columnheader" scope="col" { (texts.every) }
                th role="columnheader" scope="col" { (texts.last_run) }
                th role="columnheader" scope="col" { (texts.result) }
                th role="columnheader" scope="col" { (visit.texts.admin.action) }
            } }
            tbody role="rowgroup" { @for task in described() {
                (row(&visit, background, &task, last.get(task.name)))
            } }
        }
    };
    Ok(page(&visit, LIST, title, &main))
}

/// `POST /admin/tasks`: runs one within a few seconds.
pub async fn run(visit: Visit) -> Outcome {
    let name = visit.form.get("task");
    let background = visit.app.background().ok_or(Failure::NotFound)?;
    if !background.wishes.ask(name) {
        return Err(Failure::NotFound);
    }
    let path = match visit.form.get("then") {
        "audit" => "/admin/audit",
        _ => LIST,
    };
    Ok(Answer::see(&links::with_fields(path, [("asked", name)])))
}

/// A button that runs a task now, if this instance runs it.
pub(super) fn run_button(visit: &Visit, background: &Background, task: &str, text: &str) -> Markup {
    let texts = &visit.texts.admin_running;
    let then = if text == texts.audit_now { "audit" } else { "" };
    if !background.wishes.known().contains(task) {
        return html! { span.small.muted { (texts.elsewhere) } };
    }
    forms::form(
        visit,
        LIST,
        &html! {
            (forms::hidden("task", task))
            (forms::hidden("then", then))
            button.btn.sm { (text) span.vh { ": " (task) } }
        },
    )
}

/// How a task ran last, all its parts taken together.
pub(super) struct LastRun {
    /// When the last part began, in microseconds since 1970.
    pub(super) began_micros: i64,
    /// How long the parts took, one after the other.
    pub(super) took_millis: i64,
    /// How often the worst part failed in a row.
    pub(super) failures: i32,
    /// What was told.
    pub(super) told: String,
}

impl LastRun {
    fn of(record: &Record) -> Self {
        let run = &record.run;
        let told = run.error.as_ref().or(run.done.as_ref());
        Self {
            began_micros: run.began.0.saturating_mul(1_000),
            took_millis: run.took_millis,
            failures: run.failures,
            told: told.cloned().unwrap_or_default(),
        }
    }

    fn with(self, other: Self) -> Self {
        let told = match other.failures > self.failures || self.told.is_empty() {
            true => other.told,
            false => self.told,
        };
        Self {
            began_micros: self.began_micros.max(other.began_micros),
            took_millis: self.took_millis.saturating_add(other.took_millis),
            failures: self.failures.max(other.failures),
            told,
        }
    }
}

/// How each task ran last, by its name.
pub(super) async fn last_runs(
    background: &Background,
) -> Result<BTreeMap<String, LastRun>, Failure> {
    let mut last: BTreeMap<String, LastRun> = BTreeMap::new();
    for record in background.tables.runs.list().await? {
        let run = LastRun::of(&record);
        let run = match last.remove(&record.task) {
            Some(other) => other.with(run),
            None => run,
        };
        last.insert(record.task, run);
    }
    Ok(last)
}

fn row(visit: &Visit, background: &Background, task: &Described, last: Option<&LastRun>) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let about = (texts.task_about)(task.name).unwrap_or(task.about);
    html! {
        tr role="row" {
            th role="rowheader" scope="row" { code { (task.name) } div.small.muted { (about) } }
            td role="cell" { ((texts.seconds)(task.every.as_secs())) }
            td role="cell" data-l=(texts.last_run) {
                @match last {
                    Some(last) => {
                        (format.moment(last.began_micros))
                        div.small.muted { ((texts.took)(&format.number(last.took_millis))) }
                    },
                    None => span.muted { (texts.never) },
                }
            }
            td role="cell" {
                @if let Some(last) = last {
                    (verdict(visit, last.failures))
                    @if !last.told.is_empty() { div.small { (last.told) } }
                }
            }
            td role="cell" { (run_button(visit, background, task.name, texts.run_now)) }
        }
    }
}

/// Whether it went well, in words and by shape.
fn verdict(visit: &Visit, failures: i32) -> Markup {
    let texts = &visit.texts.admin_running;
    html! {
        @if failures == 0 { span.badge.is-good { (texts.done) } }
        @else { span.badge.is-bad { ((texts.failed)(failures)) } }
    }
}

/// How all of them stand, for the overview.
pub(super) async fn in_short(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin_running;
    let Some(background) = visit.app.background() else {
        return Ok(html! { p.muted { (texts.nothing_runs) } });
    };
    let last = last_runs(background).await?;
    let failing = last.iter().filter(|(_, it)| it.failures > 0);
    let failing: Vec<&String> = failing.map(|(name, _)| name).collect();
    Ok(html! {
        @if last.is_empty() { p.muted { (texts.never) } }
        @else if failing.is_empty() { p { (verdict(visit, 0)) } }
        @for name in failing {
            p { code { (name) } " " (verdict(visit, last.get(name).map_or(1, |it| it.failures))) }
        }
    })
}
