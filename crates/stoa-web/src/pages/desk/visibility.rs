//! Hiding a policy, and showing it again.

use maud::html;
use stoa_votes::model::PolicyId;
use stoa_votes::ops::hide_policy::Visibility;

use super::{Subject, by, reason};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/hide`
pub async fn show(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    Ok(page(&visit, &subject, "", &Mistakes::default()))
}

/// `POST /policies/{policy}/-/hide`
pub async fn submit(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let why = visit.form.get("reason");
    match set(&visit, subject.policy(), why).await {
        Ok(()) => Ok(Answer::see(&links::policy(subject.policy(), ""))),
        Err(failure) => {
            let field = |code: &str| if code == "no_reason" { "reason" } else { "" };
            let mistakes = Mistakes::refused(&visit, failure, field)?;
            Ok(page(&visit, &subject, why, &mistakes).with_status(422))
        }
    }
}

async fn set(visit: &Visit, policy: PolicyId, why: &str) -> Result<(), Failure> {
    let visibility = match visit.form.get("do") {
        "show" => Visibility::Shown,
        "hide" => Visibility::Hidden,
        _ => return Err(Failure::BadRequest),
    };
    let (votes, by) = (visit.votes(), by(visit)?);
    Ok(votes.set_visibility(by, policy, visibility, why).await?)
}

fn page(visit: &Visit, subject: &Subject, why: &str, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.desk.acts;
    let title = &subject.title;
    let is_hidden = subject.shown.page.is_hidden;
    let main = html! {
        (mistakes.summary(visit))
        p.text { @if is_hidden { (texts.show_more) } @else { (texts.hide_more) } }
        form method="post" action=(links::of_policy(subject.policy(), "hide")) novalidate {
            (forms::token(visit))
            (reason(visit, "reason", why, mistakes))
            p.row {
                @if is_hidden { button.btn.go name="do" value="show" { ((texts.show_button)(title)) } }
                @else { button.btn.is-bad name="do" value="hide" { ((texts.hide_button)(title)) } }
                " " a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
            }
        }
    };
    let heading = match is_hidden {
        true => (texts.show_title)(title),
        false => (texts.hide_title)(title),
    };
    subject.page(visit, &heading, &main)
}
