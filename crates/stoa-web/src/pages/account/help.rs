//! For whoever cannot get in: what to try, and a form to ask people. Nobody needs to be signed in.

use maud::html;
use stoa_votes::ops::report::AccessProblem;

use super::{limit_links, told};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /help`
pub async fn show(visit: Visit) -> Outcome {
    Ok(page(&visit, &Mistakes::default()))
}

/// `POST /help`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let problem = AccessProblem {
        request: visit.request(),
        contact: visit.form.trimmed("contact").to_owned(),
        words: visit.form.get("words").to_owned(),
    };
    let texts = &visit.texts.account;
    match visit.votes().report_access(&visit.origin, &problem).await {
        Ok(()) => {
            let then = html! { p { a.btn href="/" { (visit.texts.failed.home) } } };
            Ok(told(&visit, texts.help_sent, texts.help_sent_more, &then))
        }
        Err(not_done) => {
            let field = |code: &str| match code {
                it if it.starts_with("subject_") => "contact",
                it if it.starts_with("reason_") => "words",
                _ => "",
            };
            let failure = Failure::from(not_done);
            let status = failure.form_status();
            let mistakes = Mistakes::refused(&visit, failure, field)?;
            Ok(page(&visit, &mistakes).with_status(status))
        }
    }
}

fn page(visit: &Visit, mistakes: &Mistakes) -> Answer {
    let (texts, form) = (&visit.texts.account, &visit.form);
    let main = html! {
        div.narrow {
            h1 { (texts.help) }
            p.text { (texts.help_more) }
            p { a.btn href="/forgot" { (texts.send_link) } }
            section.sec aria-labelledby="h-ask" {
                h2 #h-ask { (texts.help_ask) }
                p { (texts.help_ask_more) }
                (mistakes.summary(visit))
                form method="post" action="/help" novalidate {
                    (forms::token(visit))
                    (forms::hidden("request", &visit.new_request().to_string()))
                    (forms::field(Field { name: "contact", label: texts.help_contact, hint: texts.help_contact_hint, autocomplete: "email", value: form.get("contact"), most: 200, ..Field::default() }, mistakes))
                    (forms::area(Field { name: "words", label: texts.help_words, hint: texts.help_words_hint, value: form.get("words"), ..Field::default() }, 5, mistakes))
                    button.btn.go { (texts.help_send) }
                }
            }
        }
    };
    layout::page(
        visit,
        About {
            title: texts.help,
            ..About::default()
        },
        main,
    )
}
