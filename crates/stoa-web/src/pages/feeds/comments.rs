//! New comments about all policies.

use crate::atom::{self, Entry, MOST_ENTRIES};
use crate::links;
use crate::markdown;
use crate::parts::said::Said;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /whats-new.atom`
pub async fn show(visit: Visit) -> Outcome {
    let comments = visit.votes().comments_before(None, MOST_ENTRIES).await?;
    let board = visit.votes().board().await?;
    let said = Said::read(&visit, &board, &comments).await?;
    let texts = &visit.texts.feeds;
    let entries: Vec<Entry> = comments
        .iter()
        .map(|it| {
            let author = said.author(&visit, it);
            Entry {
                id: it.id.0,
                title: (texts.commented)(author, said.title(it)),
                path: links::comment(it.policy, it.id),
                at_micros: it.id.made_at_micros(),
                author: author.to_owned(),
                html: markdown::html(&it.body).into_string(),
            }
        })
        .collect();
    Ok(atom::feed(&visit, texts.comments, "/whats-new", &entries))
}
