//! Accounts: registering, confirming the address, signing in and out, a new password.

pub mod first_admin;
pub mod forgot;
pub mod help;
pub mod own;
pub mod register;
pub mod reset;
pub mod sign_in;
pub mod sign_out;
pub mod verify;

use maud::{Markup, html};

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::login::limits::LINKS_ADDRESS;
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

/// The way to sign in.
fn sign_in_button(frame: &Frame) -> Markup {
    html! { p { a.btn.go href="/sign-in" { (frame.texts.account.sign_in) } } }
}

/// Takes a try of this address at what sends mail or makes accounts.
fn limit_links(visit: &Visit) -> Result<(), Failure> {
    let now = visit.app.clock.monotonic();
    let address = visit.address().to_string();
    visit.app.limits.take("links", &address, LINKS_ADDRESS, now)
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
