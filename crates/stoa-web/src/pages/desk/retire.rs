//! Closing a policy with a reason: all votes on it are given back.

use maud::html;
use stoa_votes::model::RetireReason;

use super::{Subject, by, choice, reason, sure};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/retire`
pub async fn show(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    Ok(page(&visit, &subject, &Mistakes::default()))
}

/// `POST /policies/{policy}/-/retire`
pub async fn submit(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let form = &visit.form;
    let mut mistakes = Mistakes::default();
    let why = RetireReason::of_name(form.get("why"));
    if why.is_none() {
        mistakes.add("why", visit.texts.desk.acts.choose_why);
    }
    if form.get("sure") != "1" {
        mistakes.add("sure", visit.texts.desk.sure_needed);
    }
    let Some(why) = why.filter(|_| mistakes.is_empty()) else {
        return Ok(page(&visit, &subject, &mistakes).with_status(422));
    };
    let words = form.get("reason");
    let retired = visit
        .votes()
        .retire_policy(by(&visit)?, subject.policy(), why, words);
    match retired.await {
        Ok(()) => Ok(Answer::see(&subject.address())),
        Err(not_done) => {
            let field = |code: &str| match code {
                "no_reason" => "reason",
                "policy_closed" => "why",
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, &subject, &mistakes).with_status(422))
        }
    }
}

fn page(visit: &Visit, subject: &Subject, mistakes: &Mistakes) -> Answer {
    let (texts, format) = (&visit.texts.desk.acts, &visit.texts.format);
    let (title, votes) = (&subject.title, format.number(subject.votes));
    let people = format.number(subject.supporters);
    let form = &visit.form;
    let told = |reason: RetireReason| match reason {
        RetireReason::Duplicated => texts.why_duplicated,
        RetireReason::Started => texts.why_started,
        RetireReason::Unfeasible => texts.why_unfeasible,
        RetireReason::Done => texts.why_done,
        RetireReason::Other => texts.why_other,
    };
    let options = RetireReason::NAMES.map(|(reason, name)| (name, told(reason), ""));
    let legend = ("why", texts.retire_why);
    let main = html! {
        (mistakes.summary(visit))
        p.text { ((texts.retire_more)(&votes, &people)) }
        form method="post" action=(links::of_policy(subject.policy(), "retire")) novalidate {
            (forms::token(visit))
            (choice(legend, &options, form.get("why"), mistakes))
            (reason(visit, "reason", form.get("reason"), mistakes))
            (sure("sure", texts.sure, mistakes))
            p.row {
                button.btn.is-bad { ((texts.retire_button)(title, &votes)) } " "
                a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
            }
        }
    };
    subject.page(visit, &(texts.retire_title)(title), &main)
}
