//! The steps of a proposal as they are shown, each with everything that was typed so far.

use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::PolicyId;
use stoa_votes::ops::search::Hit;

use super::{Step, new_page, tags, vote};
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::markdown;
use crate::parts::choices::{self, Choice};
use crate::parts::forms::{self, Field, Mistakes};
use crate::parts::found;
use crate::route::Outcome;
use crate::visit::Visit;

/// Similar policies that are shown.
const SIMILAR: usize = 5;
/// Every field of a proposal.
const FIELDS: [&str; 6] = ["title", "text", "links", "category", "party", "tags"];

/// A form that goes on to a step, and back to the one before; what is not filled in on this one goes
/// along.
fn form(visit: &Visit, own: &[&str], inside: &Markup, ways: &Markup) -> Markup {
    let carried = FIELDS.iter().filter(|name| !own.contains(name));
    html! {
        form method="post" action="/create" novalidate {
            (forms::token(visit))
            @for name in carried { (forms::hidden(name, visit.form.get(name))) }
            (inside)
            p.row { (ways) }
        }
    }
}

fn on(visit: &Visit, next: Step) -> Markup {
    html! { button.btn.go name="step" value=(next.name()) { (visit.texts.create.go_on) } }
}

fn back(visit: &Visit, to: Step) -> Markup {
    html! { " " button.btn name="back" value=(to.name()) { (visit.texts.create.back) } }
}

pub(super) fn title(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.create;
    let field = Field {
        name: "title",
        label: texts.step_title,
        hint: texts.title_hint,
        value: visit.form.get("title"),
        most: 120,
        ..Field::default()
    };
    html! {
        (mistakes.summary(visit))
        (form(visit, &["title"], &forms::field(field, mistakes), &on(visit, Step::Similar)))
    }
}

pub(super) async fn similar(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.create;
    let hits = found_similar(visit, visit.form.trimmed("title").to_owned()).await?;
    let board = visit.votes().board().await?;
    let votes = |hit: &Hit| {
        let line = board.line(PolicyId(hit.id));
        visit
            .texts
            .format
            .number(line.map_or(0, |it| it.facts.total))
    };
    let next = if hits.is_empty() {
        texts.go_on
    } else {
        texts.mine_differs
    };
    let ways = html! {
        button.btn.go name="step" value=(Step::Text.name()) { (next) }
        (back(visit, Step::Title))
    };
    Ok(html! {
        section.stage.later { h2 { (texts.step_title) } p.flush { (visit.form.get("title")) } }
        section.stage aria-labelledby="h-sim" {
            h2 #h-sim { (texts.similar_question) }
            @if hits.is_empty() { p { (texts.no_similar) } } @else {
                p.text { (texts.similar_more) }
                ul.lines { @for hit in &hits {
                    li.near {
                        @let address = found::address(hit).unwrap_or_default();
                        div {
                            span.name { a href=(address) { (found::snippet(&hit.title)) } }
                            div.meta { span.num { ((visit.texts.front.votes)(&votes(hit))) } }
                            @if !hit.text.text.is_empty() { p.small.flush { (found::snippet(&hit.text)) } }
                        }
                        a.btn href=(address) aria-label=((texts.support_label)(&hit.title.text)) { (texts.support_this) }
                    }
                } }
            }
            div.gap-t { (form(visit, &[], &html! {}, &ways)) }
        }
    })
}

async fn found_similar(visit: &Visit, title: String) -> Result<Vec<Hit>, Failure> {
    let Some(index) = &visit.app.search else {
        return Ok(Vec::new());
    };
    let index = Arc::clone(index);
    let hits = tokio::task::spawn_blocking(move || index.similar_policies(&title, SIMILAR)).await;
    let hits = hits.map_err(|broken| Failure::broken(&broken.to_string()))?;
    hits.map_err(|error| Failure::broken(&error.to_string()))
}

pub(super) fn text(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.create, &visit.form);
    let inside = html! {
        section.stage.later { h2 { (texts.step_title) } p.flush { (typed.get("title")) } }
        (forms::area(Field { name: "text", label: texts.text, hint: texts.text_hint, value: typed.get("text"), ..Field::default() }, 10, mistakes))
        (forms::area(Field { name: "links", label: texts.links, hint: texts.links_hint, value: typed.get("links"), ..Field::default() }, 2, mistakes))
    };
    let ways = html! { (on(visit, Step::Place)) (back(visit, Step::Similar)) };
    html! {
        (mistakes.summary(visit))
        (form(visit, &["text", "links"], &inside, &ways))
    }
}

pub(super) async fn place(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let (texts, typed) = (&visit.texts.create, &visit.form);
    let categories = visit.votes().categories().await?;
    let active = categories.iter().filter(|it| it.is_active);
    let categories: Vec<(&str, &str)> = active.map(|it| (&*it.key, &*it.name)).collect();
    let parties = visit.votes().parties().await?;
    let active = parties.iter().filter(|it| it.is_active);
    let parties: Vec<(String, &str)> = active.map(|it| (it.party.to_string(), &*it.name)).collect();
    let parties: Vec<(&str, &str)> = parties.iter().map(|(id, name)| (&**id, *name)).collect();
    let category = Choice {
        name: "category",
        label: texts.category,
        hint: "",
        options: &categories,
        chosen: typed.get("category"),
    };
    let party = Choice {
        name: "party",
        label: texts.party,
        hint: texts.party_hint,
        options: &parties,
        chosen: typed.get("party"),
    };
    let inside = html! {
        (choices::list(&category, mistakes))
        (forms::field(Field { name: "tags", label: texts.tags, hint: texts.tags_hint, value: typed.get("tags"), ..Field::default() }, mistakes))
        @if !parties.is_empty() { (choices::list(&party, mistakes)) }
    };
    let ways = html! { (on(visit, Step::Cost)) (back(visit, Step::Text)) };
    Ok(html! {
        (mistakes.summary(visit))
        (form(visit, &["category", "tags", "party"], &inside, &ways))
    })
}

pub(super) fn cost(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.create;
    let cost = visit
        .texts
        .format
        .number(visit.notice.rules.today.creation_cost);
    let inside = html! {
        section.stage #f-cost {
            h2 { (texts.step_cost) }
            @if let Some(what) = mistakes.of("cost") { p.err { span aria-hidden="true" { "◆ " } (what) } }
            p { ((texts.cost_told)(&cost)) }
            p { (texts.become_votes) }
        }
    };
    let ways = html! {
        button.btn.go name="step" value=(Step::Preview.name()) { (texts.to_preview) }
        (back(visit, Step::Place))
    };
    html! {
        (mistakes.summary(visit))
        (form(visit, &[], &inside, &ways))
    }
}

pub(super) async fn preview(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let texts = &visit.texts.create;
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    let cost = visit
        .texts
        .format
        .number(visit.notice.rules.today.creation_cost);
    let new = new_page(visit);
    let categories = visit.votes().categories().await?;
    let category = categories.iter().find(|it| it.key == new.category);
    let parties = visit.votes().parties().await?;
    let party = parties.iter().find(|it| Some(it.party) == new.party);
    let ways = html! {
        (vote::ask(member.and_then(|it| it.statement.basis), visit.request()))
        button.btn.is-price name="step" value="publish" { ((texts.publish)(&cost)) }
        (back(visit, Step::Cost))
    };
    Ok(html! {
        (mistakes.summary(visit))
        section.stage aria-labelledby="h-prev" {
            p.meta {
                @if let Some(it) = category { span { (it.name) } }
                @if let Some(it) = party { span { (it.name) } }
            }
            h2 #h-prev { (new.text.title) }
            div.text { (markdown::html(&new.text.description)) }
            @if !new.text.links.is_empty() { ul.small { @for link in &new.text.links { li { (link) } } } }
            ul.tags { @for tag in tags(visit) { li { span.tag { (tag) } } } }
        }
        (form(visit, &[], &html! {}, &ways))
        form.row.gap-t method="post" action="/create" aria-label=(texts.change) {
            (forms::token(visit))
            @for name in FIELDS { (forms::hidden(name, visit.form.get(name))) }
            span.small.muted { (texts.change) ":" } " "
            button.btn.sm name="back" value=(Step::Title.name()) { (texts.step_title) } " "
            button.btn.sm name="back" value=(Step::Text.name()) { (texts.step_text) } " "
            button.btn.sm name="back" value=(Step::Place.name()) { (texts.step_place) }
        }
    })
}

pub(super) fn page(visit: &Visit, step: Step, inside: &Markup) -> Outcome {
    let texts = &visit.texts.create;
    let names = [
        texts.step_title,
        texts.step_similar,
        texts.step_text,
        texts.step_place,
        texts.step_cost,
        texts.preview,
    ];
    let balance = visit.member()?.statement.balance;
    let main = html! {
        h1 { (texts.title) }
        ol.steps aria-label=(texts.steps) {
            @for ((at, _), name) in Step::NAMES.iter().zip(names) {
                li class=[(*at < step).then_some("done")] aria-current=[(*at == step).then_some("step")] { (name) }
            }
        }
        div.split {
            div { (inside) }
            aside.stack {
                (purse(visit, balance))
                section { h2 { (texts.good) } ul { li { (texts.good_one) } li { (texts.good_where) } li { (texts.good_yes) } } }
            }
        }
    };
    let about = About {
        title: texts.title,
        place: Place::Create,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

/// What it costs, beside every step.
fn purse(visit: &Visit, balance: i64) -> Markup {
    let (texts, format) = (&visit.texts.create, &visit.texts.format);
    let cost = visit.notice.rules.today.creation_cost;
    html! {
        section.panel.key.is-price aria-labelledby="h-cost" {
            h2 #h-cost { (texts.what_it_costs) }
            table.tbl {
                caption.vh { (texts.what_it_costs) }
                tbody {
                    tr { th scope="row" { (texts.in_purse) } td.n { (format.number(balance)) } }
                    tr { th scope="row" { (texts.to_propose) } td.n.price { (format.number(-cost)) } }
                }
                tfoot { tr { th scope="row" { (texts.left_after) } td.n { (format.number(balance - cost)) } } }
            }
            p.small.muted.flush { (texts.become_votes) }
        }
    }
}
