//! Every category, the hottest first.

use std::cmp::Reverse;
use std::collections::HashMap;

use maud::html;
use stoa_votes::model::{Category, RankingFilter, RankingKind};

use crate::layout::{self, About, Place};
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /categories`
pub async fn show(visit: Visit) -> Outcome {
    let (texts, format) = (&visit.texts.browse, &visit.texts.format);
    let votes = visit.votes();
    let mut categories = votes.categories().await?;
    let heat = votes.hot_categories(usize::MAX).await?;
    let heat: HashMap<String, i64> = heat
        .into_iter()
        .map(|it| (it.category, it.heat_thousandths))
        .collect();
    let heat = |it: &Category| heat.get(&it.key).copied().unwrap_or(0);
    let board = votes.board().await?;
    let count = |it: &Category| {
        let filter = RankingFilter {
            category: Some(it.key.clone()),
            ..RankingFilter::default()
        };
        let page = board.page(RankingKind::Total, &filter, None, 1);
        page.map_or(0, |page| i64::try_from(page.count).unwrap_or(i64::MAX))
    };
    categories.retain(|it| it.is_active || count(it) > 0);
    categories.sort_by_key(|it| Reverse(heat(it)));
    let main = html! {
        h1 { (texts.categories) }
        @if categories.is_empty() {
            div.empty { h2 { (texts.categories_empty) } p { (texts.categories_empty_more) } }
        } @else {
            p.lead { (texts.categories_lead) }
            div.grid3 { @for it in &categories {
                article.card {
                    h2.name { a href=(links::category(&it.key)) { (it.name) } }
                    @if !it.description.is_empty() { p.small { (it.description) } }
                    div.meta {
                        span { ((texts.counted)(&format.number(count(it)))) }
                        @if heat(it) > 0 { span title=(texts.heat_more) { ((texts.heat_of)(&format.thousandths(heat(it)))) } }
                        @if !it.is_active { span { (texts.category_closed) } }
                    }
                }
            } }
            p.small.muted.gap-t { (texts.heat_more) }
        }
        p.gap-t { a href="/parties" { (texts.parties) } }
    };
    let about = About {
        title: texts.categories,
        description: texts.categories_lead,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}
