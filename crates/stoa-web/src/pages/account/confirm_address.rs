//! Confirming another address. As with every link in a mail, opening it only shows a button.

use maud::html;
use stoa_votes::rules::secrets::Secret;

use super::{limit_links, sign_in_button, told, told_of_failure};
use crate::error::Failure;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /confirm-address`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.account;
    let form = html! {
        form.row method="post" action="/confirm-address" {
            (forms::token(&visit))
            (forms::hidden("token", visit.query.get("token")))
            (forms::hidden("request", &visit.new_request().to_string()))
            button.btn.go { (texts.confirm_button) }
        }
    };
    Ok(told(
        &visit,
        texts.new_address,
        texts.new_address_more,
        &form,
    ))
}

/// `POST /confirm-address`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let secret = Secret::shown(visit.form.get("token"));
    let texts = &visit.texts.account;
    let then = match visit.viewer {
        Some(_) => html! { p { a.btn href="/settings" { (visit.texts.own.settings) } } },
        None => sign_in_button(&visit),
    };
    let confirmed = visit.votes().confirm_address(&secret, visit.request());
    match confirmed.await.map_err(Failure::from) {
        Ok(_) => Ok(told(
            &visit,
            texts.address_changed,
            texts.address_changed_more,
            &then,
        )),
        Err(Failure::Refused { code, message }) if code == "email_taken" => {
            let why = format!("{}.", visit.texts.refusal(&code, &message));
            Ok(told_of_failure(&visit, texts.link_bad, &why, &then))
        }
        Err(Failure::Refused { .. }) => Ok(told_of_failure(
            &visit,
            texts.link_bad,
            texts.link_bad_more,
            &then,
        )),
        Err(failure) => Err(failure),
    }
}
