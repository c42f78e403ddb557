//! The merge workbench: which policies, what the new one says, what it amounts to, and then the
//! owners are asked. What was chosen and typed goes along in the form, so nothing is written before.

use std::collections::BTreeSet;
use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{NewPage, PolicyId, PolicyText, UserId};
use stoa_votes::ops::preview_merge::MergePreview;
use stoa_votes::ops::search::{Kind, Query};
use stoa_votes::rules::ranking::RankingBoard;
use uuid::Uuid;

use super::{Tab, by, merges};
use crate::answer::Answer;
use crate::error::Failure;
use crate::fields::Fields;
use crate::markdown;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// Policies of one merge at most.
const MOST_SOURCES: usize = 20;
/// Policies that are offered beside those that are chosen.
const MOST_OFFERED: usize = 6;
/// Days that owners have.
const PATIENCE_DAYS: i32 = 7;
/// Characters of a text that are shown of a policy.
const MOST_QUOTED: usize = 160;

/// A policy on the workbench.
struct Candidate {
    policy: PolicyId,
    title: String,
    text: String,
    owners: Vec<UserId>,
    is_chosen: bool,
}

/// Everything on the workbench.
struct Bench {
    candidates: Vec<Candidate>,
    names: Names,
    preview: Option<MergePreview>,
    mistakes: Mistakes,
}

/// `GET /desk/merges/new`
pub async fn show(visit: Visit) -> Outcome {
    let bench = read(&visit, &visit.query, Mistakes::default()).await?;
    page(&visit, &visit.query, &bench).await
}

/// `POST /desk/merges/new`
pub async fn submit(visit: Visit) -> Outcome {
    let form = &visit.form;
    if form.get("do") != "propose" {
        let bench = read(&visit, form, Mistakes::default()).await?;
        return page(&visit, form, &bench).await;
    }
    let (sources, new) = (chosen(form), new_page(form));
    let proposed = visit
        .votes()
        .propose_merge(by(&visit)?, visit.request(), &sources, &new);
    match proposed.await {
        Ok(proposal) => {
            let page = merges::address(proposal.id);
            Ok(Answer::see(&format!("{page}?done=proposed")))
        }
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, not_done.into(), field_of)?;
            let bench = read(&visit, form, mistakes).await?;
            Ok(page(&visit, form, &bench).await?.with_status(422))
        }
    }
}

fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("title_") => "title",
        "description_too_long" | "text_bad_character" => "text",
        "too_many_links" | "bad_link" => "links",
        "no_such_category" => "category",
        "no_such_party" => "party",
        "bad_merge" => "src",
        _ => "",
    }
}

/// What is chosen: boxes that are ticked, and addresses that were added.
fn chosen(fields: &Fields) -> BTreeSet<PolicyId> {
    let ticked = fields.all().filter(|(name, _)| *name == "src");
    let ticked = ticked.filter_map(|(_, id)| Uuid::try_parse(id).ok());
    let added = ids_in(fields.get("add"));
    ticked
        .chain(added)
        .map(PolicyId)
        .take(MOST_SOURCES + 1)
        .collect()
}

/// The identifiers in what was typed, such as an address of a policy.
fn ids_in(text: &str) -> Vec<Uuid> {
    let parts = text.split(|it: char| !it.is_ascii_hexdigit() && it != '-');
    parts
        .filter_map(|it| Uuid::try_parse(it).ok())
        .take(MOST_SOURCES)
        .collect()
}

fn new_page(fields: &Fields) -> NewPage {
    let links = fields.get("links").lines().map(str::trim);
    NewPage {
        text: PolicyText {
            title: fields.trimmed("title").to_owned(),
            description: fields.get("text").to_owned(),
            links: links
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
        },
        category: fields.get("category").to_owned(),
        party: Uuid::try_parse(fields.get("party")).ok(),
    }
}

async fn read(visit: &Visit, fields: &Fields, mut mistakes: Mistakes) -> Result<Bench, Failure> {
    let chosen = chosen(fields);
    let mut offered: Vec<PolicyId> = Vec::new();
    let words = fields.trimmed("add");
    if !words.is_empty() && ids_in(words).is_empty() {
        offered = found(visit, words).await?;
        if offered.is_empty() {
            let told = visit.texts.desk.merges.nothing_found;
            mistakes.add("add", &told(words));
        }
    }
    for policy in &chosen {
        offered.extend(visit.votes().related_policies(*policy).await?);
    }
    let mut seen = chosen.clone();
    offered.retain(|policy| seen.insert(*policy));
    offered.truncate(MOST_OFFERED);
    let mut candidates = Vec::new();
    for (policy, is_chosen) in chosen
        .iter()
        .map(|it| (*it, true))
        .chain(offered.into_iter().map(|it| (it, false)))
    {
        candidates.extend(candidate(visit, policy, is_chosen).await?);
    }
    let mut names = Names::default();
    let people = candidates.iter().flat_map(|it| it.owners.iter().copied());
    names.read(visit, people.collect()).await?;
    let there = candidates.iter().filter(|it| it.is_chosen);
    let there: BTreeSet<PolicyId> = there.map(|it| it.policy).collect();
    let preview = match there.len() >= 2 {
        true => Some(visit.votes().preview_merge(by(visit)?, &there).await?),
        false => None,
    };
    Ok(Bench {
        candidates,
        names,
        preview,
        mistakes,
    })
}

/// A policy for the workbench, if there is one and everybody may read it.
async fn candidate(
    visit: &Visit,
    policy: PolicyId,
    is_chosen: bool,
) -> Result<Option<Candidate>, Failure> {
    let shown = match visit.votes().page(policy).await {
        Ok(shown) if shown.is_readable() => shown,
        Ok(_) | Err(stoa_votes::model::NotDone::Refused(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = shown.text.as_ref().map(|it| it.text.description.as_str());
    let owners = shown.page.co_owners.iter().copied();
    Ok(Some(Candidate {
        policy,
        text: text.map_or(String::new(), |it| markdown::plain(it, MOST_QUOTED)),
        owners: std::iter::once(shown.page.owner).chain(owners).collect(),
        title: shown.page.title,
        is_chosen,
    }))
}

/// The policies that a search finds.
async fn found(visit: &Visit, words: &str) -> Result<Vec<PolicyId>, Failure> {
    let Some(index) = visit.app.search.as_ref() else {
        return Ok(Vec::new());
    };
    let words: String = words.chars().take(200).collect();
    let (index, query) = (Arc::clone(index), Query::new(&words));
    let found = tokio::task::spawn_blocking(move || index.search(&query)).await;
    let found = found.map_err(|broken| Failure::broken(&broken.to_string()))?;
    let found = found.map_err(|error| Failure::broken(&error.to_string()))?;
    let policies = found.hits.iter().filter(|hit| hit.kind == Kind::Policy);
    Ok(policies.map(|hit| PolicyId(hit.id)).collect())
}

async fn page(visit: &Visit, fields: &Fields, bench: &Bench) -> Outcome {
    let texts = &visit.texts.desk.merges;
    let board = visit.votes().board().await?;
    // A proposal that was not made is asked for by the same name again.
    let request = visit.request().to_string();
    let main = html! {
        (bench.mistakes.summary(visit))
        div.row { span.badge.is-wait { (texts.draft) } }
        p.text { (texts.workbench_more) }
        form method="post" action="/desk/merges/new" novalidate {
            (forms::token(visit))
            (forms::hidden("request", &request))
            // Enter in a field presses the first button: it proposes nothing.
            button.vh name="do" value="look" tabindex="-1" aria-hidden="true" {}
            (sources(visit, fields, &board, bench))
            div.split.gap-t {
                div { (text_fields(visit, fields, bench).await?) }
                aside.panel { (result(visit, &board, bench)) }
            }
        }
    };
    Ok(super::page(visit, Tab::Merges, texts.workbench, &main))
}

fn sources(visit: &Visit, fields: &Fields, board: &RankingBoard, bench: &Bench) -> Markup {
    let texts = &visit.texts.desk.merges;
    let mistakes = &bench.mistakes;
    // What was found in it is among the boxes then.
    let added = match mistakes.is_empty() {
        true => "",
        false => fields.get("add"),
    };
    html! {
        fieldset #f-src tabindex="-1" aria-describedby=[forms::described("src", texts.sources_hint, mistakes)] {
            legend { (texts.sources) }
            span.hint #h-src { (texts.sources_hint) }
            @if let Some(what) = mistakes.of("src") { span.err #e-src { span aria-hidden="true" { "◆ " } (what) } }
            @if bench.candidates.is_empty() { p.muted { (texts.no_sources) } }
            div.grid3 { @for it in &bench.candidates { (card(visit, board, bench, it)) } }
        }
        div.narrow {
            (forms::field(Field { name: "add", label: texts.add, hint: texts.add_hint, value: added, most: 500, ..Field::default() }, mistakes))
            p.row { button.btn name="do" value="look" { (texts.look) } }
        }
    }
}

fn card(visit: &Visit, board: &RankingBoard, bench: &Bench, it: &Candidate) -> Markup {
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    let line = board.line(it.policy);
    let votes = line.map_or(0, |line| line.facts.total);
    let people = line.map_or(0, |line| line.facts.breadth.supporters);
    html! {
        label.opt.panel.pick {
            input type="checkbox" name="src" value=(it.policy) checked[it.is_chosen];
            span {
                span.name { (it.title) } br;
                span.meta {
                    @for owner in &it.owners { span { "@" (bench.names.of(visit, *owner)) } }
                    span.num { ((texts.votes)(&format.number(votes))) }
                    span { ((texts.supporters)(&format.number(people))) }
                } br;
                span.small { (it.text) }
            }
        }
    }
}

async fn text_fields(visit: &Visit, fields: &Fields, bench: &Bench) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk.merges;
    let mistakes = &bench.mistakes;
    let first = bench.candidates.iter().find(|it| it.is_chosen);
    let mut category = fields.get("category").to_owned();
    if let (true, Some(first)) = (category.is_empty(), first) {
        category = visit.votes().page(first.policy).await?.page.category;
    }
    let of_create = &visit.texts.create;
    let title = Field {
        name: "title",
        label: texts.title,
        value: fields.get("title"),
        most: 120,
        ..Field::default()
    };
    let text = Field {
        name: "text",
        label: texts.text,
        hint: texts.text_hint,
        value: fields.get("text"),
        ..Field::default()
    };
    let links = Field {
        name: "links",
        label: of_create.links,
        hint: of_create.links_hint,
        value: fields.get("links"),
        ..Field::default()
    };
    Ok(html! {
        (forms::field(title, mistakes))
        (forms::area(text, 8, mistakes))
        (forms::area(links, 2, mistakes))
        (super::place::fields(visit, &category, fields.get("party"), mistakes).await?)
        p.row { button.btn.go name="do" value="propose" { (texts.propose) } }
    })
}

fn result(visit: &Visit, board: &RankingBoard, bench: &Bench) -> Markup {
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    let owners: BTreeSet<UserId> = bench
        .candidates
        .iter()
        .filter(|it| it.is_chosen)
        .flat_map(|it| it.owners.iter().copied())
        .collect();
    let names: Vec<String> = owners
        .iter()
        .map(|owner| format!("@{}", bench.names.of(visit, *owner)))
        .collect();
    let due = format.day(visit.today().plus(PATIENCE_DAYS));
    html! {
        h2 { (texts.result) }
        @match &bench.preview {
            None => p.muted.flush { (texts.two_needed) },
            Some(preview) => table.tbl {
                caption.vh { (texts.result_caption) }
                tbody {
                    tr { th scope="row" { (texts.votes_row) } td.n {
                        (sum(preview.votes.values().map(|it| format.number(*it)))) " = " b { (format.number(preview.all_votes())) }
                    } }
                    tr { th scope="row" { (texts.supporters_row) } td.n { (people(visit, preview)) } }
                    tr { th scope="row" { (texts.rank_row) } td.n { (ranks(visit, board, preview)) } }
                    tr { th scope="row" { (texts.owners_row) } td.n { (names.join(", ")) } }
                    tr { th scope="row" { (texts.effect_row) } td.n { ((texts.after_days)(&due)) } }
                }
            },
        }
    }
}

fn sum(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" + ")
}

fn people(visit: &Visit, preview: &MergePreview) -> Markup {
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    let all: i64 = preview.supporters.values().sum();
    html! {
        (sum(preview.supporters.values().map(|it| format.number(*it))))
        @match preview.together {
            Some(together) => {
                @if all > together { " − " ((texts.twice)(&format.number(all - together))) }
                " = " b { (format.number(together)) }
            },
            None => { ", " (texts.many) },
        }
    }
}

fn ranks(visit: &Visit, board: &RankingBoard, preview: &MergePreview) -> Markup {
    let texts = &visit.texts.desk.merges;
    let kind = stoa_votes::model::RankingKind::Total;
    let filter = stoa_votes::model::RankingFilter::default();
    let ranks = preview.votes.keys().filter_map(|policy| {
        let place = board.neighbours(kind, *policy, &filter, 0).ok()?;
        Some(place.own.rank.to_string())
    });
    let ranks: Vec<String> = ranks.collect();
    let sources: BTreeSet<PolicyId> = preview.votes.keys().copied().collect();
    let rank = board.rank_of(preview.all_votes(), &sources);
    html! { (ranks.join(texts.rank_and)) " → " b { (rank) } }
}
