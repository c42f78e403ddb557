//! Forms: the token in each, fields with what is wrong with them, the summary at the top.

use maud::{Markup, html};

use crate::error::Failure;
use crate::login::forgery::FIELD;
use crate::visit::Frame;

/// A form that changes something, in a row.
#[must_use]
pub fn form(frame: &Frame, action: &str, inside: &Markup) -> Markup {
    html! {
        form.row method="post" action=(action) {
            (token(frame))
            (inside)
        }
    }
}

/// What every form that changes something carries.
#[must_use]
pub fn token(frame: &Frame) -> Markup {
    html! { input type="hidden" name=(FIELD) value=(frame.token.text()); }
}

/// A field that people do not see.
#[must_use]
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// What is wrong with what somebody sent: fields and what to do about each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mistakes(Vec<(String, String)>);

impl Mistakes {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes that something is wrong with a field.
    pub fn add(&mut self, field: &str, what: &str) {
        self.0.push((field.to_owned(), what.to_owned()));
    }

    /// Notes that something is wrong with the form as a whole.
    pub fn add_whole(&mut self, what: &str) {
        self.add("", what);
    }

    /// A failure that the form can be shown again with: a refusal of the domain is a mistake in the
    /// field that is named for its code, or in the form as a whole, and so is what makes no sense.
    /// Every other failure is given back.
    ///
    /// # Errors
    /// Whatever is no mistake in the form.
    pub fn refused(
        frame: &Frame,
        failure: Failure,
        field_of: impl Fn(&str) -> &'static str,
    ) -> Result<Self, Failure> {
        let is_mistake = matches!(failure.status(), 409 | 422 | 429);
        let mut mistakes = Self::default();
        match failure {
            Failure::Refused { code, message } if is_mistake || !field_of(&code).is_empty() => {
                mistakes.add(field_of(&code), &frame.texts.refusal(&code, &message));
            }
            Failure::BadRequest => mistakes.add_whole(frame.texts.failed.bad_request_more),
            other => return Err(other),
        }
        Ok(mistakes)
    }

    /// What is wrong with a field.
    #[must_use]
    pub fn of(&self, field: &str) -> Option<&str> {
        let found = self.0.iter().find(|(it, _)| it == field);
        found.map(|(_, what)| what.as_str())
    }

    /// The summary, which takes the focus.
    #[must_use]
    pub fn summary(&self, frame: &Frame) -> Markup {
        html! {
            @if !self.is_empty() {
                div.note.is-bad role="alert" tabindex="-1" aria-labelledby="mistakes" autofocus {
                    h2 #mistakes { ((frame.texts.failed.attention)(self.0.len())) }
                    ul.flush {
                        @for (field, what) in &self.0 {
                            li { @if field.is_empty() { (what) } @else { a href={ "#f-" (field) } { (what) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A field of one line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is called.
    pub label: &'a str,
    /// What helps to fill it.
    pub hint: &'a str,
    /// `text` if nothing is said.
    pub kind: &'a str,
    /// What browsers may fill in.
    pub autocomplete: &'a str,
    /// What was typed.
    pub value: &'a str,
    /// Characters at most; no limit if 0.
    pub most: u32,
}

/// A field of one line, with its mistake above it.
#[must_use]
pub fn field(it: Field<'_>, mistakes: &Mistakes) -> Markup {
    let kind = if it.kind.is_empty() { "text" } else { it.kind };
    let most = (it.most > 0).then_some(it.most);
    let complete = (!it.autocomplete.is_empty()).then_some(it.autocomplete);
    // A password is typed anew each time.
    let value = (kind != "password").then_some(it.value);
    html! {
        div.field {
            (above(it.name, it.label, it.hint, mistakes))
            input.in id={ "f-" (it.name) } name=(it.name) type=(kind) value=[value] maxlength=[most]
                autocomplete=[complete] aria-invalid=[invalid(it.name, mistakes)]
                aria-describedby=[described(it.name, it.hint, mistakes)];
        }
    }
}

/// A field of several lines.
#[must_use]
pub fn area(it: Field<'_>, rows: u32, mistakes: &Mistakes) -> Markup {
    html! {
        div.field {
            (above(it.name, it.label, it.hint, mistakes))
            // The first end of line of a text area is not part of its text.
            textarea.in id={ "f-" (it.name) } name=(it.name) rows=(rows)
                aria-invalid=[invalid(it.name, mistakes)]
                aria-describedby=[described(it.name, it.hint, mistakes)] { "\n" (it.value) }
        }
    }
}

/// The label, the hint and the mistake of a field.
#[must_use]
pub fn above(name: &str, label: &str, hint: &str, mistakes: &Mistakes) -> Markup {
    html! {
        label for={ "f-" (name) } { (label) }
        @if !hint.is_empty() { span.hint id={ "h-" (name) } { (hint) } }
        (mistake(name, mistakes))
    }
}

/// What is wrong with a field, above it.
#[must_use]
pub fn mistake(name: &str, mistakes: &Mistakes) -> Markup {
    html! {
        @if let Some(what) = mistakes.of(name) {
            span.err id={ "e-" (name) } { span aria-hidden="true" { "◆ " } (what) }
        }
    }
}

/// Whether a field is marked as wrong.
#[must_use]
pub fn invalid(name: &str, mistakes: &Mistakes) -> Option<&'static str> {
    mistakes.of(name).map(|_| "true")
}

/// What describes a field.
#[must_use]
pub fn described(name: &str, hint: &str, mistakes: &Mistakes) -> Option<String> {
    let hint = (!hint.is_empty()).then(|| format!("h-{name}"));
    let mistake = mistakes.of(name).map(|_| format!("e-{name}"));
    let all: Vec<String> = hint.into_iter().chain(mistake).collect();
    (!all.is_empty()).then(|| all.join(" "))
}
