//! Confirming an address. The link only shows a button: programs that look into mail open links, and
//! must not use them up.

use maud::html;
use stoa_votes::rules::secrets::Secret;

use super::{sign_in_button, told, told_of_failure};
use crate::answer::Answer;
use crate::error::Failure;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /verify-email`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.account;
    let form = html! {
        form.row method="post" action="/verify-email" {
            (forms::token(&visit))
            (forms::hidden("token", visit.query.get("token")))
            (forms::hidden("request", &visit.new_request().to_string()))
            button.btn.go { (texts.confirm_button) }
        }
    };
    Ok(told(&visit, texts.confirm, texts.confirm_more, &form))
}

/// `POST /verify-email`
pub async fn submit(visit: Visit) -> Outcome {
    let secret = Secret::shown(visit.form.get("token"));
    let texts = &visit.texts.account;
    match visit
        .votes()
        .verify_email(&secret, visit.request())
        .await
        .map_err(Failure::from)
    {
        Ok(_) => {
            let then = sign_in_button(&visit);
            Ok(told(&visit, texts.confirmed, texts.confirmed_more, &then))
        }
        Err(Failure::Refused { .. }) => {
            let then = sign_in_button(&visit);
            Ok(told_of_failure(
                &visit,
                texts.link_bad,
                texts.link_bad_more,
                &then,
            ))
        }
        Err(failure) => Err(failure),
    }
}

/// `POST /account/confirm`: sends the link once more.
pub async fn send_again(visit: Visit) -> Outcome {
    super::limit_links(&visit)?;
    let user = visit.viewer()?.id();
    visit
        .votes()
        .request_verification(user, visit.request())
        .await?;
    Ok(Answer::see("/account?sent=1"))
}
