//! Registering. A name that is taken is told, since names are public; whether an address has an
//! account is told to nobody: the answer is the same, what can be done then is the same, and only the
//! mail differs.

use std::sync::Arc;

use maud::html;
use stoa_votes::ops::register::Registration;

use super::{answer_alike, field_of, limit_links, sign_in_button, told};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// What somebody typed, but the password.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Typed<'a> {
    pub(super) name: &'a str,
    pub(super) email: &'a str,
}

/// `GET /register`
pub async fn show(visit: Visit) -> Outcome {
    Ok(page(&visit, Typed::default(), &Mistakes::default()))
}

/// `POST /register`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let registration = registration(&visit);
    let typed = Typed {
        name: &registration.name,
        email: &registration.email,
    };
    let began = visit.app.clock.monotonic();
    let done = registered(&visit, registration.clone()).await;
    answer_alike(&visit, began).await;
    match done {
        Ok(()) => {
            let texts = &visit.texts.account;
            let then = html! { p { (texts.check_mail_then) } (sign_in_button(&visit)) };
            Ok(told(&visit, texts.check_mail, texts.check_mail_more, &then))
        }
        Err(failure) => {
            let mistakes = Mistakes::refused(&visit, failure, field_of)?;
            Ok(page(&visit, typed, &mistakes).with_status(422))
        }
    }
}

/// What a form brings to become a user.
pub(super) fn registration(visit: &Visit) -> Registration {
    Registration {
        request: visit.request(),
        name: visit.form.trimmed("name").to_owned(),
        email: visit.form.trimmed("email").to_owned(),
        password: visit.form.get("password").to_owned(),
        origin: Some(visit.origin.clone()),
    }
}

async fn registered(visit: &Visit, registration: Registration) -> Result<(), Failure> {
    let votes = Arc::clone(&visit.app.votes);
    let done = visit.hash(async move { votes.register_quietly(&registration).await });
    done.await??;
    Ok(())
}

fn page(visit: &Visit, typed: Typed<'_>, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.account;
    let main = html! {
        div.narrow {
            h1 { (texts.register) }
            (mistakes.summary(visit))
            form method="post" action="/register" novalidate {
                (forms::token(visit))
                (forms::hidden("request", &visit.new_request().to_string()))
                (fields(visit, typed, mistakes))
                p.row.gap-t { button.btn.go { (texts.register) } }
            }
        }
    };
    layout::page(
        visit,
        About {
            title: texts.register,
            ..About::default()
        },
        main,
    )
}

/// The three fields of everybody who registers.
pub(super) fn fields(visit: &Visit, typed: Typed<'_>, mistakes: &Mistakes) -> maud::Markup {
    let texts = &visit.texts.account;
    html! {
        (forms::field(Field { name: "name", label: texts.member_name, hint: texts.member_name_hint, autocomplete: "username", value: typed.name, most: 30, ..Field::default() }, mistakes))
        (forms::field(Field { name: "email", label: texts.email, hint: texts.email_hint, kind: "email", autocomplete: "email", value: typed.email, ..Field::default() }, mistakes))
        (forms::field(Field { name: "password", label: texts.password, hint: texts.password_hint, kind: "password", autocomplete: "new-password", ..Field::default() }, mistakes))
    }
}
