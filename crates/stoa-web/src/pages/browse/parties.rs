//! Every party that stands behind policies.

use maud::html;
use stoa_votes::model::{Party, RankingFilter, RankingKind};

use crate::layout::{self, About, Place};
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /parties`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.browse;
    let mut parties = visit.votes().parties().await?;
    let board = visit.votes().board().await?;
    let count = |it: &Party| {
        let filter = RankingFilter {
            party: Some(it.party),
            ..RankingFilter::default()
        };
        let page = board.page(RankingKind::Total, &filter, None, 1);
        page.map_or(0, |page| i64::try_from(page.count).unwrap_or(i64::MAX))
    };
    parties.retain(|it| it.is_active || count(it) > 0);
    let main = html! {
        h1 { (texts.parties) }
        @if parties.is_empty() {
            div.empty {
                h2 { (texts.parties_empty) }
                p { (texts.parties_empty_more) }
                a.btn href="/categories" { (texts.categories) }
            }
        } @else {
            p.lead { (texts.parties_lead) }
            ul.lines { @for it in &parties {
                li {
                    span.name { a href=(links::party(it.party)) { (it.name) } }
                    @if !it.description.is_empty() { p.small.flush { (it.description) } }
                    div.meta { span { ((texts.counted)(&visit.texts.format.number(count(it)))) } }
                }
            } }
        }
    };
    let about = About {
        title: texts.parties,
        description: texts.parties_lead,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}
