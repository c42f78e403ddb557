//! Search: policies, tags, people and comments by their words.

use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::ops::search::{Found, Hit, Kind, Query};

use crate::error::Failure;
use crate::layout::{self, About};
use crate::parts::found;
use crate::route::Outcome;
use crate::visit::Visit;

/// Characters of a query at most.
const MOST_CHARACTERS: usize = 200;

/// `GET /search`
pub async fn show(visit: Visit) -> Outcome {
    let words: String = visit
        .query
        .trimmed("q")
        .chars()
        .take(MOST_CHARACTERS)
        .collect();
    let found = found(&visit, &words).await?;
    let texts = &visit.texts.search;
    let main = html! {
        h1 { (texts.title) }
        form.row method="get" action="/search" role="search" {
            label for="q" { (texts.label) } " "
            input.in.auto id="q" name="q" type="search" maxlength="200" value=(words) aria-describedby="h-q"; " "
            button.btn.go { (visit.texts.layout.search) }
        }
        p.hint #h-q { (texts.hint) }
        @match &found {
            Some(found) if found.hits.is_empty() => div.empty {
                h2 { ((texts.none)(&words)) }
                p { (texts.none_more) }
                a.btn href="/create" { (texts.propose) }
            },
            Some(found) => ul.lines { @for hit in &found.hits { (line(&visit, hit)) } },
            None => {},
        }
    };
    Ok(layout::page(
        &visit,
        About {
            title: texts.title,
            ..About::default()
        },
        main,
    ))
}

async fn found(visit: &Visit, words: &str) -> Result<Option<Found>, Failure> {
    let Some(index) = visit.app.search.as_ref().filter(|_| !words.is_empty()) else {
        return Ok(None);
    };
    let (index, query) = (Arc::clone(index), Query::new(words));
    let found = tokio::task::spawn_blocking(move || index.search(&query)).await;
    let found = found.map_err(|broken| Failure::broken(&broken.to_string()))?;
    found
        .map(Some)
        .map_err(|error| Failure::broken(&error.to_string()))
}

fn line(visit: &Visit, hit: &Hit) -> Markup {
    let texts = &visit.texts.search;
    let kind = match hit.kind {
        Kind::Policy => texts.policy,
        Kind::Comment => texts.comment,
        Kind::Tag => texts.tag,
        Kind::Person => texts.person,
    };
    let title = match hit.title.text.is_empty() {
        true => html! { (kind) },
        false => found::snippet(&hit.title),
    };
    html! {
        li {
            span.name { @match found::address(hit) {
                Some(address) => a href=(address) { (title) },
                None => (title),
            } }
            div.meta { span { (kind) } }
            @if !hit.text.text.is_empty() { p.small.flush { (found::snippet(&hit.text)) } }
        }
    }
}
