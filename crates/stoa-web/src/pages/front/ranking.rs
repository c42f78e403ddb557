//! Rankings: every order, filters, pages that go on where the last one ended, and the final rankings
//! of closed days.

use std::collections::BTreeSet;
use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{Day, ListedStates, PolicyId, RankingFilter, RankingKind};
use stoa_votes::rules::ranking::{RankingBoard, RankingPage};
use uuid::Uuid;

use super::category_names;
use crate::error::Failure;
use crate::fields::day_of;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::ranked::{self, Ranked};
use crate::route::Outcome;
use crate::visit::Visit;

/// Policies of a page.
const MOST: usize = 25;

/// What is asked for, as the address has it.
struct Asked {
    by: String,
    kind: RankingKind,
    filter: RankingFilter,
    seed: String,
}

/// `GET /ranking`
pub async fn show(visit: Visit) -> Outcome {
    let board = visit.votes().board().await?;
    let categories = category_names(&visit).await?;
    if let Some(day) = day_of(visit.query.get("day")).filter(|day| *day <= board.closed_through()) {
        return closed_day(&visit, &board, day).await;
    }
    let asked = asked(&visit).await?;
    let after = visit.query.find("after").filter(|it| !it.is_empty());
    let page = board.page(asked.kind, &asked.filter, after, MOST)?;
    let before = visit.app.moves.before(&board, asked.kind);
    let ahead = ahead(&board, &asked, &page);
    let (texts, format) = (&visit.texts.front, &visit.texts.format);
    let count = i64::try_from(page.count).unwrap_or(0);
    let main = html! {
        div.row.apart.base {
            h1 { (texts.ranking) }
            p.muted.small.flush { ((texts.counted)(&format.number(count))) }
        }
        (tabs(&visit, &asked))
        (filters(&visit, &asked).await?)
        @if page.policies.is_empty() { (none(&visit)) } @else {
            (ranked::table(&visit, &Ranked {
                lines: &page.policies, kind: asked.kind, before: &before, ahead,
                categories: &categories, caption: texts.caption, is_wide: true,
            }))
            (pager(&visit, &asked, &page, after.is_some()))
        }
    };
    let about = About {
        title: texts.ranking,
        place: Place::Ranking,
        feed: "/ranking.atom",
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

async fn asked(visit: &Visit) -> Result<Asked, Failure> {
    let query = &visit.query;
    let window = query
        .number::<u16>("days")
        .filter(|days| (1..=366).contains(days));
    let window = window.unwrap_or(visit.notice.rules.today.window_days);
    let mut seed = query.trimmed("seed").to_owned();
    let (by, kind) = match query.trimmed("by") {
        "days" => ("days", RankingKind::Window(window)),
        "rising" => ("rising", RankingKind::Rising),
        "new" => ("new", RankingKind::New),
        "discussed" => ("discussed", RankingKind::Discussed),
        "contested" => ("contested", RankingKind::Contested),
        "supporters" => ("supporters", RankingKind::Supporters),
        "roots" => ("roots", RankingKind::SquareRoots),
        "random" => {
            let number = seed.parse().unwrap_or_else(|_| visit.app.ids.random_u64());
            seed = number.to_string();
            ("random", RankingKind::Random(number))
        }
        _ => ("total", RankingKind::Total),
    };
    let category = query.trimmed("category");
    let filter = RankingFilter {
        category: (!category.is_empty()).then(|| category.to_owned()),
        party: Uuid::try_parse(query.trimmed("party")).ok(),
        states: match query.trimmed("state") {
            "closed" => ListedStates::Retired,
            "all" => ListedStates::All,
            _ => ListedStates::Active,
        },
        among: among(visit).await?,
    };
    Ok(Asked {
        by: by.to_owned(),
        kind,
        filter,
        seed,
    })
}

/// The policies that alone are asked for: those of a tag, those with votes of one's own.
async fn among(visit: &Visit) -> Result<Option<BTreeSet<PolicyId>>, Failure> {
    let mut among: Option<BTreeSet<PolicyId>> = None;
    let name = visit.query.trimmed("tag");
    if !name.is_empty() {
        let tagged = match visit.votes().find_tag(name).await? {
            Some(tag) => visit.votes().policies_by_tags(&[tag.id]).await?,
            None => Vec::new(),
        };
        among = Some(tagged.into_iter().collect());
    }
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    if let (Some("1"), Some(member)) = (visit.query.find("mine"), member) {
        let positions = member.statement.positions.iter();
        let own = positions
            .filter(|(_, it)| it.total > 0)
            .map(|(policy, _)| *policy);
        among = Some(match among {
            Some(among) => own.filter(|policy| among.contains(policy)).collect(),
            None => own.collect(),
        });
    }
    Ok(among)
}

/// The value of the policy before the first of a page.
fn ahead(board: &Arc<RankingBoard>, asked: &Asked, page: &RankingPage) -> Option<i64> {
    let first = page
        .policies
        .first()
        .filter(|it| it.rank > 1 && asked.kind.is_of_votes())?;
    let beside = board.neighbours(asked.kind, first.line.policy(), &asked.filter, 1);
    Some(beside.ok()?.above.first()?.policy.value)
}

/// The address of this list with another order, or at another place.
fn address(visit: &Visit, by: &str, seed: &str, after: &str) -> String {
    let query = &visit.query;
    links::with_fields(
        "/ranking",
        [
            ("by", if by == "total" { "" } else { by }),
            ("days", if by == "days" { query.get("days") } else { "" }),
            ("seed", if by == "random" { seed } else { "" }),
            ("category", query.get("category")),
            ("party", query.get("party")),
            ("tag", query.get("tag")),
            ("state", query.get("state")),
            ("mine", query.get("mine")),
            ("after", after),
        ],
    )
}

fn tabs(visit: &Visit, asked: &Asked) -> Markup {
    let texts = &visit.texts.front;
    let days = (texts.days)(match asked.kind {
        RankingKind::Window(days) => days,
        _ => visit.notice.rules.today.window_days,
    });
    let orders = [
        ("total", texts.all_votes),
        ("days", days.as_str()),
        ("rising", texts.rising),
        ("new", texts.newest),
        ("discussed", texts.discussed),
        ("contested", texts.contested),
        ("supporters", texts.by_supporters),
        ("roots", texts.roots),
        ("random", texts.random),
    ];
    html! {
        nav.tabs aria-label=(texts.order) {
            ul { @for (by, name) in orders {
                li { a href=(address(visit, by, "", "")) aria-current=[(by == asked.by).then_some("page")] { (name) } }
            } }
        }
    }
}

async fn filters(visit: &Visit, asked: &Asked) -> Result<Markup, Failure> {
    let texts = &visit.texts.front;
    let query = &visit.query;
    let categories = visit.votes().categories().await?;
    let parties = visit.votes().parties().await?;
    let states = [
        ("", texts.active),
        ("closed", texts.closed),
        ("all", texts.both),
    ];
    let is_mine = query.get("mine") == "1";
    Ok(html! {
        form.row.filters method="get" action="/ranking" aria-label=(texts.filter) {
            @if asked.by != "total" { input type="hidden" name="by" value=(asked.by); }
            @if is_mine { input type="hidden" name="mine" value="1"; }
            label.row { (texts.category) " "
                select.in.sm.auto name="category" {
                    option value="" { (texts.every_category) }
                    @for it in &categories {
                        option value=(it.key) selected[query.get("category") == it.key] { (it.name) }
                    }
                }
            }
            @if !parties.is_empty() {
                label.row { (texts.party) " "
                    select.in.sm.auto name="party" {
                        option value="" { (texts.every_category) }
                        @for it in &parties {
                            option value=(it.party) selected[query.get("party") == it.party.to_string()] { (it.name) }
                        }
                    }
                }
            }
            label.row { (texts.tag) " " input.in.sm.auto name="tag" size="10" placeholder=(texts.any_tag) value=(query.get("tag")); }
            label.row { (texts.state) " "
                select.in.sm.auto name="state" { @for (value, name) in states {
                    option value=(value) selected[query.get("state") == value] { (name) }
                } }
            }
            // No day has a ranking before it is closed.
            @if let Some((last, _)) = &visit.notice.closed {
                label.row { (texts.day) " " input.in.sm.auto type="date" name="day" max=(last); }
            }
            button.btn.sm { (texts.show) }
            @if visit.viewer.is_some() {
                @if is_mine { a href="/ranking" { (texts.everything) } }
                @else { a href=(links::with_fields("/ranking", [("mine", "1"), ("by", &asked.by)])) { (texts.only_mine) } }
            }
        }
    })
}

fn none(visit: &Visit) -> Markup {
    let texts = &visit.texts.front;
    html! {
        div.empty {
            h2 { (texts.none_match) }
            p { (texts.none_match_more) }
            a.btn href="/ranking" { (texts.show_all) }
        }
    }
}

fn pager(visit: &Visit, asked: &Asked, page: &RankingPage, is_later: bool) -> Markup {
    let texts = &visit.texts.front;
    let from = page.policies.first().map_or(0, |it| it.rank);
    let to = page.policies.last().map_or(0, |it| it.rank);
    html! {
        nav.pager aria-label=(texts.ranking) {
            @if is_later { a.btn href=(address(visit, &asked.by, &asked.seed, "")) { (texts.first_page) } }
            span.muted { ((texts.ranks)(from, to)) }
            @if let Some(next) = &page.next {
                a.btn href=(address(visit, &asked.by, &asked.seed, next)) { ((texts.next_page)(MOST.min(page.count - to))) }
            }
        }
    }
}

/// The final ranking of a day, which never changes.
async fn closed_day(visit: &Visit, board: &Arc<RankingBoard>, day: Day) -> Outcome {
    let (texts, format) = (&visit.texts.front, &visit.texts.format);
    let after = visit.query.number::<i32>("after").unwrap_or(0).max(0);
    let ranking = visit.votes().ranking_on(day, after, MOST).await?;
    let title = |policy: PolicyId| {
        let page = board.line(policy).and_then(|line| line.facts.page.as_ref());
        page.map_or(String::new(), |page| page.title.clone())
    };
    let heading = (texts.final_of)(&format.day(day));
    let main = html! {
        h1 { (heading) }
        p.row {
            a href=(links::ranking_on(day.previous())) { "← " (format.short_day(day.previous())) } " "
            @if day < board.closed_through() {
                a href=(links::ranking_on(day.next())) { (format.short_day(day.next())) " →" } " "
            }
            a href="/ranking" { (texts.show_all) }
        }
        @match &ranking {
            Some(ranking) if !ranking.policies.is_empty() => {
                table.tbl.fold.ranks role="table" {
                    caption.vh { (heading) }
                    tbody role="rowgroup" {
                        @for (rank, (policy, votes)) in &ranking.policies {
                            tr role="row" {
                                td.rank.num role="cell" { (rank) }
                                th.what role="rowheader" scope="row" { (ranked::name(&title(*policy), *policy)) }
                                td.n.votes role="cell" { span.big { (format.number(*votes)) } }
                            }
                        }
                    }
                }
                nav.pager aria-label=(texts.ranking) {
                    @let last = ranking.policies.keys().next_back().copied().unwrap_or(0);
                    @if after > 0 { a.btn href=(links::ranking_on(day)) { (texts.first_page) } }
                    @if i64::from(last) < ranking.count {
                        a.btn href={ (links::ranking_on(day)) "&after=" (last) } { ((texts.next_page)(MOST)) }
                    }
                }
            },
            _ => div.empty { p { (texts.not_ranked) } a.btn href="/ranking" { (texts.show_all) } },
        }
    };
    let about = About {
        title: &heading,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}
