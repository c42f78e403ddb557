//! What happens to the policies that bear a tag.

use std::collections::BTreeSet;

use stoa_votes::model::PolicyId;

use crate::answer::Answer;
use crate::atom::{self, MOST_ENTRIES};
use crate::error::Failure;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /tags/{tag}/feed.atom`
pub async fn show(visit: Visit) -> Outcome {
    let asked = visit.param("tag");
    let tag = visit
        .votes()
        .find_tag(asked)
        .await?
        .ok_or(Failure::NotFound)?;
    let page = links::tag_named(&tag.name);
    if tag.name != asked {
        return Ok(Answer::moved(&format!("{page}/feed.atom")));
    }
    let tagged = visit.votes().policies_by_tags(&[tag.id]).await?;
    let tagged: BTreeSet<PolicyId> = tagged.into_iter().collect();
    let news = visit
        .votes()
        .news(MOST_ENTRIES, |it| tagged.contains(&it))
        .await?;
    let board = visit.votes().board().await?;
    let entries = super::news::entries(&visit, &board, &news).await?;
    let title = (visit.texts.feeds.of)(&tag.name);
    Ok(atom::feed(&visit, &title, &page, &entries))
}
