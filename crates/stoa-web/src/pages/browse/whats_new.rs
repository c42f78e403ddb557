//! What people said lately, day by day, the last first.

use maud::{Markup, html};
use stoa_votes::model::{Comment, CommentId, Day};
use uuid::Uuid;

use crate::layout::{self, About};
use crate::links;
use crate::parts::said::Said;
use crate::route::Outcome;
use crate::visit::Visit;

/// Comments of a page.
const MOST: usize = 30;

/// `GET /whats-new`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.browse;
    let before = Uuid::try_parse(visit.query.get("before"))
        .ok()
        .map(CommentId);
    let comments = visit.votes().comments_before(before, MOST).await?;
    let board = visit.votes().board().await?;
    let said = Said::read(&visit, &board, &comments).await?;
    let next = comments.last().filter(|_| comments.len() == MOST);
    let main = html! {
        h1 { (texts.new_title) }
        p.lead { (texts.new_lead) }
        p.row.small { a href="/whats-new.atom" { (texts.feed) } " " a href="/feed.atom" { (texts.feed_all) } }
        @if comments.is_empty() {
            div.empty {
                h2 { (texts.new_empty) }
                p { (texts.new_empty_more) }
                a.btn href="/ranking" { (visit.texts.front.all_rankings) }
            }
        }
        @for day in days(&comments) { (slice(&visit, &said, day)) }
        @if before.is_some() || next.is_some() {
            nav.pager aria-label=(texts.new_title) {
                @if before.is_some() { a.btn href="/whats-new" { (texts.newest) } }
                @if let Some(last) = next {
                    a.btn href=(links::with_fields("/whats-new", [("before", last.id.to_string().as_str())])) { (texts.older) }
                }
            }
        }
    };
    let about = About {
        title: texts.new_title,
        description: texts.new_lead,
        feed: "/whats-new.atom",
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

fn day_of(it: &Comment) -> Day {
    Day::of_micros(it.id.made_at_micros())
}

/// Comments in the order they have, by day.
fn days(comments: &[Comment]) -> impl Iterator<Item = &[Comment]> {
    comments.chunk_by(|one, other| day_of(one) == day_of(other))
}

fn slice(visit: &Visit, said: &Said, comments: &[Comment]) -> Markup {
    let day = comments.first().map(day_of);
    html! {
        @if let Some(day) = day {
            section.sec aria-labelledby={ "d-" (day) } {
                h2 id={ "d-" (day) } { (visit.texts.format.weekday(day)) ", " (visit.texts.format.day(day)) }
                ul.lines { @for it in comments { (said.line(visit, it)) } }
            }
        }
    }
}
