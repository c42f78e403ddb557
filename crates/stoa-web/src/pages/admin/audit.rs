//! The audit: whether the books balance, what was found, and looking again now.

use maud::{Markup, html};
use stoa_votes::model::Day;

use super::tasks::{LastRun, last_runs, run_button};
use super::{log, none, page};
use crate::background::Background;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/audit";
/// The task that audits.
const TASK: &str = "votes.audit";

/// `GET /admin/audit`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin_running;
    let title = visit.texts.admin.audit;
    let Some(background) = visit.app.background() else {
        let main = html! { h1 { (title) } (none(title, texts.nothing_runs)) };
        return Ok(page(&visit, LIST, title, &main));
    };
    let last = last_runs(background).await?.remove(TASK);
    let findings = match last.as_ref().filter(|it| it.failures > 0) {
        Some(last) => findings(background, last).await?,
        None => Vec::new(),
    };
    let main = html! {
        h1 { (title) }
        @if visit.query.get("asked") == TASK {
            p.note.is-info role="status" { ((texts.asked)(TASK)) }
        }
        p.text { (texts.audit_about) }
        @match &last {
            None => (none(texts.no_audit, texts.no_audit_more)),
            Some(last) => (verdict(&visit, last)),
        }
        @if !findings.is_empty() {
            section aria-labelledby="h-found" {
                h2 #h-found { (texts.findings) }
                ul { @for finding in &findings { li { (finding) } } }
            }
        }
        div.gap-t { (run_button(&visit, background, TASK, texts.audit_now)) }
    };
    Ok(page(&visit, LIST, title, &main))
}

/// What the last run found, from the log of its day; each finding once.
async fn findings(background: &Background, last: &LastRun) -> Result<Vec<String>, Failure> {
    let day = Day::of_micros(last.began_micros);
    let lines = log::lines(background, day, None).await?;
    let since = |at: i64| at >= last.began_micros;
    let told = lines.into_iter().filter(|line| {
        since(line.at_micros()) && line.fields.get("task").is_some_and(|task| task == TASK)
    });
    let mut findings: Vec<String> = told
        .filter_map(|mut line| line.fields.remove("finding"))
        .collect();
    findings.sort();
    findings.dedup();
    Ok(findings)
}

fn verdict(visit: &Visit, last: &LastRun) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let moment = (texts.audit_at)(&format.moment(last.began_micros));
    let took = (texts.took)(&format.number(last.took_millis));
    html! {
        @if last.failures == 0 {
            div.note.is-good {
                h2 { (texts.balanced) }
                p.small { (moment) ", " (took) }
            }
        } @else {
            div.note.is-bad {
                h2 { (texts.not_balanced) }
                p { (last.told) }
                p { (texts.not_balanced_more) }
                p.small { (moment) ", " (took) }
            }
        }
    }
}

/// The verdict in a line, for the overview.
pub(super) async fn in_short(visit: &Visit) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let Some(background) = visit.app.background() else {
        return Ok(html! { p.muted { (texts.nothing_runs) } });
    };
    let last = last_runs(background).await?.remove(TASK);
    Ok(match last {
        None => html! { p.muted { (texts.no_audit) } },
        Some(last) => html! {
            p {
                @if last.failures == 0 { span.badge.is-good { (texts.balanced) } }
                @else { span.badge.is-bad { (texts.not_balanced) } }
            }
            p.small.muted { ((texts.audit_at)(&format.moment(last.began_micros))) }
        },
    })
}
