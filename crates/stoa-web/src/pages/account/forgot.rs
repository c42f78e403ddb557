//! Asking for a new password. The answer is the same whether or not there is such an account.

use maud::html;

use super::{answer_alike, limit_links, sign_in_button, told};
use crate::answer::Answer;
use crate::layout::{self, About};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /forgot`
pub async fn show(visit: Visit) -> Outcome {
    Ok(page(&visit, &Mistakes::default()))
}

/// `POST /forgot`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let texts = &visit.texts.account;
    let name = visit.form.trimmed("name");
    if name.is_empty() {
        let mut mistakes = Mistakes::default();
        mistakes.add("name", texts.enter_name);
        return Ok(page(&visit, &mistakes).with_status(422));
    }
    let began = visit.app.clock.monotonic();
    let asked = visit.votes().request_reset(name, visit.request()).await;
    answer_alike(&visit, began).await;
    asked?;
    Ok(told(
        &visit,
        texts.check_mail,
        texts.link_sent,
        &sign_in_button(&visit),
    ))
}

fn page(visit: &Visit, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.account;
    let main = html! {
        div.narrow {
            h1 { (texts.reset) }
            p.text { (texts.reset_more) }
            (mistakes.summary(visit))
            form method="post" action="/forgot" novalidate {
                (forms::token(visit))
                (forms::hidden("request", &visit.new_request().to_string()))
                (forms::field(Field { name: "name", label: texts.name_or_email, autocomplete: "username", ..Field::default() }, mistakes))
                button.btn.go { (texts.send_link) }
            }
        }
    };
    layout::page(
        visit,
        About {
            title: texts.reset,
            ..About::default()
        },
        main,
    )
}
