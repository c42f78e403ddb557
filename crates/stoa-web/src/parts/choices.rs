//! Choices in forms: one of several in a list, or one of several with all of them in sight.

use maud::{Markup, html};

use super::forms::{Mistakes, above, described, invalid};

/// A choice.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// The name of the field.
    pub name: &'a str,
    /// What is asked.
    pub label: &'a str,
    /// What helps to choose.
    pub hint: &'a str,
    /// The values, each with its words.
    pub options: &'a [(&'a str, &'a str)],
    /// The value that is chosen.
    pub chosen: &'a str,
}

/// A list that opens; its first line is empty, for whoever has not chosen.
#[must_use]
pub fn list(it: &Choice<'_>, mistakes: &Mistakes) -> Markup {
    html! {
        div.field {
            (above(it.name, it.label, it.hint, mistakes))
            select.in id={ "f-" (it.name) } name=(it.name) aria-invalid=[invalid(it.name, mistakes)]
                aria-describedby=[described(it.name, it.hint, mistakes)] {
                option value="" {}
                @for (value, text) in it.options {
                    option value=(value) selected[*value == it.chosen] { (text) }
                }
            }
        }
    }
}

/// All of them, one under the other.
#[must_use]
pub fn radios(it: &Choice<'_>, mistakes: &Mistakes) -> Markup {
    let wrong = mistakes.of(it.name);
    html! {
        fieldset id={ "f-" (it.name) } tabindex=[wrong.map(|_| "-1")]
            aria-describedby=[described(it.name, it.hint, mistakes)] {
            legend { (it.label) }
            @if !it.hint.is_empty() { span.hint id={ "h-" (it.name) } { (it.hint) } }
            @if let Some(what) = wrong {
                span.err id={ "e-" (it.name) } { span aria-hidden="true" { "◆ " } (what) }
            }
            @for (value, text) in it.options {
                label.opt { input type="radio" name=(it.name) value=(value) checked[*value == it.chosen]; " " span { (text) } }
            }
        }
    }
}
