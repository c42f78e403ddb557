//! Signing in. Whoever is unknown and whoever has another password is told the same, after the same
//! work; and there are only so many tries, from one address and at one account. The secret of a login
//! is always a new one, and the login that the browser had before ends.

use std::sync::Arc;

use maud::html;
use stoa_votes::model::PrivacyMode;
use stoa_votes::ops::sign_in::counted_as;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::tables::logins::LOGIN_SECONDS;

use super::field_of;
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::login::cookies::{Cookie, Kind};
use crate::login::limits::{SIGN_IN_ACCOUNT, SIGN_IN_ADDRESS, SIGN_IN_ANYWHERE, whose};
use crate::metrics::{Counter, SignInEnd};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /sign-in`
pub async fn show(visit: Visit) -> Outcome {
    let then = visit.query.get("then").to_owned();
    Ok(page(&visit, &then, "", &Mistakes::default()))
}

/// `POST /sign-in`
pub async fn submit(visit: Visit) -> Outcome {
    let texts = &visit.texts.account;
    let (name, password) = (visit.form.trimmed("name"), visit.form.get("password"));
    let then = visit.form.get("then");
    let mut mistakes = Mistakes::default();
    if name.is_empty() {
        mistakes.add("name", texts.enter_name);
    }
    if password.is_empty() {
        mistakes.add("password", texts.enter_password);
    }
    if !mistakes.is_empty() {
        return Ok(page(&visit, then, name, &mistakes).with_status(422));
    }
    let (app, now) = (&visit.app, visit.app.clock.monotonic());
    let address = whose(visit.address());
    app.limits.take("sign in", &address, SIGN_IN_ADDRESS, now)?;
    let account = counted_as(name);
    let (limits, here) = (&app.limits, format!("{account} {address}"));
    limits.take("account here", &here, SIGN_IN_ACCOUNT, now)?;
    limits.take("account", &account, SIGN_IN_ANYWHERE, now)?;
    let votes = Arc::clone(&app.votes);
    let (named, password, origin) = (name.to_owned(), password.to_owned(), visit.origin.clone());
    let signed_in = visit.hash(async move { votes.sign_in(&named, &password, &origin).await });
    match signed_in.await? {
        Ok((_, secret)) => {
            app.metrics.add(Counter::SignIns(SignInEnd::Accepted));
            if let Some(before) = &visit.login {
                visit.votes().sign_out(&Secret::shown(before)).await?;
            }
            let seconds = visit.form.find("keep").map(|_| i64::from(LOGIN_SECONDS));
            let cookie = Cookie::new(Kind::Login, secret.reveal(), seconds);
            let to = links::own_path(then).unwrap_or("/");
            let answer = Answer::see(to).with_cookie(cookie);
            Ok(answer.with_cookie(Cookie::gone(Kind::Visitor)))
        }
        Err(not_done) => {
            app.metrics.add(Counter::SignIns(SignInEnd::Refused));
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field_of)?;
            Ok(page(&visit, then, name, &mistakes).with_status(422))
        }
    }
}

fn page(visit: &Visit, then: &str, name: &str, mistakes: &Mistakes) -> Answer {
    let (texts, format) = (&visit.texts.account, &visit.texts.format);
    let rules = &visit.notice.rules;
    let privacy = match rules.privacy {
        PrivacyMode::Public => texts.privacy_public,
        PrivacyMode::Pseudonymous => texts.privacy_pseudonymous,
        PrivacyMode::Tallies => texts.privacy_tallies,
    };
    let main = html! {
        div.split {
            div.narrow {
                h1 { (texts.sign_in) }
                (mistakes.summary(visit))
                form method="post" action="/sign-in" novalidate {
                    (forms::token(visit))
                    (forms::hidden("then", links::own_path(then).unwrap_or_default()))
                    (forms::field(Field { name: "name", label: texts.name_or_email, hint: texts.name_or_email_hint, autocomplete: "username", value: name, ..Field::default() }, mistakes))
                    (forms::field(Field { name: "password", label: texts.password, kind: "password", autocomplete: "current-password", ..Field::default() }, mistakes))
                    label.opt { input type="checkbox" name="keep" value="1"; " " span { (texts.keep) } }
                    p.row.gap-t { button.btn.go { (texts.sign_in) } }
                }
                p.row { a href="/forgot" { (texts.forgot) } " " a href="/help" { (texts.no_way_in) } }
            }
            aside.stack {
                section.panel.key {
                    h2 { (texts.new_here) }
                    p { ((texts.new_here_more)(&format.number(rules.today.salary))) }
                    a.btn.wide href="/register" { (texts.register) }
                }
                section { h2 { (texts.privacy) } p.small { (privacy) } }
            }
        }
    };
    let about = About {
        title: texts.sign_in,
        ..About::default()
    };
    layout::page(visit, about, main)
}
