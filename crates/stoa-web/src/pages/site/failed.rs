//! The page of whatever went wrong: what, what to do, a way home, a search, the request's name.

use axum::http::header;
use maud::{Markup, html};

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::route::Effect;
use crate::visit::Frame;

/// The page of a failure. Whoever only wanted to read, and must sign in first, is led there.
#[must_use]
pub fn page(frame: &Frame, effect: Option<Effect>, failure: &Failure) -> Answer {
    if *failure == Failure::SignInFirst && effect == Some(Effect::Reads) {
        return Answer::see(&links::sign_in(&layout::here(frame)));
    }
    let (title, more) = told(frame, failure);
    let main = html! {
        div.narrow {
            h1 { (title) }
            p.text { (more) }
            @if *failure == Failure::SignInFirst {
                p { a.btn.go href="/sign-in" { (frame.texts.layout.sign_in) } }
            }
            @if failure.status() == 410 { p { a href="/log" { (frame.texts.record.to_log) } } }
            (ways_on(frame))
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
pub fn ways_on(frame: &Frame) -> Markup {
    let texts = &frame.texts.failed;
    html! {
        form.row method="get" action="/search" role="search" {
            label for="q" { (texts.search_label) } " "
            input.in.auto id="q" name="q" type="search" maxlength="200"; " "
            button.btn { (frame.texts.layout.search) }
        }
        p.row.gap-t { a.btn href="/" { (texts.home) } }
        p.small.muted { ((texts.request)(&frame.id.to_string())) }
    }
}

/// A failure where there is not even a frame.
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

fn told(frame: &Frame, failure: &Failure) -> (String, String) {
    let texts = &frame.texts.failed;
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
                let message = frame.texts.refusal(code, message);
                return (texts.refused.to_owned(), format!("{message}."));
            }
        },
    };
    (title.to_owned(), more.to_owned())
}
