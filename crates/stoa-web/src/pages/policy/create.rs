//! Proposing a policy, step by step: the title, what is like it, the text, a preview with the price.
//! What was typed goes along in the form, so nothing is written before the last step.

use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{NewPage, PolicyText, Refusal};
use stoa_votes::ops::search::Hit;
use stoa_votes::ops::submit::NotAccepted;

use super::vote;
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::markdown;
use crate::parts::forms::{self, Field, Mistakes};
use crate::parts::found;
use crate::route::Outcome;
use crate::visit::Visit;

/// Similar policies that are shown.
const SIMILAR: usize = 5;

/// `GET /create`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &title_step(&visit, &Mistakes::default()), 1)
}

/// `POST /create`
pub async fn submit(visit: Visit) -> Outcome {
    match visit.form.get("step") {
        "similar" => {
            if visit.form.trimmed("title").is_empty() {
                let mut mistakes = Mistakes::default();
                mistakes.add("title", visit.texts.create.title_hint);
                return Ok(page(&visit, &title_step(&visit, &mistakes), 1)?.with_status(422));
            }
            let step = similar_step(&visit).await?;
            page(&visit, &step, 2)
        }
        "preview" => {
            let mistakes = mistakes(&visit).await?;
            if !mistakes.is_empty() {
                let step = text_step(&visit, &mistakes).await?;
                return Ok(page(&visit, &step, 3)?.with_status(422));
            }
            page(&visit, &preview_step(&visit), 4)
        }
        "publish" => publish(&visit).await,
        _ => {
            let step = text_step(&visit, &Mistakes::default()).await?;
            page(&visit, &step, 3)
        }
    }
}

fn new_page(visit: &Visit) -> NewPage {
    let form = &visit.form;
    let links = form
        .get("links")
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty());
    NewPage {
        text: PolicyText {
            title: form.trimmed("title").to_owned(),
            description: form.get("text").to_owned(),
            links: links.map(str::to_owned).collect(),
        },
        category: form.get("category").to_owned(),
        party: None,
    }
}

/// What can be known to be wrong before anything is asked for.
async fn mistakes(visit: &Visit) -> Result<Mistakes, Failure> {
    let mut mistakes = Mistakes::default();
    let new = new_page(visit);
    if let Err(refusal) = stoa_votes::rules::page_text::checked_text(&new.text) {
        let code = refusal.code();
        mistakes.add(
            field_of(code),
            &visit.texts.refusal(code, &refusal.to_string()),
        );
    }
    let mut categories = visit.votes().categories().await?.into_iter();
    if !categories.any(|it| it.key == new.category && it.is_active) {
        mistakes.add("category", visit.texts.create.choose_category);
    }
    Ok(mistakes)
}

fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("title_") => "title",
        "description_too_long" | "text_bad_character" => "text",
        "too_many_links" | "bad_link" => "links",
        "no_such_category" => "category",
        "overdraft" | "too_many_policies" => "title",
        _ => "",
    }
}

async fn publish(visit: &Visit) -> Outcome {
    let account = visit.member()?.account;
    let basis = vote::basis(visit.form.get("basis"));
    let new = new_page(visit);
    let created = visit
        .votes()
        .create_policy(account, visit.request(), basis, &new);
    let failure = match created.await {
        Ok(created) => {
            for tag in tags(visit) {
                // A tag that cannot be is left out: the policy is there, and tags can be added.
                if let Err(error) = visit
                    .votes()
                    .tag_policy(account.user, created.policy, &tag)
                    .await
                {
                    tracing::info!(request = %visit.id, %error, "a tag was left out");
                }
            }
            return Ok(Answer::see(&links::policy(
                created.policy,
                visit.form.get("title"),
            )));
        }
        Err(NotAccepted::Stale(_)) => {
            // The purse changed meanwhile: the preview is shown again with what there is now.
            return Ok(page(visit, &preview_step(visit), 4)?.with_status(409));
        }
        Err(NotAccepted::Refused(Refusal::Overdraft { needed })) => {
            let missing = visit.texts.format.number(needed);
            let message = (visit.texts.create.too_few)(&missing);
            Failure::Refused {
                code: "too_many_policies".to_owned(),
                message,
            }
        }
        Err(other) => other.into(),
    };
    let mistakes = Mistakes::refused(visit, failure, field_of)?;
    let step = text_step(visit, &mistakes).await?;
    Ok(page(visit, &step, 3)?.with_status(422))
}

fn tags(visit: &Visit) -> Vec<String> {
    let tags = visit.form.get("tags").split(',').map(str::trim);
    tags.filter(|tag| !tag.is_empty())
        .take(10)
        .map(str::to_owned)
        .collect()
}

/// What was typed, carried on.
fn carried(visit: &Visit, names: &[&str]) -> Markup {
    html! { @for name in names { (forms::hidden(name, visit.form.get(name))) } }
}

fn title_step(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.create;
    html! {
        (mistakes.summary(visit))
        form method="post" action="/create" novalidate {
            (forms::token(visit))
            (carried(visit, &["text", "links", "category", "tags"]))
            (forms::field(Field { name: "title", label: texts.step_title, hint: texts.title_hint, value: visit.form.get("title"), most: 120, ..Field::default() }, mistakes))
            button.btn.go name="step" value="similar" { (texts.go_on) }
        }
    }
}

async fn similar_step(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.create;
    let title = visit.form.trimmed("title").to_owned();
    let hits = similar(visit, title).await?;
    Ok(html! {
        section.stage { h2 { (texts.step_title) } p.flush { (visit.form.get("title")) } }
        section.stage aria-labelledby="h-sim" {
            h2 #h-sim { (texts.similar_question) }
            @if hits.is_empty() { p { (texts.no_similar) } } @else {
                p.text { (texts.similar_more) }
                ul.lines { @for hit in &hits {
                    li {
                        span.name { a href=(found::address(hit).unwrap_or_default()) { (found::snippet(&hit.title)) } }
                        @if !hit.text.text.is_empty() { p.small.flush { (found::snippet(&hit.text)) } }
                    }
                } }
            }
            form.row.gap-t method="post" action="/create" {
                (forms::token(visit))
                (carried(visit, &["title", "text", "links", "category", "tags"]))
                button.btn.go name="step" value="text" { (texts.go_on) }
            }
        }
    })
}

async fn similar(visit: &Visit, title: String) -> Result<Vec<Hit>, Failure> {
    let Some(index) = &visit.app.search else {
        return Ok(Vec::new());
    };
    let index = Arc::clone(index);
    let hits = tokio::task::spawn_blocking(move || index.similar_policies(&title, SIMILAR)).await;
    let hits = hits.map_err(|broken| Failure::broken(&broken.to_string()))?;
    hits.map_err(|error| Failure::broken(&error.to_string()))
}

async fn text_step(visit: &Visit, mistakes: &Mistakes) -> Result<Markup, Failure> {
    let (texts, form) = (&visit.texts.create, &visit.form);
    let categories = visit.votes().categories().await?;
    let category = form.get("category");
    Ok(html! {
        (mistakes.summary(visit))
        form method="post" action="/create" novalidate {
            (forms::token(visit))
            (forms::field(Field { name: "title", label: texts.step_title, hint: texts.title_hint, value: form.get("title"), most: 120, ..Field::default() }, mistakes))
            (forms::area(Field { name: "text", label: texts.text, hint: texts.text_hint, value: form.get("text"), ..Field::default() }, 10, mistakes))
            (forms::area(Field { name: "links", label: texts.links, hint: texts.links_hint, value: form.get("links"), ..Field::default() }, 2, mistakes))
            div.field {
                (forms::above("category", texts.category, "", mistakes))
                select.in #f-category name="category" aria-invalid=[forms::invalid("category", mistakes)]
                    aria-describedby=[forms::described("category", "", mistakes)] {
                    option value="" {}
                    @for it in categories.iter().filter(|it| it.is_active) {
                        option value=(it.key) selected[it.key == category] { (it.name) }
                    }
                }
            }
            (forms::field(Field { name: "tags", label: texts.tags, hint: texts.tags_hint, value: form.get("tags"), ..Field::default() }, mistakes))
            button.btn.go name="step" value="preview" { (texts.preview) }
        }
    })
}

fn preview_step(visit: &Visit) -> Markup {
    let texts = &visit.texts.create;
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    let cost = visit
        .texts
        .format
        .number(visit.notice.rules.today.creation_cost);
    let new = new_page(visit);
    html! {
        section.stage {
            h2 { (texts.preview) }
            h3 { (new.text.title) }
            div.text { (markdown::html(&new.text.description)) }
            @if !new.text.links.is_empty() { ul.small { @for link in &new.text.links { li { (link) } } } }
            ul.tags { @for tag in tags(visit) { li { span.tag { (tag) } } } }
        }
        form.row.gap-t method="post" action="/create" {
            (forms::token(visit))
            (vote::ask(member.and_then(|it| it.statement.basis), visit.request()))
            (carried(visit, &["title", "text", "links", "category", "tags"]))
            button.btn.is-price name="step" value="publish" { ((texts.publish)(&cost)) } " "
            button.btn name="step" value="text" { (texts.change) }
        }
    }
}

fn page(visit: &Visit, step: &Markup, number: usize) -> Outcome {
    let (texts, format) = (&visit.texts.create, &visit.texts.format);
    let names = [
        texts.step_title,
        texts.step_similar,
        texts.step_text,
        texts.step_publish,
    ];
    let balance = visit.member()?.statement.balance;
    let cost = visit.notice.rules.today.creation_cost;
    let main = html! {
        h1 { (texts.title) }
        ol.steps aria-label=(texts.steps) {
            @for (at, name) in (1..).zip(names) {
                li class=[(at < number).then_some("done")] aria-current=[(at == number).then_some("step")] { (name) }
            }
        }
        div.split {
            div { (step) }
            aside.stack {
                section.panel.key.is-price aria-labelledby="h-cost" {
                    h2 #h-cost { (texts.what_it_costs) }
                    table.tbl {
                        tbody {
                            tr { th scope="row" { (texts.in_purse) } td.n { (format.number(balance)) } }
                            tr { th scope="row" { (texts.to_propose) } td.n.price { (format.number(-cost)) } }
                        }
                        tfoot { tr { th scope="row" { (texts.left_after) } td.n { (format.number(balance - cost)) } } }
                    }
                    p.small.muted.flush { (texts.become_votes) }
                }
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
