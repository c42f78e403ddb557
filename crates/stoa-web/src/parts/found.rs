//! Something that a search found, with what matched.

use maud::{Markup, html};
use stoa_votes::model::{CommentId, PolicyId};
use stoa_votes::ops::search::{Hit, Kind, Snippet};

use crate::links;

/// A part of a text, what matched marked.
#[must_use]
pub fn snippet(it: &Snippet) -> Markup {
    let mut at = 0;
    let mut pieces: Vec<(bool, &str)> = Vec::new();
    for mark in &it.marks {
        pieces.push((false, it.text.get(at..mark.start).unwrap_or_default()));
        pieces.push((true, it.text.get(mark.clone()).unwrap_or_default()));
        at = mark.end;
    }
    pieces.push((false, it.text.get(at..).unwrap_or_default()));
    html! {
        @if it.is_cut_before { "… " }
        @for (is_mark, piece) in &pieces { @if *is_mark { mark { (piece) } } @else { (piece) } }
        @if it.is_cut_after { " …" }
    }
}

/// Where what was found is read; nowhere, if it has no page.
#[must_use]
pub fn address(hit: &Hit) -> Option<String> {
    match hit.kind {
        Kind::Policy => Some(links::policy(PolicyId(hit.id), &hit.title.text)),
        Kind::Comment => {
            let policy = PolicyId(hit.parent?);
            Some(links::comment(policy, CommentId(hit.id)))
        }
        Kind::Tag => Some(links::tag_named(&hit.title.text)),
        Kind::Person => Some(links::person(&hit.title.text)),
    }
}
