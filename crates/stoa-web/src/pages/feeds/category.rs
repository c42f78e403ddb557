//! What happens to the policies of a category.

use crate::atom::{self, MOST_ENTRIES};
use crate::error::Failure;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /categories/{category}/feed.atom`
pub async fn show(visit: Visit) -> Outcome {
    let key = visit.param("category");
    let mut categories = visit.votes().categories().await?.into_iter();
    let category = categories
        .find(|it| it.key == key)
        .ok_or(Failure::NotFound)?;
    let board = visit.votes().board().await?;
    let is_here = |policy| {
        let page = board.line(policy).and_then(|line| line.facts.page.as_ref());
        page.is_some_and(|page| page.category == category.key)
    };
    let news = visit.votes().news(MOST_ENTRIES, is_here).await?;
    let entries = super::news::entries(&visit, &board, &news).await?;
    let title = (visit.texts.feeds.of)(&category.name);
    let page = links::category(&category.key);
    Ok(atom::feed(&visit, &title, &page, &entries))
}
