//! One party, and the policies it stands behind.

use maud::html;
use stoa_votes::model::RankingFilter;

use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::listing::{self, Listing};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /parties/{party}`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.browse;
    let id = visit.uuid("party")?;
    let mut parties = visit.votes().parties().await?.into_iter();
    let party = parties.find(|it| it.party == id).ok_or(Failure::NotFound)?;
    let board = visit.votes().board().await?;
    let filter = RankingFilter {
        party: Some(id),
        ..RankingFilter::default()
    };
    let path = links::party(id);
    let in_ranking = links::with_fields("/ranking", [("party", id.to_string().as_str())]);
    let listing = Listing {
        path: &path,
        caption: &party.name,
        in_ranking: &in_ranking,
    };
    let feed = format!("{path}/feed.atom");
    let listed = listing::read(&visit, &board, &filter, listing).await?;
    let main = html! {
        h1 { (party.name) }
        @if !party.description.is_empty() { p.lead { (party.description) } }
        p.meta {
            span { ((texts.counted)(&visit.texts.format.number(listed.count))) }
            span { a href=(feed) { (texts.feed) } }
            span { a href="/parties" { (texts.all_parties) } }
        }
        @match &listed.markup {
            Some(table) => (table),
            None => div.empty { h2 { (texts.none_here) } a.btn href="/ranking" { (visit.texts.front.show_all) } },
        }
    };
    let description = match party.description.as_str() {
        "" => party.name.as_str(),
        text => text,
    };
    let about = About {
        title: &party.name,
        description,
        place: Place::Ranking,
        feed: &feed,
    };
    Ok(layout::page(&visit, about, main))
}
