//! Atom feeds (RFC 4287).
//!
//! Invariants:
//! 1. Whatever people wrote is text: marked up by [`crate::markdown`] where it is marked up, and
//!    escaped as a whole. What XML has no characters for is left out.
//! 2. Entries are named by identifiers that never change, whatever the address of the site.
//! 3. A feed is as new as its newest entry.

use axum::http::header;
use maud::{Markup, PreEscaped, html};
use stoa_types::CivilDate;
use stoa_votes::model::Day;
use uuid::Uuid;

use crate::answer::Answer;
use crate::visit::Frame;

/// Entries of a feed at most.
pub const MOST_ENTRIES: usize = 30;
/// How long a reader may keep one, in seconds.
const FRESH: &str = "private, max-age=300";

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What names it for ever.
    pub id: Uuid,
    /// Its title.
    pub title: String,
    /// The path of what it is about.
    pub path: String,
    /// When it came to be, in microseconds since 1970.
    pub at_micros: i64,
    /// Whose it is; nobody's, if empty.
    pub author: String,
    /// What it says, as HTML; may be empty.
    pub html: String,
}

/// A feed of entries, the last first.
#[must_use]
pub fn feed(frame: &Frame, title: &str, page: &str, entries: &[Entry]) -> Answer {
    let site = &frame.site;
    let newest = entries.iter().map(|it| it.at_micros).max().unwrap_or(0);
    let community = frame.app.settings.community.as_str();
    let author = if community.is_empty() {
        "Stoa"
    } else {
        community
    };
    let markup = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"))
        feed xmlns="http://www.w3.org/2005/Atom" xml:lang=(frame.texts.code) {
            id { (site) (frame.path) }
            title { (plain(title)) }
            updated { (timestamp(newest)) }
            author { name { (plain(author)) } }
            generator { "Stoa" }
            link rel="self" type="application/atom+xml" href={ (site) (frame.path) } {}
            link rel="alternate" type="text/html" href={ (site) (page) } {}
            @for it in entries { (entry(frame, it)) }
        }
    };
    let answer = Answer::of(
        "application/atom+xml; charset=utf-8",
        markup.into_string().into_bytes(),
    );
    answer.with_header(header::CACHE_CONTROL, FRESH)
}

fn entry(frame: &Frame, it: &Entry) -> Markup {
    let at = timestamp(it.at_micros);
    html! {
        entry {
            id { "urn:uuid:" (it.id) }
            title { (plain(&it.title)) }
            published { (at) }
            updated { (at) }
            @if !it.author.is_empty() { author { name { (plain(&it.author)) } } }
            link rel="alternate" type="text/html" href={ (frame.site) (it.path) } {}
            @if !it.html.is_empty() { content type="html" { (plain(&it.html)) } }
        }
    }
}

/// A moment as RFC 3339 has it.
#[must_use]
pub fn timestamp(micros: i64) -> String {
    let CivilDate { year, month, day } = Day::of_micros(micros).civil();
    let seconds = micros.div_euclid(1_000_000).rem_euclid(86_400);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A text without what XML has no characters for.
#[must_use]
pub fn plain(text: &str) -> String {
    let is_character = |letter: &char| matches!(letter, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(is_character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_texts_are_as_feeds_want_them() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        let monday = Day(20_773).start_micros() + 3_723_999_999;
        assert_eq!(timestamp(monday), "2026-11-16T01:02:03Z");
        assert_eq!(plain("a\u{0}b\u{b}\n\u{fffe}\u{1f600}"), "ab\n\u{1f600}");
    }
}
