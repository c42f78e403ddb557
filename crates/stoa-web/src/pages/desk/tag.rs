//! One tag: what became of it, and renaming, merging and deleting it.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Tag, TagId, TagState};

use super::{about, by, done, reason, sure};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /desk/tags/{tag}`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /desk/tags/{tag}`
pub async fn submit(visit: Visit) -> Outcome {
    let tag = read(&visit).await?;
    let (votes, form, by) = (visit.votes(), &visit.form, by(&visit)?);
    let mut mistakes = Mistakes::default();
    let (acted, field): (_, fn(&str) -> &'static str) = match form.get("do") {
        "rename" => {
            let (name, why) = (form.get("name"), form.get("rename_reason"));
            let renamed = votes.rename_tag(by, tag.id, name, why).await;
            (renamed.map(|_| ()), rename_field)
        }
        "merge" => {
            let Some(into) = votes.find_tag(form.get("into")).await? else {
                mistakes.add("into", visit.texts.desk.tags.no_such_tag);
                return Ok(page(&visit, &mistakes).await?.with_status(422));
            };
            let why = form.get("merge_reason");
            let merged = votes.merge_tags(by, tag.id, into.id, why).await;
            (merged.map(|_| ()), merge_field)
        }
        "delete" if form.get("sure") == "1" => {
            let why = form.get("delete_reason");
            (votes.delete_tag(by, tag.id, why).await, delete_field)
        }
        "delete" => {
            mistakes.add("sure", visit.texts.desk.sure_needed);
            return Ok(page(&visit, &mistakes).await?.with_status(422));
        }
        _ => {
            mistakes.add_whole(visit.texts.failed.bad_request_more);
            return Ok(page(&visit, &mistakes).await?.with_status(422));
        }
    };
    match acted {
        Ok(()) => Ok(Answer::see(&format!("{}?done=done", address(tag.id)))),
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, not_done.into(), field)?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

fn rename_field(code: &str) -> &'static str {
    match code {
        "reason_too_long" => "rename_reason",
        "tag_too_short" | "tag_too_long" | "tag_bad_character" | "tag_blocked"
        | "tag_name_taken" | "tag_merged" => "name",
        _ => "",
    }
}

fn merge_field(code: &str) -> &'static str {
    match code {
        "reason_too_long" => "merge_reason",
        "same_tag" | "tag_merged" | "no_such_tag" => "into",
        _ => "",
    }
}

fn delete_field(code: &str) -> &'static str {
    match code {
        "reason_too_long" => "delete_reason",
        "tag_merged" => "sure",
        _ => "",
    }
}

fn address(tag: TagId) -> String {
    format!("/desk/tags/{tag}")
}

/// The tag of the path, whatever became of it.
async fn read(visit: &Visit) -> Result<Tag, Failure> {
    let tag = TagId(visit.uuid("tag")?);
    let found = visit.votes().tables().tags.read(tag).await?;
    found.ok_or(Failure::NotFound)
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let tag = read(visit).await?;
    let texts = &visit.texts.desk.tags;
    let counts_for = match tag.merged_to {
        Some(into) => visit.votes().tag(into).await?,
        None => None,
    };
    let mut sources = Vec::new();
    for source in &tag.merged_from {
        sources.extend(visit.votes().tables().tags.read(*source).await?);
    }
    let mut names = Names::default();
    names
        .read(visit, tag.act.iter().map(|it| it.by).collect())
        .await?;
    let heading = (texts.tag)(&tag.name);
    let main = html! {
        p.meta { a href="/desk/tags" { (texts.title) } }
        (done(visit, &[("done", visit.texts.desk.done)]))
        div.meta { (badge(visit, &tag)) }
        h1 { (heading) }
        (mistakes.summary(visit))
        @if let Some(into) = &counts_for { p.note { (texts.counts_for) " " a href=(address(into.id)) { (into.name) } "." } }
        @if !sources.is_empty() {
            p { (texts.aliases) " " @for (at, source) in sources.iter().enumerate() {
                @if at > 0 { ", " } a href=(address(source.id)) { (source.name) }
            } }
        }
        @if let Some(act) = &tag.act {
            @let by = if act.by.0.is_nil() { visit.texts.desk.somebody.to_owned() } else { format!("@{}", names.of(visit, act.by)) };
            p.small.muted { (texts.last_act) ": " (by) ", " (visit.texts.format.moment(time_uuid::unix_micros(&act.id).unwrap_or(0))) ", " (act.reason) }
        }
        @if tag.state == TagState::Active {
            p.row { a.btn.sm href=(links::tag_named(&tag.name)) { (texts.see) } }
            div.grid3.gap-t { (rename(visit, &tag, mistakes)) (merge(visit, &tag, mistakes)) (deletion(visit, &tag, mistakes)) }
        }
    };
    Ok(layout::page(visit, about(&heading), main))
}

fn badge(visit: &Visit, tag: &Tag) -> Markup {
    let texts = &visit.texts.desk.tags;
    let (class, text) = match tag.state {
        TagState::Active => ("badge is-good", texts.state_active),
        TagState::Merged => ("badge", texts.state_merged),
        TagState::Deleted => ("badge is-bad", texts.state_deleted),
    };
    html! { span class=(class) { (text) } }
}

fn rename(visit: &Visit, tag: &Tag, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.desk.tags, &visit.form);
    let name = Field {
        name: "name",
        label: texts.new_name,
        hint: texts.new_name_hint,
        value: typed.find("name").unwrap_or(&tag.name),
        most: 60,
        ..Field::default()
    };
    html! {
        section.panel aria-labelledby="h-rename" {
            h2 #h-rename { (texts.rename) }
            form method="post" action=(address(tag.id)) novalidate {
                (forms::token(visit))
                (forms::field(name, mistakes))
                (reason(visit, "rename_reason", typed.get("rename_reason"), mistakes))
                button.btn name="do" value="rename" { ((texts.rename_button)(&tag.name)) }
            }
        }
    }
}

fn merge(visit: &Visit, tag: &Tag, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.desk.tags, &visit.form);
    let into = Field {
        name: "into",
        label: texts.into,
        hint: texts.into_hint,
        value: typed.get("into"),
        most: 60,
        ..Field::default()
    };
    html! {
        section.panel aria-labelledby="h-merge" {
            h2 #h-merge { (texts.merge) }
            form method="post" action=(address(tag.id)) novalidate {
                (forms::token(visit))
                (forms::field(into, mistakes))
                (reason(visit, "merge_reason", typed.get("merge_reason"), mistakes))
                button.btn name="do" value="merge" { ((texts.merge_button)(&tag.name)) }
            }
        }
    }
}

fn deletion(visit: &Visit, tag: &Tag, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.desk.tags, &visit.form);
    html! {
        section.panel aria-labelledby="h-delete" {
            h2 #h-delete { (texts.delete) }
            p { (texts.delete_more) }
            form method="post" action=(address(tag.id)) novalidate {
                (forms::token(visit))
                (reason(visit, "delete_reason", typed.get("delete_reason"), mistakes))
                (sure("sure", texts.sure, mistakes))
                button.btn.is-bad name="do" value="delete" { ((texts.delete_button)(&tag.name)) }
            }
        }
    }
}
