//! Taking a policy away, in two steps: why, and then what follows, to be agreed to. Of one that has
//! ended otherwise only the texts can go.

use maud::{Markup, html};
use stoa_votes::model::PolicyState;
use stoa_votes::rules::page_text::checked_reason;

use super::{Subject, by, reason, sure};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/delete`
pub async fn show(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    Ok(first(&visit, &subject, &Mistakes::default()))
}

/// `POST /policies/{policy}/-/delete`
pub async fn submit(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let form = &visit.form;
    let why = form.get("reason");
    let mut mistakes = Mistakes::default();
    if let Err(refusal) = checked_reason(why) {
        let told = visit.texts.refusal(refusal.code(), &refusal.to_string());
        mistakes.add("reason", &told);
        return Ok(first(&visit, &subject, &mistakes).with_status(422));
    }
    match form.get("do") {
        "delete" if form.get("sure") == "1" => {}
        "delete" => {
            mistakes.add("sure", visit.texts.desk.sure_needed);
            return Ok(second(&visit, &subject, &mistakes).with_status(422));
        }
        "back" => return Ok(first(&visit, &subject, &mistakes)),
        _ => return Ok(second(&visit, &subject, &mistakes)),
    }
    let (votes, by, policy) = (visit.votes(), by(&visit)?, subject.policy());
    let taken = match is_over(&subject) {
        true => votes.redact_policy(by, policy, why).await,
        false => votes.delete_policy(by, policy, why).await,
    };
    match taken {
        Ok(()) => Ok(Answer::see(&links::policy(policy, ""))),
        Err(not_done) => {
            let field = |code: &str| match code {
                "policy_closed" => "sure",
                "no_reason" => "reason",
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(second(&visit, &subject, &mistakes).with_status(422))
        }
    }
}

/// Whether it has ended so that only its texts can go.
fn is_over(subject: &Subject) -> bool {
    let state = subject.shown.standing.state;
    matches!(state, PolicyState::Merged | PolicyState::Retired)
}

fn is_gone(subject: &Subject) -> bool {
    !subject.shown.standing.state.is_readable()
}

fn heading(visit: &Visit, subject: &Subject) -> String {
    let texts = &visit.texts.desk.acts;
    match is_over(subject) {
        true => (texts.redact_title)(&subject.title),
        false => (texts.delete_title)(&subject.title),
    }
}

fn first(visit: &Visit, subject: &Subject, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.desk.acts;
    let main = html! {
        (mistakes.summary(visit))
        @if is_gone(subject) { p.note { (texts.ended) } } @else {
            (form(visit, subject, &html! {
                h2 { (texts.step_one) }
                (reason(visit, "reason", visit.form.get("reason"), mistakes))
                p.row {
                    button.btn.go name="do" value="look" { (visit.texts.desk.go_on) } " "
                    a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
                }
            }))
        }
    };
    subject.page(visit, &heading(visit, subject), &main)
}

fn second(visit: &Visit, subject: &Subject, mistakes: &Mistakes) -> Answer {
    let (texts, format) = (&visit.texts.desk.acts, &visit.texts.format);
    let why = visit.form.get("reason");
    let votes = format.number(subject.votes);
    let people = format.number(subject.supporters);
    let (more, button) = match is_over(subject) {
        true => (
            texts.redact_more.to_owned(),
            (texts.redact_button)(&subject.title),
        ),
        false => (
            (texts.delete_more)(&votes, &people),
            (texts.delete_button)(&subject.title, &votes),
        ),
    };
    let main = html! {
        (mistakes.summary(visit))
        (form(visit, subject, &html! {
            h2 { (texts.step_two) }
            p.text { (more) }
            p.small.muted { (visit.texts.desk.reason) }
            blockquote.quote { (why) }
            (forms::hidden("reason", why))
            (sure("sure", texts.sure, mistakes))
            p.row {
                button.btn.is-bad name="do" value="delete" { (button) } " "
                button.btn name="do" value="back" { (texts.back) } " "
                a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
            }
        }))
    };
    subject.page(visit, &heading(visit, subject), &main)
}

fn form(visit: &Visit, subject: &Subject, inside: &Markup) -> Markup {
    html! {
        form method="post" action=(links::of_policy(subject.policy(), "delete")) novalidate {
            (forms::token(visit))
            (inside)
        }
    }
}
