//! Accounts: registering, confirming an address, signing in and out, a new password.

pub mod confirm_address;
pub mod first_admin;
pub mod forgot;
pub mod help;
pub mod own;
pub mod register;
pub mod reset;
pub mod sign_in;
pub mod sign_out;
pub mod verify;

use std::time::Duration;

use maud::{Markup, html};

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::login::limits::{LINKS_ADDRESS, whose};
use crate::visit::{Frame, Visit};

/// A page with a heading, a sentence, and a way to go on.
fn told(frame: &Frame, title: &str, more: &str, then: &Markup) -> Answer {
    let main = html! { div.narrow { h1 { (title) } p.text { (more) } (then) } };
    layout::page(
        frame,
        About {
            title,
            ..About::default()
        },
        main,
    )
}

/// The same about what did not work: whoever sent a form hears first what became of it.
fn told_of_failure(frame: &Frame, title: &str, more: &str, then: &Markup) -> Answer {
    let main = html! {
        div.narrow {
            div role="alert" tabindex="-1" autofocus { h1 { (title) } p.text { (more) } }
            (then)
        }
    };
    let about = About {
        title,
        ..About::default()
    };
    layout::page(frame, about, main).with_status(422)
}

/// The way to sign in.
fn sign_in_button(frame: &Frame) -> Markup {
    html! { p { a.btn.go href="/sign-in" { (frame.texts.account.sign_in) } } }
}

/// Takes a try of this address at what sends mail or makes accounts.
fn limit_links(visit: &Visit) -> Result<(), Failure> {
    let now = visit.app.clock.monotonic();
    let address = whose(visit.address());
    visit.app.limits.take("links", &address, LINKS_ADDRESS, now)
}

/// Waits, so that the time that something took does not tell whether there is such an account: each
/// answer comes after so many whole steps.
pub(crate) async fn answer_alike(visit: &Visit, began: Duration) {
    let took = visit.app.clock.monotonic().saturating_sub(began);
    let rest = rest_of_step(took, visit.app.settings.alike);
    if !rest.is_zero() {
        tokio::time::sleep(rest).await;
    }
}

fn rest_of_step(took: Duration, step: Duration) -> Duration {
    let (took, step) = (took.as_nanos(), step.as_nanos());
    let rest = match took.checked_rem(step) {
        None => 0,
        Some(over) => step - over,
    };
    Duration::from_nanos(u64::try_from(rest).unwrap_or(0))
}

/// Which field of a form of an account a refusal is about.
fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("name_") => "name",
        it if it.starts_with("email_") => "email",
        it if it.starts_with("password_") => "password",
        "wrong_credentials" => "name",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_after_whole_steps() {
        let millis = Duration::from_millis;
        for (took, rest) in [
            (0, 400),
            (1, 399),
            (399, 1),
            (400, 400),
            (401, 399),
            (1_000, 200),
        ] {
            assert_eq!(
                rest_of_step(millis(took), millis(400)),
                millis(rest),
                "{took}"
            );
        }
        assert_eq!(rest_of_step(millis(70), Duration::ZERO), Duration::ZERO);
    }
}
