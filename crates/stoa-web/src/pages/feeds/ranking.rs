//! The final rankings of closed days: an entry for each, with the first ten.

use maud::html;
use stoa_votes::model::{Day, DayRanking};
use stoa_votes::rules::ranking::RankingBoard;

use crate::atom::{self, Entry};
use crate::error::Failure;
use crate::links;
use crate::pages::policy::title;
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// Days of the feed.
const MOST_DAYS: i32 = 14;
/// Policies of an entry.
const FIRST: usize = 10;

/// `GET /ranking.atom`
pub async fn show(visit: Visit) -> Outcome {
    let board = visit.votes().board().await?;
    let last = board.closed_through();
    let mut entries = Vec::new();
    for day in last.plus(1 - MOST_DAYS).through(last).rev() {
        if let Some(ranking) = visit.votes().ranking_on(day, 0, FIRST).await? {
            entries.push(entry(&visit, &board, day, &ranking).await?);
        }
    }
    let title = visit.texts.feeds.ranking;
    Ok(atom::feed(&visit, title, "/ranking", &entries))
}

async fn entry(
    frame: &Frame,
    board: &RankingBoard,
    day: Day,
    ranking: &DayRanking,
) -> Result<Entry, Failure> {
    let (texts, format) = (&frame.texts.front, &frame.texts.format);
    let mut lines = Vec::new();
    for (rank, (policy, votes)) in &ranking.policies {
        lines.push((*rank, *policy, title(frame, board, *policy).await?, *votes));
    }
    let list = html! {
        ol { @for (rank, policy, title, votes) in &lines {
            li value=(rank) {
                a href={ (frame.site) (links::policy(*policy, title)) } { (title) }
                ", " ((texts.votes)(&format.number(*votes)))
            }
        } }
    };
    Ok(Entry {
        id: ranking.snapshot.0,
        title: (texts.final_of)(&format.day(day)),
        path: links::ranking_on(day),
        at_micros: day.next().start_micros(),
        author: String::new(),
        html: list.into_string(),
    })
}
