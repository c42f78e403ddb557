//! Settings: the member name, the name in the world, the address, the password, how often mail comes,
//! the look.
//! Each is a form of its own; what is wrong with one leaves the others as they are.

use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{DigestFrequency, PrivacyMode, RealName};
use stoa_votes::tables::logins::LOGIN_SECONDS;

use super::{Tab, about, limit_passwords, tabs};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::login::cookies::{Cookie, Kind};
use crate::pages::account::answer_alike;
use crate::parts::choices::{self, Choice};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::texts::LANGUAGES;
use crate::visit::{Theme, Visit};

/// That nobody chose how often mail comes, among the codes of refusals.
const NO_DIGEST: &str = "no_digest";

/// `GET /settings`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /settings`
pub async fn submit(visit: Visit) -> Outcome {
    let part = visit.form.get("part");
    let done = match part {
        "name" => rename(&visit).await,
        "real" => set_real_name(&visit).await,
        "digest" => set_digest(&visit).await,
        "email" => ask_for_address(&visit).await,
        "password" => set_password(&visit).await,
        _ => Err(Failure::BadRequest),
    };
    match done {
        Ok(cookie) => {
            let answer = Answer::see(&format!("/settings?saved={part}"));
            Ok(match cookie {
                Some(cookie) => answer.with_cookie(cookie),
                None => answer,
            })
        }
        Err(failure) => {
            let mistakes = Mistakes::refused(&visit, failure, |code| field_of(part, code))?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

fn field_of(part: &str, code: &str) -> &'static str {
    match code {
        it if it.starts_with("email_") => "email",
        "wrong_credentials" if part == "email" => "known",
        it if it.starts_with("real_name_") => "first",
        it if it.starts_with("name_") => "name",
        it if it.starts_with("password_") => "password",
        "wrong_credentials" => "present",
        NO_DIGEST => "digest",
        _ => "",
    }
}

async fn rename(visit: &Visit) -> Result<Option<Cookie>, Failure> {
    let user = visit.viewer()?.id();
    let name = visit.form.trimmed("name");
    visit.votes().change_name(user, name).await?;
    Ok(None)
}

async fn set_real_name(visit: &Visit) -> Result<Option<Cookie>, Failure> {
    let name = RealName {
        first: visit.form.trimmed("first").to_owned(),
        last: visit.form.trimmed("last").to_owned(),
        is_shown: visit.form.is_ticked("shown"),
    };
    let user = visit.viewer()?.id();
    visit.votes().set_real_name(user, &name).await?;
    Ok(None)
}

async fn set_digest(visit: &Visit) -> Result<Option<Cookie>, Failure> {
    let digest = DigestFrequency::of_name(visit.form.get("digest"));
    let digest = digest.ok_or_else(|| Failure::Refused {
        code: NO_DIGEST.to_owned(),
        message: visit.texts.own.choose_digest.to_owned(),
    })?;
    let user = visit.viewer()?.id();
    visit.votes().set_digest(user, digest).await?;
    Ok(None)
}

/// Sends a link to the new address; until it is opened, the old one counts.
async fn ask_for_address(visit: &Visit) -> Result<Option<Cookie>, Failure> {
    limit_passwords(visit)?;
    let (votes, user) = (Arc::clone(&visit.app.votes), visit.viewer()?.id());
    let (email, password) = (
        visit.form.trimmed("email").to_owned(),
        visit.form.get("known").to_owned(),
    );
    let (request, began) = (visit.request(), visit.app.clock.monotonic());
    let asked = visit.hash(async move {
        votes
            .request_address(user, &password, &email, request)
            .await
    });
    let asked = asked.await;
    answer_alike(visit, began).await;
    asked??;
    Ok(None)
}

/// Every login ends with the old password, so this browser is signed in anew.
async fn set_password(visit: &Visit) -> Result<Option<Cookie>, Failure> {
    limit_passwords(visit)?;
    let (votes, user) = (Arc::clone(&visit.app.votes), visit.viewer()?.user.clone());
    let (request, origin) = (visit.request(), visit.origin.clone());
    let present = visit.form.get("present").to_owned();
    let password = visit.form.get("password").to_owned();
    let done = visit.hash(async move {
        votes
            .change_password(user.id, &present, &password, request)
            .await?;
        votes.sign_in(&user.name, &password, &origin).await
    });
    let (_, secret) = done.await??;
    let seconds = i64::from(LOGIN_SECONDS);
    Ok(Some(Cookie::new(
        Kind::Login,
        secret.reveal(),
        Some(seconds),
    )))
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.own;
    let saved = match visit.query.get("saved") {
        "name" => Some(texts.saved_name),
        "real" => Some(texts.saved_real),
        "digest" => Some(texts.saved_digest),
        "email" => Some(texts.asked_email),
        "password" => Some(texts.saved_password),
        "look" => Some(texts.saved_look),
        _ => None,
    };
    let main = html! {
        h1 { (texts.settings) }
        (tabs(visit, Tab::Settings))
        @if let Some(saved) = saved { p.note.is-good role="status" { (saved) } }
        (mistakes.summary(visit))
        div.narrow {
            (names(visit, mistakes)?)
            (digest(visit, mistakes).await?)
            (address(visit, mistakes)?)
            (password(visit, mistakes))
            (look_and_privacy(visit))
            section.sec aria-labelledby="h-leave" {
                h2 #h-leave { (texts.leave) }
                p { (texts.leave_short) }
                p { a.btn.is-bad href="/settings/leave" { (texts.leave) } }
            }
        }
    };
    Ok(layout::page(visit, about(texts.settings), main))
}

/// What was typed into a field, or what is known.
fn typed<'a>(visit: &'a Visit, name: &str, known: &'a str) -> &'a str {
    visit.form.find(name).unwrap_or(known)
}

fn part(visit: &Visit, name: &str, inside: &Markup) -> Markup {
    html! {
        form method="post" action="/settings" novalidate {
            (forms::token(visit))
            (forms::hidden("part", name))
            (inside)
        }
    }
}

fn names(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let texts = &visit.texts.own;
    let user = &visit.viewer()?.user;
    let is_shown = match visit.form.get("part") == "real" {
        true => visit.form.is_ticked("shown"),
        false => user.real_name.is_shown,
    };
    Ok(html! {
        section.sec aria-labelledby="h-name" {
            h2 #h-name { (visit.texts.account.member_name) }
            (part(visit, "name", &html! {
                (forms::field(Field { name: "name", label: visit.texts.account.member_name, hint: texts.name_hint, autocomplete: "username", value: typed(visit, "name", &user.name), most: 30, ..Field::default() }, mistakes))
                button.btn { (texts.save_name) }
            }))
        }
        section.sec aria-labelledby="h-real" {
            h2 #h-real { (texts.real_name) }
            p { (texts.real_name_more) }
            (part(visit, "real", &html! {
                (forms::field(Field { name: "first", label: texts.first_name, autocomplete: "given-name", value: typed(visit, "first", &user.real_name.first), most: 100, ..Field::default() }, mistakes))
                (forms::field(Field { name: "last", label: texts.last_name, autocomplete: "family-name", value: typed(visit, "last", &user.real_name.last), most: 100, ..Field::default() }, mistakes))
                label.opt { input type="checkbox" name="shown" value="1" checked[is_shown]; " " span { (texts.show_real_name) } }
                p.row.gap-t { button.btn { (texts.save_real) } }
            }))
        }
    })
}

async fn digest(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let texts = &visit.texts.own;
    let settings = visit
        .votes()
        .notification_settings(visit.viewer()?.id())
        .await?;
    let options = [
        ("weekly", texts.digest_weekly),
        ("daily", texts.digest_daily),
        ("never", texts.digest_never),
    ];
    let choice = Choice {
        name: "digest",
        label: texts.digest_question,
        hint: "",
        options: &options,
        chosen: settings.digest.name(),
    };
    Ok(html! {
        section.sec aria-labelledby="h-digest" {
            h2 #h-digest { (texts.digest) }
            p { (texts.digest_more) }
            (part(visit, "digest", &html! {
                (choices::radios(&choice, mistakes))
                button.btn { (texts.save_digest) }
            }))
        }
    })
}

fn address(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let (texts, account) = (&visit.texts.own, &visit.texts.account);
    let present = &visit.viewer()?.user.email;
    Ok(html! {
        section.sec aria-labelledby="h-email" {
            h2 #h-email { (account.email) }
            p { ((texts.present_email)(present)) }
            p { (texts.email_more) }
            (part(visit, "email", &html! {
                (forms::hidden("request", &visit.new_request().to_string()))
                (forms::field(Field { name: "email", label: texts.new_email, kind: "email", autocomplete: "email", value: typed(visit, "email", ""), ..Field::default() }, mistakes))
                (forms::field(Field { name: "known", label: account.password, kind: "password", autocomplete: "current-password", ..Field::default() }, mistakes))
                button.btn { (texts.save_email) }
            }))
        }
    })
}

fn password(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let (texts, account) = (&visit.texts.own, &visit.texts.account);
    html! {
        section.sec aria-labelledby="h-pass" {
            h2 #h-pass { (account.password) }
            p { (texts.password_more) }
            (part(visit, "password", &html! {
                (forms::hidden("request", &visit.new_request().to_string()))
                (forms::field(Field { name: "present", label: texts.present_password, kind: "password", autocomplete: "current-password", ..Field::default() }, mistakes))
                (forms::field(Field { name: "password", label: account.new_password, hint: account.password_hint, kind: "password", autocomplete: "new-password", ..Field::default() }, mistakes))
                button.btn { (texts.save_password) }
            }))
        }
    }
}

fn look_and_privacy(visit: &Visit) -> Markup {
    let (texts, account) = (&visit.texts.own, &visit.texts.account);
    let privacy = match visit.notice.rules.privacy {
        PrivacyMode::Public => account.privacy_public,
        PrivacyMode::Pseudonymous => account.privacy_pseudonymous,
        PrivacyMode::Tallies => account.privacy_tallies,
    };
    html! {
        section.sec aria-labelledby="h-look" {
            h2 #h-look { (texts.look) }
            p { (texts.look_more) }
            (look(visit))
        }
        section.sec aria-labelledby="h-priv" {
            h2 #h-priv { (account.privacy) }
            p { (privacy) }
            p { (texts.privacy_more) " " a href="/rules" { (texts.rules) } "." }
        }
    }
}

/// The form in the foot, with words to choose from.
fn look(visit: &Visit) -> Markup {
    let layout = &visit.texts.layout;
    let themes = [
        (Theme::System.name(), layout.system),
        (Theme::Light.name(), layout.light),
        (Theme::Dark.name(), layout.dark),
    ];
    let languages = LANGUAGES.map(|it| (it.code, it.name));
    let theme = Choice {
        name: "theme",
        label: layout.theme,
        hint: "",
        options: &themes,
        chosen: visit.theme.name(),
    };
    let language = Choice {
        name: "language",
        label: layout.language,
        hint: "",
        options: &languages,
        chosen: visit.texts.code,
    };
    let none = Mistakes::default();
    html! {
        form method="post" action="/settings/look" {
            (forms::token(visit))
            (forms::hidden("then", "/settings?saved=look"))
            (choices::radios(&theme, &none))
            (choices::radios(&language, &none))
            button.btn { (visit.texts.own.save_look) }
        }
    }
}
