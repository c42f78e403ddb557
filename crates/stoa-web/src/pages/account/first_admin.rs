//! The first admin: whoever has the link that was printed where the program was started. The account
//! needs no mail, and is an admin at once; after that the link is worth nothing.

use std::sync::Arc;

use maud::html;
use stoa_votes::model::{By, Role};
use stoa_votes::rules::secrets::Secret;

use super::register::{self, Typed};
use super::{field_of, limit_links};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /first-admin`
pub async fn show(visit: Visit) -> Outcome {
    let secret = visit.query.get("token");
    if !visit.app.is_welcome(secret) {
        return Err(Failure::NotFound);
    }
    Ok(page(&visit, secret, Typed::default(), &Mistakes::default()))
}

/// `POST /first-admin`
pub async fn submit(visit: Visit) -> Outcome {
    limit_links(&visit)?;
    let taken = visit.app.take_welcome(visit.form.get("token"));
    let secret = taken.ok_or(Failure::NotFound)?;
    let made = admitted(&visit, secret.reveal()).await;
    // Only whoever became an admin has used it up; after that it is not given back.
    if !made.as_ref().is_ok_and(|answer| answer.status() == 303) {
        visit.app.give_welcome_back(secret);
    }
    made
}

async fn admitted(visit: &Visit, secret: &str) -> Outcome {
    if visit.app.has_admin().await? {
        return Err(Failure::NotFound);
    }
    let registration = register::registration(visit);
    let typed = Typed {
        name: &registration.name,
        email: &registration.email,
    };
    let votes = Arc::clone(&visit.app.votes);
    let asked = registration.clone();
    let done = visit.hash(async move { votes.register(&asked).await });
    match done.await?.map_err(Failure::from) {
        Ok(user) => {
            confirm(visit, &registration.email).await?;
            visit
                .votes()
                .grant_role(By::Operator, user, Role::Admin)
                .await?;
            Ok(Answer::see("/sign-in"))
        }
        Err(failure) => {
            let mistakes = Mistakes::refused(visit, failure, field_of)?;
            Ok(page(visit, secret, typed, &mistakes).with_status(422))
        }
    }
}

/// Confirms the address by the link that would be mailed: there may be nothing yet that sends mail.
async fn confirm(visit: &Visit, email: &str) -> Result<(), Failure> {
    let pending = visit.votes().tables().outbox.pending(visit.today()).await?;
    let mail = pending.into_iter().find(|mail| mail.recipient == email);
    let token = mail.and_then(|mail| mail.fields.get("token").cloned());
    let token = token.ok_or_else(|| Failure::broken("no link to confirm the first address"))?;
    visit
        .votes()
        .verify_email(&Secret::shown(&token), visit.new_request())
        .await?;
    Ok(())
}

fn page(visit: &Visit, secret: &str, typed: Typed<'_>, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.account;
    let main = html! {
        div.narrow {
            h1 { (texts.first_admin) }
            p.text { (texts.first_admin_more) }
            (mistakes.summary(visit))
            form method="post" action="/first-admin" novalidate {
                (forms::token(visit))
                (forms::hidden("token", secret))
                (forms::hidden("request", &visit.new_request().to_string()))
                (register::fields(visit, typed, mistakes))
                p.row.gap-t { button.btn.go { (texts.register) } }
            }
        }
    };
    layout::page(
        visit,
        About {
            title: texts.first_admin,
            ..About::default()
        },
        main,
    )
}
