//! The page of whatever went wrong: what, what to do, a way home, a search, the request's name.

use axum::http::header;
use maud::{Markup, html};
use uuid::Uuid;

use crate::answer::Answer;
use crate::app::App;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::route::Effect;
use crate::texts::Texts;
use crate::visit::{Frame, Theme};

/// The page of a failure. Whoever only wanted to read, and must sign in first, is led there.
#[must_use]
pub fn page(frame: &Frame, effect: Option<Effect>, failure: &Failure) -> Answer {
    if *failure == Failure::SignInFirst && effect == Some(Effect::Reads) {
        return Answer::see(&links::sign_in(&layout::here(frame)));
    }
    let (title, more) = told(frame.texts, failure);
    let told = html! { h1 { (title) } p.text { (more) } };
    let main = html! {
        div.narrow {
            // Whoever sent a form hears first what became of it.
            @if effect == Some(Effect::Changes) {
                div role="alert" tabindex="-1" autofocus { (told) }
            } @else { (told) }
            @if *failure == Failure::SignInFirst {
                p { a.btn.go href="/sign-in" { (frame.texts.layout.sign_in) } }
            }
            @if failure.status() == 410 { p { a href="/log" { (frame.texts.record.to_log) } } }
            (ways_on(frame.texts, frame.id))
        }
    };
    let about = About {
        title: &title,
        ..About::default()
    };
    let answer = layout::page(frame, about, main).with_status(failure.status());
    again(answer, failure)
}

/// A search, a way home, and what the request is called.
#[must_use]
pub fn ways_on(texts: &Texts, id: Uuid) -> Markup {
    let (texts, search) = (&texts.failed, texts.layout.search);
    html! {
        form.row method="get" action="/search" role="search" {
            label for="q" { (texts.search_label) } " "
            input.in.auto id="q" name="q" type="search" maxlength="200"; " "
            button.btn { (search) }
        }
        p.row.gap-t { a.btn href="/" { (texts.home) } }
        p.small.muted { ((texts.request)(&id.to_string())) }
    }
}

/// The page of a failure where nobody can be looked up and nothing can be read.
#[must_use]
pub fn lone(app: &App, texts: &'static Texts, theme: Theme, id: Uuid, failure: &Failure) -> Answer {
    let (title, more) = told(texts, failure);
    let main = html! {
        div.narrow { h1 { (title) } p.text { (more) } (ways_on(texts, id)) }
    };
    let document = layout::lone(app, texts, theme, &title, &main);
    again(
        Answer::page(document).with_status(failure.status()),
        failure,
    )
}

/// A failure of what is no page.
#[must_use]
pub fn plain(failure: &Failure) -> Answer {
    let text = format!("{} {}\n", failure.status(), failure.code());
    let answer = Answer::of("text/plain; charset=utf-8", text.into_bytes());
    again(answer.with_status(failure.status()), failure)
}

fn again(answer: Answer, failure: &Failure) -> Answer {
    match failure.retry_seconds() {
        Some(seconds) => answer.with_header(header::RETRY_AFTER, seconds.to_string()),
        None => answer,
    }
}

fn told(all: &Texts, failure: &Failure) -> (String, String) {
    let texts = &all.failed;
    let (title, more) = match failure {
        Failure::NotFound => (texts.not_found, texts.not_found_more),
        Failure::WrongMethod => (texts.wrong_method, texts.wrong_method_more),
        Failure::Gone => (texts.gone, texts.gone_more),
        Failure::SignInFirst => (texts.sign_in_first, texts.sign_in_more),
        Failure::ConfirmFirst => (texts.confirm_first, texts.confirm_more),
        Failure::NotAllowed => (texts.not_allowed, texts.not_allowed_more),
        Failure::Forged => (texts.forged, texts.forged_more),
        Failure::BadRequest => (texts.bad_request, texts.bad_request_more),
        Failure::TooLarge => (texts.too_large, texts.too_large_more),
        Failure::Unknown(_) => (texts.unknown, texts.unknown_more),
        Failure::Broken(_) => (texts.broken, texts.broken_more),
        Failure::TooMany { seconds } => {
            return (texts.too_many.to_owned(), (texts.again)(*seconds));
        }
        Failure::Busy { seconds } => return (texts.busy.to_owned(), (texts.again)(*seconds)),
        Failure::Refused { code, message } => match failure.status() {
            404 => (texts.not_found, texts.not_found_more),
            410 => (texts.gone, texts.gone_more),
            _ => {
                let message = all.refusal(code, message);
                return (texts.refused.to_owned(), format!("{message}."));
            }
        },
    };
    (title.to_owned(), more.to_owned())
}
