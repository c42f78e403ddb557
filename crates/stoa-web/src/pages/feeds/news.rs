//! All news, and how something that happened becomes an entry.

use stoa_votes::model::{CommentId, Happening, HappeningKind, PolicyId, UserId};
use stoa_votes::rules::ranking::RankingBoard;

use crate::atom::{self, Entry, MOST_ENTRIES};
use crate::error::Failure;
use crate::links;
use crate::markdown;
use crate::pages::policy::{Names, title};
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// `GET /feed.atom`
pub async fn show(visit: Visit) -> Outcome {
    let news = visit.votes().news(MOST_ENTRIES, |_| true).await?;
    let board = visit.votes().board().await?;
    let entries = entries(&visit, &board, &news).await?;
    let title = visit.texts.feeds.all_news;
    Ok(atom::feed(&visit, title, "/whats-new", &entries))
}

/// What happened, as entries. A comment that cannot be read any more is left out.
pub(super) async fn entries(
    frame: &Frame,
    board: &RankingBoard,
    news: &[Happening],
) -> Result<Vec<Entry>, Failure> {
    let mut names = Names::default();
    let people: Vec<UserId> = news.iter().map(|it| it.actor).collect();
    names.read(frame, people).await?;
    let mut entries = Vec::new();
    for it in news {
        let Some(policy) = it.policy else { continue };
        let about = title(frame, board, policy).await?;
        let author = names.of(frame, it.actor);
        let comment = it.about.filter(|_| it.kind == HappeningKind::Commented);
        let entry = match comment {
            Some(comment) => said(frame, policy, CommentId(comment), &about, author).await?,
            None => Some(happened(frame, it, policy, &about, author)),
        };
        entries.extend(entry);
    }
    Ok(entries)
}

/// A comment as an entry, if everybody may read it.
async fn said(
    frame: &Frame,
    policy: PolicyId,
    comment: CommentId,
    about: &str,
    author: &str,
) -> Result<Option<Entry>, Failure> {
    let found = frame.votes().comment(policy, comment).await?;
    let found = found.filter(stoa_votes::model::Comment::is_readable);
    Ok(found.map(|it| Entry {
        id: comment.0,
        title: (frame.texts.feeds.commented)(author, about),
        path: links::comment(policy, comment),
        at_micros: comment.made_at_micros(),
        author: author.to_owned(),
        html: markdown::html(&it.body).into_string(),
    }))
}

fn happened(frame: &Frame, it: &Happening, policy: PolicyId, about: &str, author: &str) -> Entry {
    let texts = &frame.texts.feeds;
    let named = match it.kind {
        HappeningKind::Created => texts.created,
        HappeningKind::Responded => texts.responded,
        HappeningKind::Milestone => texts.milestone,
        HappeningKind::Merged => texts.merged,
        HappeningKind::Retired => texts.retired,
        _ => texts.edited,
    };
    Entry {
        id: it.id,
        title: named(about),
        path: links::policy(policy, about),
        at_micros: it.at_micros(),
        author: author.to_owned(),
        html: markdown::html(&it.detail).into_string(),
    }
}
