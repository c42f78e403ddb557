//! One tag, or several joined by `+`: the open policies that bear them all, what is said about them,
//! which other tags they bear. Every name that a tag ever had leads to the one it has.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RankingFilter, Tag};
use stoa_votes::ops::tags::MOST_TAGS_ASKED;

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::listing::{self, Listing};
use crate::parts::said::Said;
use crate::route::Outcome;
use crate::visit::Visit;

/// Policies that are looked at for other tags.
const LOOKED_AT: usize = 25;
/// Other tags that are shown.
const MOST_RELATED: usize = 12;
/// Comments that are shown.
const MOST_COMMENTS: usize = 5;
/// How far back comments are looked for: a week.
const WEEK_MICROS: i64 = 7 * 86_400_000_000;

/// `GET /tags/{tag}`
pub async fn show(visit: Visit) -> Outcome {
    let asked = visit.param("tag").to_owned();
    let tags = find(&visit, &asked).await?;
    let names: Vec<&str> = tags.iter().map(|it| it.name.as_str()).collect();
    let path = links::tags_named(names.iter().copied());
    if names.join("+") != asked {
        return Ok(Answer::moved(&path));
    }
    let texts = &visit.texts.browse;
    let ids: Vec<_> = tags.iter().map(|it| it.id).collect();
    let tagged = visit.votes().policies_by_tags(&ids).await?;
    let board = visit.votes().board().await?;
    let filter = RankingFilter {
        among: Some(tagged.iter().copied().collect()),
        ..RankingFilter::default()
    };
    let heading = (texts.tagged)(&names.join(&format!(" {} ", texts.and)));
    let single = tags.first().filter(|_| tags.len() == 1);
    let in_ranking = single.map_or(String::new(), |tag| {
        links::with_fields("/ranking", [("tag", tag.name.as_str())])
    });
    let listing = Listing {
        path: &path,
        caption: &heading,
        in_ranking: &in_ranking,
    };
    let listed = listing::read(&visit, &board, &filter, listing).await?;
    let related = related(&visit, &tags, &tagged).await?;
    let comments = match single {
        Some(tag) => {
            let since = visit.now_micros() - WEEK_MICROS;
            visit
                .votes()
                .tag_comments_since(tag.id, since, MOST_COMMENTS)
                .await?
        }
        None => Vec::new(),
    };
    let said = Said::read(&visit, &board, &comments).await?;
    let feed = single.map_or(String::new(), |_| format!("{path}/feed.atom"));
    let main = html! {
        h1 { (heading) }
        p.meta {
            span { ((texts.counted)(&visit.texts.format.number(listed.count))) }
            @if let Some(tag) = single { (heat(&visit, tag).await?) }
            @if !feed.is_empty() { span { a href=(feed) { (texts.feed) } } }
            span { a href="/tags" { (texts.all_tags) } }
        }
        div.split {
            div { @match &listed.markup { Some(table) => (table), None => (none(&visit, &in_ranking)) } }
            aside.stack {
                @if !related.is_empty() { (narrower(&visit, &names, &related)) }
                @if tags.len() > 1 { (wider(&visit, &names)) }
                @if !comments.is_empty() {
                    section aria-labelledby="h-said" {
                        h2 #h-said { (texts.comments_lately) }
                        ul.lines { @for it in &comments { (said.line(&visit, it)) } }
                    }
                }
            }
        }
    };
    let about = About {
        title: &heading,
        description: &heading,
        place: Place::Ranking,
        feed: &feed,
    };
    Ok(layout::page(&visit, about, main))
}

/// The tags of a text such as `trees+parks`, each once.
async fn find(visit: &Visit, asked: &str) -> Result<Vec<Tag>, Failure> {
    let mut tags: Vec<Tag> = Vec::new();
    let names = asked
        .split('+')
        .chain(visit.query.all().filter(|it| it.0 == "and").map(|it| it.1));
    for name in names.take(MOST_TAGS_ASKED) {
        let tag = visit
            .votes()
            .find_tag(name)
            .await?
            .ok_or(Failure::NotFound)?;
        if tags.iter().all(|it| it.id != tag.id) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

async fn heat(visit: &Visit, tag: &Tag) -> Result<Markup, Failure> {
    let texts = &visit.texts.browse;
    let figures = visit.votes().tag_cloud().await?;
    let found = figures.into_iter().find(|it| it.tag == tag.id);
    let heat = found.map_or(0, |it| it.heat_thousandths);
    Ok(html! {
        @if heat > 0 { span title=(texts.heat_more) { ((texts.heat_of)(&visit.texts.format.thousandths(heat))) } }
    })
}

/// The other tags of the policies, those that most of them bear first.
async fn related(
    visit: &Visit,
    tags: &[Tag],
    tagged: &[PolicyId],
) -> Result<Vec<(String, usize)>, Failure> {
    let own: BTreeSet<_> = tags.iter().map(|it| it.id).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    if own.len() < MOST_TAGS_ASKED {
        for policy in tagged.iter().rev().take(LOOKED_AT) {
            for tag in visit.votes().tags_of(*policy).await? {
                if !own.contains(&tag.id) {
                    *counts.entry(tag.name).or_default() += 1;
                }
            }
        }
    }
    let mut related: Vec<(String, usize)> = counts.into_iter().collect();
    related.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    related.truncate(MOST_RELATED);
    Ok(related)
}

fn narrower(visit: &Visit, names: &[&str], related: &[(String, usize)]) -> Markup {
    let texts = &visit.texts.browse;
    html! {
        section aria-labelledby="h-more" {
            h2 #h-more { (texts.related_tags) }
            ul.tags { @for (name, count) in related {
                li {
                    a.tag href=(links::tags_named(names.iter().copied().chain([name.as_str()]))) { "+ " (name) b { (count) } }
                }
            } }
        }
    }
}

fn wider(visit: &Visit, names: &[&str]) -> Markup {
    let texts = &visit.texts.browse;
    html! {
        ul.tags { @for name in names {
            li { a.tag href=(links::tag_named(name)) { ((texts.all_of)(name)) } }
        } }
    }
}

fn none(visit: &Visit, in_ranking: &str) -> Markup {
    let texts = &visit.texts.browse;
    html! {
        div.empty {
            h2 { (texts.none_tagged) }
            p { (texts.none_tagged_more) }
            p.row.flush {
                @if !in_ranking.is_empty() { a.btn href={ (in_ranking) "&state=all" } { (texts.closed_too) } " " }
                a.btn href="/create" { (texts.propose) }
            }
        }
    }
}
