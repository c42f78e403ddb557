//! Tags: as a cloud, whose larger ones are on more policies, and as a list with figures.

use std::cmp::Reverse;

use maud::{Markup, html};
use stoa_votes::tables::tag_figures::TagFigure;

use crate::answer::Answer;
use crate::layout::{self, About};
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// Tags of the cloud: those that most policies bear.
const IN_CLOUD: usize = 60;
/// Tags of a page of the list.
const ON_PAGE: usize = 100;
/// Characters that are looked for at most.
const MOST_CHARACTERS: usize = 30;

/// `GET /tags`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.browse;
    let wanted: String = visit
        .query
        .trimmed("q")
        .chars()
        .take(MOST_CHARACTERS)
        .collect();
    if !wanted.is_empty()
        && let Some(tag) = visit.votes().find_tag(&wanted).await?
    {
        return Ok(Answer::see(&links::tag_named(&tag.name)));
    }
    let all = visit.votes().tag_cloud().await?;
    let main = html! {
        h1 { (texts.tags) }
        @if all.is_empty() {
            div.empty { h2 { (texts.tags_empty) } p { (texts.tags_empty_more) } a.btn href="/ranking" { (visit.texts.front.all_rankings) } }
        } @else {
            p.lead { (texts.tags_lead) }
            (cloud(&visit, &all))
            (list(&visit, &all, &wanted))
        }
    };
    let about = About {
        title: texts.tags,
        description: texts.tags_lead,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

/// The sizes are five, by how many policies bear a tag among those of the cloud.
fn cloud(visit: &Visit, all: &[TagFigure]) -> Markup {
    let mut largest: Vec<&TagFigure> = all.iter().collect();
    largest.sort_by_key(|it| Reverse(it.policies));
    largest.truncate(IN_CLOUD);
    let most = largest.first().map_or(1, |it| it.policies).max(1);
    let least = largest.last().map_or(1, |it| it.policies).max(1);
    largest.sort_by(|one, other| one.name.cmp(&other.name));
    let size = |policies: i64| 1 + (policies - least) * 4 / (most - least).max(1);
    html! {
        ul.tags.cloud aria-label=(visit.texts.browse.tags) {
            @for it in largest {
                li { a class={ "tag size-" (size(it.policies)) } href=(links::tag_named(&it.name)) {
                    (it.name) b { (it.policies) }
                } }
            }
        }
    }
}

fn list(visit: &Visit, all: &[TagFigure], wanted: &str) -> Markup {
    let (texts, format) = (&visit.texts.browse, &visit.texts.format);
    let needle = wanted.to_lowercase();
    let by = visit.query.get("by");
    let mut tags: Vec<&TagFigure> = all
        .iter()
        .filter(|it| it.name.to_lowercase().contains(&needle))
        .collect();
    match by {
        "policies" => tags.sort_by_key(|it| Reverse(it.policies)),
        "heat" => tags.sort_by_key(|it| Reverse(it.heat_thousandths)),
        _ => {}
    }
    let from = visit
        .query
        .number::<usize>("from")
        .unwrap_or(0)
        .min(tags.len());
    let page = tags.iter().skip(from).take(ON_PAGE);
    let next = (from + ON_PAGE).to_string();
    let orders = [
        ("", texts.by_name),
        ("policies", texts.by_policies),
        ("heat", texts.by_heat),
    ];
    html! {
        section.sec aria-labelledby="h-list" {
            h2 #h-list { (texts.tag_list) }
            form.row.filters method="get" action="/tags" role="search" {
                @if !by.is_empty() { input type="hidden" name="by" value=(by); }
                label for="q" { (texts.tag_find) } " "
                input.in.sm.auto id="q" name="q" type="search" maxlength="30" value=(wanted); " "
                button.btn.sm { (texts.show) }
            }
            nav.tabs aria-label=(texts.order) { ul { @for (order, name) in orders {
                li { a href=(links::with_fields("/tags", [("by", order), ("q", wanted)])) aria-current=[(order == by).then_some("page")] { (name) } }
            } } }
            @if tags.is_empty() { div.empty { h3 { (texts.tag_none) } a.btn href="/tags" { (texts.all_tags) } } }
            @else {
                table.tbl {
                    caption { (texts.heat_more) }
                    thead { tr {
                        th scope="col" { (texts.tag) }
                        th.n scope="col" { (texts.policies) }
                        th.n scope="col" { (texts.heat) }
                    } }
                    tbody { @for it in page { tr {
                        th scope="row" { a href=(links::tag_named(&it.name)) { (it.name) } }
                        td.n { (format.number(it.policies)) }
                        td.n { (format.thousandths(it.heat_thousandths)) }
                    } } }
                }
            }
            @if from + ON_PAGE < tags.len() {
                nav.pager aria-label=(texts.tag_list) {
                    a.btn href=(links::with_fields("/tags", [("by", by), ("q", wanted), ("from", &next)])) { (texts.next_tags) }
                }
            }
        }
    }
}
