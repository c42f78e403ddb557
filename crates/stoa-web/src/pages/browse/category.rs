//! One category: its policies by votes, and the newest of them.

use maud::{Markup, html};
use stoa_votes::model::{RankingFilter, RankingKind};
use stoa_votes::rules::ranking::RankedLine;

use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::listing::{self, Listing};
use crate::parts::ranked;
use crate::route::Outcome;
use crate::visit::Visit;

/// Policies of the short list.
const FEW: usize = 5;

/// `GET /categories/{category}`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.browse;
    let key = visit.param("category");
    let mut categories = visit.votes().categories().await?.into_iter();
    let category = categories
        .find(|it| it.key == key)
        .ok_or(Failure::NotFound)?;
    let board = visit.votes().board().await?;
    let filter = RankingFilter {
        category: Some(category.key.clone()),
        ..RankingFilter::default()
    };
    let path = links::category(&category.key);
    let in_ranking = links::with_fields("/ranking", [("category", category.key.as_str())]);
    let listing = Listing {
        path: &path,
        caption: &category.name,
        in_ranking: &in_ranking,
    };
    let listed = listing::read(&visit, &board, &filter, listing).await?;
    let newest = board.page(RankingKind::New, &filter, None, FEW)?.policies;
    let feed = format!("{path}/feed.atom");
    let create = links::with_fields("/create", [("category", category.key.as_str())]);
    let main = html! {
        h1 { (category.name) }
        @if !category.description.is_empty() { p.lead { (category.description) } }
        p.meta {
            span { ((texts.counted)(&visit.texts.format.number(listed.count))) }
            span { a href=(feed) { (texts.feed) } }
            span { a href="/categories" { (texts.all_categories) } }
            @if !category.is_active { span { (texts.category_closed) } }
        }
        @match &listed.markup {
            Some(table) => div.split { div { (table) } aside.stack { (list(&visit, &newest)) } },
            None => div.empty { h2 { (texts.none_here) } p { (texts.none_here_more) } a.btn href=(create) { (texts.propose) } },
        }
    };
    let description = match category.description.as_str() {
        "" => category.name.as_str(),
        text => text,
    };
    let about = About {
        title: &category.name,
        description,
        place: Place::Ranking,
        feed: &feed,
    };
    Ok(layout::page(&visit, about, main))
}

fn list(visit: &Visit, lines: &[RankedLine]) -> Markup {
    let texts = visit.texts;
    html! {
        section aria-labelledby="h-new" {
            h2 #h-new { (texts.browse.newest_here) }
            ul.lines { @for it in lines {
                li {
                    (ranked::name(it.line.facts.page.as_ref().map_or("", |it| &it.title), it.line.policy()))
                    div.meta { span.num { ((texts.front.votes)(&texts.format.number(it.line.facts.total))) } }
                }
            } }
        }
    }
}
