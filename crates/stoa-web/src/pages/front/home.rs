//! Home: the leading policies as columns, what is featured, the ranking of the last days, what rises,
//! what is new.

use std::collections::HashMap;
use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RankingFilter, RankingKind};
use stoa_votes::rules::ranking::{RankedLine, RankingBoard};

use super::category_names;
use crate::layout::{self, About};
use crate::links;
use crate::parts::ranked::{self, Ranked};
use crate::parts::{charts, icons};
use crate::route::Outcome;
use crate::visit::Visit;

/// Columns of the colonnade.
const COLUMNS: usize = 8;
/// Policies of the ranking.
const MOST: usize = 10;
/// Policies of the short lists.
const FEW: usize = 5;

/// `GET /`
pub async fn show(visit: Visit) -> Outcome {
    let votes = visit.votes();
    let board = votes.board().await?;
    let days = visit.notice.rules.today.window_days;
    let kind = RankingKind::Window(days);
    let leading = board
        .page(kind, &RankingFilter::default(), None, MOST)?
        .policies;
    let featured = featured(&board, &votes.featured().await?);
    let rising = rising(&board, &featured);
    let newest = board
        .page(RankingKind::New, &RankingFilter::default(), None, FEW)?
        .policies;
    let categories = category_names(&visit).await?;
    let (tags, hot) = (votes.hot_tags(12).await?, votes.hot_categories(6).await?);
    let before = visit.app.moves.before(&board, kind);
    let texts = &visit.texts.front;
    let main = html! {
        (hero(&visit, days, &leading))
        @if leading.is_empty() { (empty(&visit)) }
        @if !featured.is_empty() { (cards(&visit, &featured, &categories)) }
        @if !leading.is_empty() {
            div.split.sec {
                section aria-labelledby="h-rank" {
                    div.row.apart.base {
                        h2 #h-rank { ((texts.last_days)(days)) }
                        a href="/ranking" { (texts.all_rankings) }
                    }
                    (ranked::table(&visit, &Ranked {
                        lines: &leading, kind, before: &before, ahead: None, categories: &categories,
                        caption: &(texts.last_days)(days), is_wide: false,
                    }))
                }
                aside.stack {
                    (list(&visit, "h-rise", texts.rising, "/ranking?by=rising", &rising))
                    (list(&visit, "h-new", texts.newest, "/ranking?by=new", &newest))
                    @if !hot.is_empty() {
                        section aria-labelledby="h-hot" {
                            h2 #h-hot { (texts.hot_categories) }
                            ul.tags { @for it in &hot {
                                li { a.tag href=(links::category(&it.category)) {
                                    (categories.get(&it.category).unwrap_or(&it.category))
                                    b { (it.policies) }
                                } }
                            } }
                        }
                    }
                    @if !tags.is_empty() {
                        section aria-labelledby="h-tags" {
                            h2 #h-tags { (texts.hot_tags) }
                            ul.tags { @for it in &tags {
                                li { a.tag href=(links::tag_named(&it.name)) { (it.name) b { (it.policies) } } }
                            } }
                        }
                    }
                }
            }
        }
    };
    let title = title(&visit);
    let about = About {
        title: &title,
        description: &title,
        feed: "/feed.atom",
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

fn title(visit: &Visit) -> String {
    let texts = &visit.texts.front;
    match visit.app.settings.community.as_str() {
        "" => texts.title.to_owned(),
        community => (texts.title_of)(community),
    }
}

fn hero(visit: &Visit, days: u16, leading: &[RankedLine]) -> Markup {
    let (texts, format) = (&visit.texts.front, &visit.texts.format);
    let rules = &visit.notice.rules.today;
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    let leading = leading.get(..leading.len().min(COLUMNS)).unwrap_or(leading);
    let most = leading.iter().map(|it| it.value).max().unwrap_or(0);
    html! {
        div.hero {
            div {
                h1 { (title(visit)) }
                p.lead { ((texts.lead)(&format.number(rules.salary), &format.number(rules.penalty_percent))) }
                @if let (None, Some((name, password))) = (&visit.viewer, &visit.app.settings.demo) {
                    p.note.is-info { ((texts.demo)(name, password)) }
                }
                @if let (Some(_), Some((day, votes))) = (member, visit.notice.next_pay(visit.today())) {
                    p { ((visit.texts.record.next_pay)(&format.day(day), &format.number(votes))) }
                }
                p.row.flush {
                    @match member {
                        Some(member) => {
                            a.btn.go href="/votes" { ((texts.spend)(&format.number(member.statement.balance))) } " "
                            a.btn href="/create" { (texts.propose) }
                        },
                        None => {
                            a.btn.go href="/register" { (visit.texts.layout.register) } " "
                            a.btn href="/sign-in" { (visit.texts.layout.sign_in) }
                        },
                    }
                }
            }
            @if most > 0 {
                figure.flush {
                    div role="img" aria-label=((texts.colonnade)(days)) {
                        ol.colonnade {
                            @for it in leading {
                                @let mine = (visit.own_votes(it.line.policy()) > 0).then_some("mine");
                                li class=[mine] { span.num { (format.number(it.value)) } (charts::column(it.value, most)) }
                            }
                        }
                        ol.plinths aria-hidden="true" { @for it in leading { li { (short(it)) } } }
                    }
                    @if member.is_some() {
                        figcaption.pad.small.muted { (texts.blue) }
                    }
                }
            }
        }
    }
}

/// The first words of a title: as many as stand under a column.
fn short(it: &RankedLine) -> String {
    let title = it
        .line
        .facts
        .page
        .as_ref()
        .map_or("", |page| page.title.as_str());
    let mut words = String::new();
    for word in title.split_whitespace() {
        if !words.is_empty() && words.chars().count() + word.chars().count() > 22 {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

fn empty(visit: &Visit) -> Markup {
    let texts = &visit.texts.front;
    html! {
        div.empty {
            (icons::mark())
            h2 { (texts.empty) }
            p { (texts.empty_more) }
            a.btn href="/create" { (texts.propose) }
        }
    }
}

fn featured(board: &Arc<RankingBoard>, policies: &[PolicyId]) -> Vec<RankedLine> {
    let place = |policy: &PolicyId| {
        let found = board.neighbours(RankingKind::Total, *policy, &RankingFilter::default(), 0);
        found.ok().map(|it| it.own)
    };
    policies.iter().filter_map(place).take(3).collect()
}

/// What rises most, but what is featured: where nothing was chosen for that, it is what rises, and
/// stands there already.
fn rising(board: &RankingBoard, featured: &[RankedLine]) -> Vec<RankedLine> {
    let is_shown = |it: &RankedLine| {
        let mut shown = featured.iter().map(|other| other.line.policy());
        shown.any(|policy| policy == it.line.policy())
    };
    let mut rising = board.rising_first(FEW + featured.len());
    rising.retain(|it| !is_shown(it));
    rising.truncate(FEW);
    rising
}

fn cards(visit: &Visit, featured: &[RankedLine], categories: &HashMap<String, String>) -> Markup {
    let texts = &visit.texts.front;
    html! {
        section.sec aria-labelledby="h-feat" {
            h2 #h-feat { (texts.featured) }
            div.grid3 {
                @for it in featured {
                    @let page = it.line.facts.page.as_ref();
                    article.card {
                        h3.name { a href=(links::policy(it.line.policy(), page.map_or("", |it| &it.title))) {
                            (page.map_or("", |it| &it.title))
                        } }
                        div.meta {
                            @if let Some(page) = page {
                                span { (categories.get(&page.category).unwrap_or(&page.category)) }
                            }
                            span { ((texts.rank_number)(it.rank)) }
                            span.num { (ranked::votes(visit, &it.line)) }
                        }
                    }
                }
            }
        }
    }
}

fn list(visit: &Visit, id: &str, title: &str, more: &str, lines: &[RankedLine]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section aria-labelledby=(id) {
                h2 id=(id) { a href=(more) { (title) } }
                ul.lines {
                    @for it in lines {
                        li {
                            (ranked::name(it.line.facts.page.as_ref().map_or("", |it| &it.title), it.line.policy()))
                            div.meta { span.num { (ranked::votes(visit, &it.line)) } }
                        }
                    }
                }
            }
        }
    }
}
