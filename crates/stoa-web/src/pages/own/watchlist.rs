//! What somebody watches: each policy with its place, page by page.

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RankingFilter, RankingKind};
use stoa_votes::ops::watch::MOST_WATCHED;
use stoa_votes::rules::ranking::RankingBoard;

use super::{Tab, about, tabs};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::pages::policy::title;
use crate::parts::{forms, icons, ranked};
use crate::route::Outcome;
use crate::visit::Visit;

/// Policies of a page.
const MOST: usize = 50;

/// A policy that is watched.
struct Watched {
    policy: PolicyId,
    rank: Option<usize>,
    votes: i64,
    lately: i64,
}

/// `GET /watchlist`
pub async fn show(visit: Visit) -> Outcome {
    let user = visit.viewer()?.id();
    let board = visit.votes().board().await?;
    let watched = visit.votes().watchlist(user).await?;
    let count = watched.len();
    let mut watched: Vec<Watched> = watched
        .into_iter()
        .map(|policy| place(&visit, &board, policy))
        .collect();
    watched.sort_by_key(|it| (it.rank.is_none(), it.rank));
    let from: usize = visit.query.number("from").unwrap_or(0).min(MOST_WATCHED);
    let mut rows = Vec::new();
    for it in watched.iter().skip(from).take(MOST) {
        rows.push(row(&visit, &board, it, from).await?);
    }
    let next = from + MOST;
    let texts = &visit.texts.own;
    let main = html! {
        h1 { (texts.watchlist) }
        (tabs(&visit, Tab::Watchlist))
        @if rows.is_empty() {
            div.empty {
                (icons::mark())
                h2 { (texts.none_watched) }
                p { (texts.none_watched_more) }
                a.btn href="/ranking" { (visit.texts.votes.see_ranking) }
            }
        } @else {
            p.muted { ((texts.watched_count)(count)) }
            (table(&visit, &rows))
            nav.pager aria-label=(texts.watchlist) {
                @if from > 0 { a.btn href={ "/watchlist?from=" (from.saturating_sub(MOST)) } { (texts.back) } }
                @if next < count { a.btn href={ "/watchlist?from=" (next) } { (texts.more) } }
            }
        }
    };
    Ok(layout::page(&visit, about(texts.watchlist), main))
}

fn place(visit: &Visit, board: &RankingBoard, policy: PolicyId) -> Watched {
    let filter = RankingFilter::default();
    let place = board
        .neighbours(RankingKind::Total, policy, &filter, 0)
        .ok();
    let days = visit.notice.rules.today.window_days;
    let line = board.line(policy);
    let lately = line.map_or(0, |it| it.value(RankingKind::Window(days), visit.today()));
    Watched {
        policy,
        rank: place.map(|it| it.own.rank),
        votes: line.map_or(0, |it| it.facts.total),
        lately,
    }
}

fn table(visit: &Visit, rows: &[Markup]) -> Markup {
    let texts = &visit.texts;
    html! {
        table.tbl.fold role="table" {
            caption.vh { (texts.own.watchlist) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.votes.policy) }
                th.n role="columnheader" scope="col" { (texts.policy.rank) }
                th.n role="columnheader" scope="col" { (texts.policy.votes) }
                th.n role="columnheader" scope="col" { ((texts.policy.last_days)(visit.notice.rules.today.window_days)) }
                th role="columnheader" scope="col" { span.vh { (texts.own.unwatch) } }
            } }
            tbody role="rowgroup" { @for row in rows { (row) } }
        }
    }
}

async fn row(
    visit: &Visit,
    board: &RankingBoard,
    it: &Watched,
    from: usize,
) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts, &visit.texts.format);
    let name = title(visit, board, it.policy).await?;
    let days = (texts.policy.last_days)(visit.notice.rules.today.window_days);
    Ok(html! {
        tr role="row" {
            th role="rowheader" scope="row" { (ranked::name(&name, it.policy)) }
            td.n role="cell" data-l=(texts.policy.rank) { @match it.rank { Some(rank) => (rank), None => "–" } }
            td.n role="cell" data-l=(texts.policy.votes) { (format.number(it.votes)) }
            td.n role="cell" data-l=(days) { (format.change(it.lately)) }
            td role="cell" { (forms::form(visit, "/watchlist", &html! {
                (forms::hidden("policy", &it.policy.to_string()))
                (forms::hidden("from", &from.to_string()))
                button.btn.sm aria-label={ (texts.own.unwatch) ": " (name) } { (texts.own.unwatch) }
            })) }
        }
    })
}

/// `POST /watchlist`: one is watched no more.
pub async fn submit(visit: Visit) -> Outcome {
    let policy = uuid::Uuid::try_parse(visit.form.get("policy"));
    let policy = PolicyId(policy.map_err(|_| Failure::BadRequest)?);
    visit.votes().unwatch(visit.viewer()?.id(), policy).await?;
    let from: usize = visit.form.number("from").unwrap_or(0);
    let from = if from > 0 {
        from.to_string()
    } else {
        String::new()
    };
    Ok(Answer::see(&links::with_fields(
        "/watchlist",
        [("from", from.as_str())],
    )))
}
