//! One case: what it is about, who reported it and why, what happened, and the decision.
//!
//! Whoever decides takes the case by that, so that no two do. That somebody reads here what is not
//! for everybody is in the audit log.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{
    By, Case, CaseState, Decision, Measure, NotDone, Report, ReportReason, Target, TargetKind,
};
use stoa_votes::ops::examine_case::ExaminedCase;
use uuid::Uuid;

use super::thing::{self, Thing, kind_name};
use super::{about, by, choice, done, reason};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::login::viewer::Viewer;
use crate::markdown;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// What was typed into the form of the decision.
#[derive(Debug, Clone, Copy, Default)]
struct Typed<'a> {
    decision: &'a str,
    reason: &'a str,
}

/// `GET /desk/cases/{case}`
pub async fn show(visit: Visit) -> Outcome {
    let target = target(&visit)?;
    page(&visit, target, Typed::default(), &Mistakes::default()).await
}

/// `POST /desk/cases/{case}`
pub async fn submit(visit: Visit) -> Outcome {
    let target = target(&visit)?;
    let case = Uuid::try_parse(visit.form.get("case")).map_err(|_| Failure::NotFound)?;
    let (votes, by) = (visit.votes(), by(&visit)?);
    let (acted, done) = match visit.form.get("do") {
        "take" => (votes.take_case(by, target, case).await.map(|_| ()), "taken"),
        "return" => (votes.return_case(by, target, case).await, "returned"),
        "decide" => return decide(&visit, by, target, case).await,
        _ => return refused(&visit, target, Failure::BadRequest).await,
    };
    match acted {
        Ok(()) => Ok(seen(target, done)),
        Err(not_done) => refused(&visit, target, not_done.into()).await,
    }
}

async fn decide(visit: &Visit, by: By, target: Target, case: Uuid) -> Outcome {
    let why = visit.form.get("reason");
    let mut mistakes = Mistakes::default();
    let decision = Decision::of_name(visit.form.get("decision")).filter(|it| it.fits(target));
    if decision.is_none() {
        mistakes.add("decision", visit.texts.desk.cases.choose_first);
    }
    if let Err(refusal) = stoa_votes::rules::comments::reason(why) {
        let told = visit.texts.refusal(refusal.code(), &refusal.to_string());
        mistakes.add("reason", &told);
    }
    let Some(decision) = decision.filter(|_| mistakes.is_empty()) else {
        let typed = typed(visit);
        return Ok(page(visit, target, typed, &mistakes)
            .await?
            .with_status(422));
    };
    let votes = visit.votes();
    let decided = match votes.take_case(by, target, case).await {
        Err(NotDone::Refused(refused)) if refused.code() != "case_decided" => {
            Err(NotDone::Refused(refused))
        }
        // Where it was decided before, it may have been by this very form.
        Ok(_) | Err(NotDone::Refused(_)) => {
            votes.decide_case(by, target, case, decision, why).await
        }
        Err(unknown) => Err(unknown),
    };
    match decided {
        Ok(()) => Ok(seen(target, "decided")),
        Err(not_done) => refused(visit, target, not_done.into()).await,
    }
}

fn typed(visit: &Visit) -> Typed<'_> {
    Typed {
        decision: visit.form.get("decision"),
        reason: visit.form.get("reason"),
    }
}

fn seen(target: Target, done: &str) -> Answer {
    Answer::see(&format!("{}?done={done}", thing::address(target)))
}

/// The page once more, with what kept it from being done.
async fn refused(visit: &Visit, target: Target, failure: Failure) -> Outcome {
    let status = failure.form_status();
    let field = |code: &str| match code {
        "case_taken" | "case_decided" | "case_not_taken" | "own_doing" | "measure_impossible" => {
            "decision"
        }
        _ => "",
    };
    let mistakes = Mistakes::refused(visit, failure, field)?;
    let page = page(visit, target, typed(visit), &mistakes).await?;
    Ok(page.with_status(status))
}

fn target(visit: &Visit) -> Result<Target, Failure> {
    thing::of_name(visit.param("case")).ok_or(Failure::NotFound)
}

async fn page(visit: &Visit, target: Target, typed: Typed<'_>, mistakes: &Mistakes) -> Outcome {
    let examined = visit.votes().examine_case(by(visit)?, target).await?;
    let mut names = Names::default();
    let reporters = examined.reports.iter().chain(&examined.earlier);
    let people = reporters.map(|it| it.reporter);
    let people = people.chain(examined.case.handled_by).collect();
    names.read(visit, people).await?;
    let thing = thing::of_case(visit, &examined.case, &mut names).await?;
    let whole = whole(visit, &examined.case, &mut names).await?;
    let (texts, case) = (&visit.texts.desk.cases, &examined.case);
    let main = html! {
        p.meta { a href="/desk/cases" { (texts.queue) } }
        (done(visit, &[("decided", texts.was_done), ("taken", texts.is_yours), ("returned", texts.is_given_back)]))
        div.split {
            header.full {
                div.meta { (badge(visit, case)) span { (kind_name(texts, case.target.kind())) } }
                h1 { (thing.name) }
                (mistakes.summary(visit))
            }
            div {
                (about_it(visit, &thing, &whole, case))
                (reports(visit, &examined, &names))
                (history(visit, &examined, &names))
            }
            aside.late { (panel(visit, &examined, &names, typed, mistakes)) }
        }
    };
    Ok(layout::page(visit, about(&thing.name), main))
}

/// What the thing says, all of it, as those may read it who judge it.
async fn whole(visit: &Visit, case: &Case, names: &mut Names) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk.cases;
    Ok(match case.target {
        Target::Policy(policy) => {
            let shown = match visit.votes().page_for(by(visit)?, policy).await {
                Err(NotDone::Refused(_)) => return Ok(html! { p.muted { (texts.text_gone) } }),
                shown => shown?,
            };
            html! {
                h3 { (shown.page.title) }
                @match &shown.text {
                    Some(version) => div.text { (markdown::html(&version.text.description)) },
                    None => p.muted { (texts.text_gone) },
                }
            }
        }
        Target::Comment(policy, comment) => {
            let votes = visit.votes();
            let found = votes.comment_for_moderators(by(visit)?, policy, comment);
            let (found, earlier) = match found.await {
                Err(NotDone::Refused(_)) => return Ok(html! { p.muted { (texts.text_gone) } }),
                found => found?,
            };
            names.read(visit, vec![found.author]).await?;
            super::comment::whole(visit, &found, &earlier, names)
        }
        Target::Access(_) => html! {
            p.small.muted { (texts.contact) }
            blockquote.quote { @for line in case.about.lines() { (line) br; } }
        },
        Target::Tag(_) | Target::User(_) | Target::Account(_) => html! {},
    })
}

fn about_it(visit: &Visit, thing: &Thing, whole: &Markup, case: &Case) -> Markup {
    let texts = &visit.texts.desk.cases;
    let way = match case.target.kind() {
        TargetKind::User | TargetKind::Account => texts.see_account,
        TargetKind::Tag => texts.see_tag,
        _ => texts.where_it_is,
    };
    html! {
        section aria-labelledby="h-thing" {
            h2 #h-thing { (texts.the_thing) }
            (whole)
            p.row {
                @if let Some(address) = &thing.address { a.btn.sm href=(address) { (way) } " " }
                @if let Target::Policy(policy) = case.target {
                    @if visit.duties.may_any(super::MERGERS) {
                        a.btn.sm href=(format!("/desk/merges/new?src={policy}")) { (texts.take_to_merge) }
                    }
                }
            }
        }
    }
}

fn badge(visit: &Visit, case: &Case) -> Markup {
    let texts = &visit.texts.desk.cases;
    html! {
        @match case.state {
            CaseState::Decided | CaseState::Closed => { span.badge.is-good { (texts.decided) } " " },
            CaseState::Open | CaseState::Taken if case.hiding.is_some() => { span.badge.is-bad { (texts.hidden) } " " },
            CaseState::Taken => { span.badge.is-info { (texts.taken) } " " },
            CaseState::Open => { span.badge.is-wait { (texts.waiting) } " " },
        }
    }
}

/// The decision, or the form of it.
fn panel(
    visit: &Visit,
    examined: &ExaminedCase,
    names: &Names,
    typed: Typed<'_>,
    mistakes: &Mistakes,
) -> Markup {
    let (texts, case) = (&visit.texts.desk.cases, &examined.case);
    let own = visit.viewer.as_ref().map(Viewer::id);
    let is_of_another = case.state == CaseState::Taken && case.handled_by != own;
    html! {
        section.panel.key aria-labelledby="h-decide" {
            @if let (false, Some(decision)) = (case.state.is_undecided(), case.decision) {
                h2 #h-decide { (texts.decided) }
                p { b { (outcome(visit, decision)) } }
                @if let Some(by) = case.handled_by { p.small.muted { ((texts.was_decided)(names.of(visit, by))) } }
                blockquote.quote { (case.reason) }
            } @else {
                h2 #h-decide { (texts.decide) }
                @if let (true, Some(by)) = (is_of_another, case.handled_by) { p.note { ((texts.of_another)(names.of(visit, by))) } }
                (form(visit, case, typed, mistakes))
            }
        }
    }
}

fn form(visit: &Visit, case: &Case, typed: Typed<'_>, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.desk.cases;
    let address = thing::address(case.target);
    let id = case.id.to_string();
    let options = options(visit, case.target);
    let is_own =
        case.state == CaseState::Taken && case.handled_by == visit.viewer.as_ref().map(Viewer::id);
    let kind = kind_name(texts, case.target.kind());
    html! {
        form method="post" action=(address) novalidate {
            (forms::token(visit))
            (forms::hidden("case", &id))
            (choice(("decision", texts.choose), &options, typed.decision, mistakes))
            (reason(visit, "reason", typed.reason, mistakes))
            p.small.muted {
                @if case.target.kind() == TargetKind::Access { (texts.reason_access_hint) } @else { (texts.told) }
            }
            button.btn.go.wide name="do" value="decide" { ((texts.decide_button)(kind)) }
        }
        div.pad { (forms::form(visit, &address, &html! {
            (forms::hidden("case", &id))
            @if is_own { button.btn.sm name="do" value="return" { (texts.give_back) } }
            @else { button.btn.sm name="do" value="take" { (texts.take) } }
        })) }
    }
}

/// What can be decided about a thing.
fn options(visit: &Visit, target: Target) -> Vec<(&'static str, &'static str, &'static str)> {
    let texts = &visit.texts.desk.cases;
    let told = |decision: Decision| match (decision, target.kind()) {
        (Decision::Upheld(Measure::Remove), _) => (texts.remove, texts.remove_more),
        (Decision::Upheld(Measure::Hide), _) => (texts.hide, texts.hide_more),
        (Decision::Upheld(Measure::Nothing), TargetKind::Access) => (texts.helped, ""),
        (Decision::Rejected, TargetKind::Access) => (texts.not_helped, ""),
        (Decision::Upheld(Measure::Nothing), TargetKind::Account) => {
            (texts.is_second, texts.is_second_more)
        }
        (Decision::Rejected, TargetKind::Account) => (texts.is_no_second, ""),
        (Decision::Upheld(Measure::Nothing), _) => match target.can_be_hidden() {
            true => (texts.uphold, texts.uphold_more),
            false => (texts.uphold, ""),
        },
        (Decision::Rejected, _) => match target.can_be_hidden() {
            true => (texts.keep, texts.keep_more),
            false => (texts.keep, ""),
        },
    };
    let fitting = Decision::NAMES.iter().filter(|(it, _)| it.fits(target));
    let options = fitting.map(|(decision, name)| {
        let (text, more) = told(*decision);
        (*name, text, more)
    });
    options.collect()
}

fn outcome(visit: &Visit, decision: Decision) -> &'static str {
    let texts = &visit.texts.desk.cases;
    match decision {
        Decision::Upheld(Measure::Remove) => texts.outcome_removed,
        Decision::Upheld(Measure::Hide) => texts.outcome_hidden,
        Decision::Upheld(Measure::Nothing) => texts.outcome_upheld,
        Decision::Rejected => texts.outcome_rejected,
    }
}

/// What a reason is called.
pub(super) fn reason_name(visit: &Visit, reason: ReportReason) -> &'static str {
    let texts = &visit.texts.desk.cases;
    match reason {
        ReportReason::Spam => texts.reason_spam,
        ReportReason::Abuse => texts.reason_abuse,
        ReportReason::OffTopic => texts.reason_off_topic,
        ReportReason::Duplicate => texts.reason_duplicate,
        ReportReason::Illegal => texts.reason_illegal,
        ReportReason::Other => texts.reason_other,
    }
}

fn reports(visit: &Visit, examined: &ExaminedCase, names: &Names) -> Markup {
    let texts = &visit.texts.desk.cases;
    html! {
        @if examined.case.target.kind() != TargetKind::Access {
            section.sec aria-labelledby="h-reports" {
                h2 #h-reports { (texts.their_reports) }
                @if examined.reports.is_empty() { p.muted { (texts.no_reports) } }
                @else { (table(visit, &examined.reports, names)) }
                @if !examined.earlier.is_empty() {
                    details {
                        summary { ((texts.earlier)(examined.earlier.len())) }
                        (table(visit, &examined.earlier, names))
                    }
                }
            }
        }
    }
}

fn table(visit: &Visit, reports: &[Report], names: &Names) -> Markup {
    let (texts, format) = (&visit.texts.desk.cases, &visit.texts.format);
    html! {
        table.tbl.fold role="table" {
            caption { (texts.reports_caption) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.reporter) }
                th role="columnheader" scope="col" { (texts.when) }
                th role="columnheader" scope="col" { (texts.why) }
                th role="columnheader" scope="col" { (texts.words) }
            } }
            tbody role="rowgroup" { @for it in reports {
                tr role="row" {
                    th role="rowheader" scope="row" { (person(visit, it, names)) }
                    td role="cell" data-l=(texts.when) { (format.moment(time_uuid::unix_micros(&it.id).unwrap_or(0))) }
                    td role="cell" data-l=(texts.why) { (reason_name(visit, it.reason)) }
                    td role="cell" { (it.words) }
                }
            } }
        }
    }
}

fn person(visit: &Visit, report: &Report, names: &Names) -> Markup {
    let name = names.of(visit, report.reporter);
    html! {
        @if visit.duties.may_any(super::EXAMINERS) { a href=(format!("/desk/users/{}", report.reporter)) { "@" (name) } }
        @else { "@" (name) }
    }
}

/// What happened, as far as the case and its reports tell.
fn history(visit: &Visit, examined: &ExaminedCase, names: &Names) -> Markup {
    let (texts, format) = (&visit.texts.desk.cases, &visit.texts.format);
    let case = &examined.case;
    let at = |id: &Uuid| time_uuid::unix_micros(id).unwrap_or(0);
    let mut events = vec![(at(&case.id), texts.opened.to_owned())];
    for report in &examined.reports {
        let name = names.of(visit, report.reporter);
        events.push((at(&report.id), (texts.was_reported)(name)));
    }
    if let Some(hiding) = &case.hiding {
        events.push((at(hiding), texts.was_hidden.to_owned()));
    }
    if let Some(by) = case.handled_by {
        let told = match case.state.is_undecided() {
            true => texts.was_taken,
            false => texts.was_decided,
        };
        events.push((case.act_micros(), told(names.of(visit, by))));
    }
    events.sort_by_key(|(micros, _)| *micros);
    html! {
        section.sec aria-labelledby="h-history" {
            h2 #h-history { (texts.history) }
            ol.miles.small { @for (micros, told) in &events {
                li.done { b { (told) } ", " (format.moment(*micros)) }
            } }
            p.small { a href="/log" { (visit.texts.desk.log) } }
        }
    }
}
