//! What happens to one policy.

use crate::atom::{self, MOST_ENTRIES};
use crate::error::Failure;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/feed.atom`
pub async fn show(visit: Visit) -> Outcome {
    let policy = visit.policy()?;
    let page = visit.votes().page(policy).await?;
    if !page.is_readable() {
        return Err(Failure::Gone);
    }
    let news = visit.votes().policy_news(policy, MOST_ENTRIES).await?;
    let board = visit.votes().board().await?;
    let entries = super::news::entries(&visit, &board, &news).await?;
    let title = &page.page.title;
    let heading = (visit.texts.feeds.of)(title);
    Ok(atom::feed(
        &visit,
        &heading,
        &links::policy(policy, title),
        &entries,
    ))
}
