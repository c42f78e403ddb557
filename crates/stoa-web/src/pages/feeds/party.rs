//! What happens to the policies that a party stands behind.

use crate::atom::{self, MOST_ENTRIES};
use crate::error::Failure;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /parties/{party}/feed.atom`
pub async fn show(visit: Visit) -> Outcome {
    let id = visit.uuid("party")?;
    let mut parties = visit.votes().parties().await?.into_iter();
    let party = parties.find(|it| it.party == id).ok_or(Failure::NotFound)?;
    let board = visit.votes().board().await?;
    let is_here = |policy| {
        let page = board.line(policy).and_then(|line| line.facts.page.as_ref());
        page.is_some_and(|page| page.party == Some(id))
    };
    let news = visit.votes().news(MOST_ENTRIES, is_here).await?;
    let entries = super::news::entries(&visit, &board, &news).await?;
    let title = (visit.texts.feeds.of)(&party.name);
    Ok(atom::feed(&visit, &title, &links::party(id), &entries))
}
