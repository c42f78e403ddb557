//! A new password by the link that was mailed. All logins end.

use std::sync::Arc;

use maud::html;
use stoa_votes::rules::secrets::Secret;

use super::{field_of, limit_links, sign_in_button, told, told_of_failure};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /reset-password`
pub async fn show(visit: Visit) -> Outcome {
    let token = visit.query.get("token").to_owned();
    Ok(page(&visit, &token, &Mistakes::default()))
}

/// `POST /reset-password`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let (token, password) = (
        visit.form.get("token"),
        visit.form.get("password").to_owned(),
    );
    let (votes, secret) = (Arc::clone(&visit.app.votes), Secret::shown(token));
    let request = visit.request();
    let done = visit.hash(async move { votes.reset_password(&secret, &password, request).await });
    let texts = &visit.texts.account;
    match done.await?.map_err(Failure::from) {
        Ok(_) => {
            let then = sign_in_button(&visit);
            Ok(told(
                &visit,
                texts.password_set,
                texts.password_set_more,
                &then,
            ))
        }
        Err(Failure::Refused { code, .. }) if code.starts_with("token_") => {
            let then = html! { p { a.btn href="/forgot" { (texts.send_link) } } };
            Ok(told_of_failure(
                &visit,
                texts.link_bad,
                texts.link_bad_more,
                &then,
            ))
        }
        Err(failure) => {
            let mistakes = Mistakes::refused(&visit, failure, field_of)?;
            Ok(page(&visit, token, &mistakes).with_status(422))
        }
    }
}

fn page(visit: &Visit, token: &str, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.account;
    let main = html! {
        div.narrow {
            h1 { (texts.reset) }
            (mistakes.summary(visit))
            form method="post" action="/reset-password" novalidate {
                (forms::token(visit))
                (forms::hidden("token", token))
                (forms::hidden("request", &visit.new_request().to_string()))
                (forms::field(Field { name: "password", label: texts.new_password, hint: texts.password_hint, kind: "password", autocomplete: "new-password", ..Field::default() }, mistakes))
                button.btn.go { (texts.set_password) }
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
