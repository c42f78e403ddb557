//! Policies of one kind on a page of their own, by votes and page by page: those of a tag, a category
//! or a party. Other orders are on the page of rankings.

use maud::{Markup, html};
use std::sync::Arc;
use stoa_votes::model::{RankingFilter, RankingKind};
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::links;
use crate::pages::front::category_names;
use crate::parts::ranked::{self, Ranked};
use crate::visit::Visit;

/// Policies of a page.
const MOST: usize = 25;

/// Where a list stands, and what it is called.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// The path of its page.
    pub path: &'a str,
    /// What the table is.
    pub caption: &'a str,
    /// Its address among rankings, where it can be ordered and filtered; nowhere if empty.
    pub in_ranking: &'a str,
}

/// A list: how many policies it has, and the part that is asked for; none if it is empty.
#[derive(Debug)]
pub struct Listed {
    /// How many there are in all.
    pub count: i64,
    /// The table and the way on.
    pub markup: Option<Markup>,
}

/// The policies that a filter lets through, as the address asks for them.
///
/// # Errors
/// That the place to go on from is none; those of the session.
pub async fn read(
    visit: &Visit,
    board: &Arc<RankingBoard>,
    filter: &RankingFilter,
    it: Listing<'_>,
) -> Result<Listed, Failure> {
    let after = visit.query.find("after").filter(|it| !it.is_empty());
    let kind = RankingKind::Total;
    let page = board.page(kind, filter, after, MOST)?;
    let count = i64::try_from(page.count).unwrap_or(i64::MAX);
    if page.policies.is_empty() {
        return Ok(Listed {
            count,
            markup: None,
        });
    }
    let categories = category_names(visit).await?;
    let before = visit.app.moves.before(board, kind);
    let texts = &visit.texts.front;
    let last = page.policies.last().map_or(0, |it| it.rank);
    let markup = html! {
        (ranked::table(visit, &Ranked {
            lines: &page.policies, kind, before: &before, ahead: None, categories: &categories,
            caption: it.caption, is_wide: false,
        }))
        nav.pager aria-label=(it.caption) {
            @if after.is_some() { a.btn href=(it.path) { (texts.first_page) } }
            @if !it.in_ranking.is_empty() {
                a href=(it.in_ranking) { (visit.texts.browse.in_ranking) }
            }
            @if let Some(next) = &page.next {
                a.btn href=(links::with_fields(it.path, [("after", next.as_str())])) {
                    ((texts.next_page)(MOST.min(page.count - last)))
                }
            }
        }
    };
    Ok(Listed {
        count,
        markup: Some(markup),
    })
}
