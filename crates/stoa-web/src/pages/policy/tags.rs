//! The tags of a policy: its owners put them on and take them off, others suggest, and what two people
//! suggest is done.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_votes::model::{Role, SuggestionKind, Tag, TagId, TagSuggestion};
use stoa_votes::ops::page::ShownPage;
use stoa_votes::ops::suggest_tag::Suggested;
use uuid::Uuid;

use super::edit::check_open;
use super::may;
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// What is read for the page.
struct Tagging {
    shown: ShownPage,
    tags: Vec<Tag>,
    /// What is suggested, with how many agree and whether the viewer does.
    suggested: Vec<(TagSuggestion, usize, bool)>,
    /// Whether the viewer decides, or only suggests.
    decides: bool,
}

/// `GET /policies/{policy}/-/tags`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/tags`
pub async fn submit(visit: Visit) -> Outcome {
    let done = match visit.form.get("do") {
        "add" => add(&visit, visit.form.get("tag")).await,
        "remove" => remove(&visit).await,
        "withdraw" => withdraw(&visit).await,
        _ => Err(Failure::BadRequest),
    };
    match done {
        Ok(done) => {
            let address = links::of_policy(visit.policy()?, "tags");
            Ok(Answer::see(&format!("{address}?done={done}")))
        }
        Err(failure) => {
            let mistakes = Mistakes::refused(&visit, failure, field_of)?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("tag_") => "tag",
        "too_many_tags" | "already_tagged" | "not_tagged" | "too_many_suggestions" => "tag",
        "no_such_tag" | "policy_not_active" => "tag",
        _ => "",
    }
}

async fn decides(visit: &Visit, shown: &ShownPage) -> Result<bool, Failure> {
    let by = visit.viewer()?.id();
    Ok(shown.page.is_owned_by(by) || may(visit, Role::ModerateTags).await?)
}

async fn shown(visit: &Visit) -> Result<ShownPage, Failure> {
    let (policy, by) = (visit.policy()?, visit.viewer()?.by());
    let shown = visit.votes().page_for(by, policy).await?;
    if shown.text.is_none() {
        return Err(Failure::NotFound);
    }
    check_open(&shown, policy)?;
    Ok(shown)
}

async fn add(visit: &Visit, name: &str) -> Result<&'static str, Failure> {
    let shown = shown(visit).await?;
    let (policy, by) = (shown.page.policy, visit.viewer()?.id());
    if decides(visit, &shown).await? {
        visit.votes().tag_policy(by, policy, name).await?;
        return Ok("added");
    }
    let suggested = visit.votes().suggest_tag(by, policy, name).await?;
    Ok(told(suggested))
}

async fn remove(visit: &Visit) -> Result<&'static str, Failure> {
    let shown = shown(visit).await?;
    let (policy, by) = (shown.page.policy, visit.viewer()?.id());
    let tag = Uuid::try_parse(visit.form.get("id")).map_err(|_| Failure::BadRequest)?;
    if decides(visit, &shown).await? {
        visit.votes().untag_policy(by, policy, TagId(tag)).await?;
        return Ok("removed");
    }
    let suggested = visit.votes().suggest_untag(by, policy, TagId(tag)).await?;
    Ok(told(suggested))
}

fn told(suggested: Suggested) -> &'static str {
    match suggested {
        Suggested::Noted => "suggested",
        Suggested::Done => "applied",
    }
}

/// Takes back a suggestion of one's own.
async fn withdraw(visit: &Visit) -> Result<&'static str, Failure> {
    let by = visit.viewer()?.id();
    let tag = Uuid::try_parse(visit.form.get("id")).map_err(|_| Failure::BadRequest)?;
    let kind = SuggestionKind::of_name(visit.form.get("kind"));
    for it in visit.votes().tag_suggestions(visit.policy()?).await? {
        if it.user == by && it.tag == TagId(tag) && Some(it.kind) == kind {
            visit.votes().withdraw_suggestion(&it).await?;
        }
    }
    Ok("withdrawn")
}

async fn read(visit: &Visit) -> Result<Tagging, Failure> {
    let shown = shown(visit).await?;
    let policy = shown.page.policy;
    let by = visit.viewer()?.id();
    let mut groups: BTreeMap<(SuggestionKind, TagId), (TagSuggestion, usize, bool)> =
        BTreeMap::new();
    for it in visit.votes().tag_suggestions(policy).await? {
        let is_own = it.user == by;
        let group = groups.entry((it.kind, it.tag));
        let (_, count, is_mine) = group.or_insert((it, 0, false));
        *count += 1;
        *is_mine |= is_own;
    }
    Ok(Tagging {
        tags: visit.votes().tags_of(policy).await?,
        suggested: groups.into_values().collect(),
        decides: decides(visit, &shown).await?,
        shown,
    })
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let it = read(visit).await?;
    let texts = &visit.texts.acts;
    let title = &it.shown.page.title;
    let heading = (texts.tags_of)(title);
    let done = match visit.query.get("done") {
        "added" => Some(texts.tag_added),
        "removed" => Some(texts.tag_removed),
        "suggested" => Some(texts.tag_suggested),
        "applied" => Some(texts.tag_applied),
        "withdrawn" => Some(texts.tag_withdrawn),
        _ => None,
    };
    let main = html! {
        div.narrow {
            h1 { (heading) }
            p { a href=(links::policy(it.shown.page.policy, title)) { "← " (title) } }
            @if let Some(done) = done { p.note.is-good role="status" { (done) } }
            (mistakes.summary(visit))
            p { @if it.decides { (texts.tags_decide) } @else { (texts.tags_suggest) } }
            (tags(visit, &it))
            (suggestions(visit, &it))
            (adding(visit, &it, mistakes))
        }
    };
    let about = About {
        title: &heading,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

fn tags(visit: &Visit, it: &Tagging) -> Markup {
    let texts = &visit.texts.acts;
    let address = links::of_policy(it.shown.page.policy, "tags");
    html! {
        section.sec aria-labelledby="h-tags" {
            h2 #h-tags { (visit.texts.policy.tags) }
            @if it.tags.is_empty() { p.muted { (texts.no_tags) } }
            ul.lines { @for tag in &it.tags { li.row.apart {
                a.tag href=(links::tag_named(&tag.name)) { (tag.name) }
                (forms::form(visit, &address, &html! {
                    (forms::hidden("id", &tag.id.to_string()))
                    @let label = if it.decides { texts.remove_tag } else { texts.suggest_removal };
                    button.btn.sm name="do" value="remove" aria-label={ (label) ": " (tag.name) } { (label) }
                }))
            } } }
        }
    }
}

fn suggestions(visit: &Visit, it: &Tagging) -> Markup {
    let texts = &visit.texts.acts;
    let address = links::of_policy(it.shown.page.policy, "tags");
    html! {
        @if !it.suggested.is_empty() {
            section.sec aria-labelledby="h-sug" {
                h2 #h-sug { (texts.suggestions) }
                ul.lines { @for (suggestion, count, is_mine) in &it.suggested { li.row.apart {
                    span {
                        b { (suggestion.name) } " "
                        span.small.muted {
                            @match suggestion.kind {
                                SuggestionKind::Add => (texts.to_add),
                                SuggestionKind::Remove => (texts.to_remove),
                            }
                            ", " ((texts.people)(*count))
                        }
                    }
                    (forms::form(visit, &address, &html! {
                        (forms::hidden("id", &suggestion.tag.to_string()))
                        (forms::hidden("tag", &suggestion.name))
                        (forms::hidden("kind", suggestion.kind.name()))
                        @if *is_mine && !it.decides {
                            button.btn.sm name="do" value="withdraw" aria-label={ (texts.take_suggestion_back) ": " (suggestion.name) } { (texts.take_suggestion_back) }
                        } @else {
                            @let what = match suggestion.kind { SuggestionKind::Add => "add", SuggestionKind::Remove => "remove" };
                            @let label = if it.decides { texts.accept } else { texts.agree };
                            button.btn.sm name="do" value=(what) aria-label={ (label) ": " (suggestion.name) } { (label) }
                        }
                    }))
                } } }
            }
        }
    }
}

fn adding(visit: &Visit, it: &Tagging, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.acts;
    let address = links::of_policy(it.shown.page.policy, "tags");
    let label = if it.decides {
        texts.add_tag
    } else {
        texts.suggest_tag
    };
    let typed = match mistakes.is_empty() {
        true => "",
        false => visit.form.get("tag"),
    };
    html! {
        section.sec aria-labelledby="h-add" {
            h2 #h-add { (label) }
            form method="post" action=(address) novalidate {
                (forms::token(visit))
                (forms::field(Field { name: "tag", label: texts.tag_name, hint: texts.tag_hint, value: typed, most: 30, ..Field::default() }, mistakes))
                button.btn.go name="do" value="add" { (label) }
            }
        }
    }
}
