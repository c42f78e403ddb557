//! Editing a policy: by its owners, and by whoever edits those of others. What would change is shown
//! first; what others changed meanwhile is shown beside what was typed.

use maud::{Markup, html};
use stoa_votes::model::{By, PageRefusal, PolicyId, PolicyState, PolicyText, Role, TextVersion};
use stoa_votes::ops::edit_policy::Edit;
use stoa_votes::ops::page::ShownPage;
use stoa_votes::rules::page_text::{checked_note, checked_text};
use uuid::Uuid;

use super::create::links_of;
use super::{may, versions};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::markdown;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// A page that is being edited.
struct Editing {
    shown: ShownPage,
    now: TextVersion,
    typed: PolicyText,
    note: String,
}

/// What stands above the form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Nothing,
    Preview,
    Conflict,
}

/// `GET /policies/{policy}/-/edit`
pub async fn show(visit: Visit) -> Outcome {
    let (shown, now) = read(&visit).await?;
    let it = Editing {
        typed: now.text.clone(),
        note: String::new(),
        shown,
        now,
    };
    Ok(page(&visit, &it, Above::Nothing, &Mistakes::default()))
}

/// `POST /policies/{policy}/-/edit`
pub async fn submit(visit: Visit) -> Outcome {
    let (shown, now) = read(&visit).await?;
    let it = Editing {
        typed: PolicyText {
            title: visit.form.trimmed("title").to_owned(),
            description: visit.form.get("text").to_owned(),
            links: links_of(&visit),
        },
        note: visit.form.trimmed("note").to_owned(),
        shown,
        now,
    };
    let mistakes = mistakes(&visit, &it);
    if !mistakes.is_empty() {
        return Ok(page(&visit, &it, Above::Nothing, &mistakes).with_status(422));
    }
    if visit.form.get("do") != "save" {
        return Ok(page(&visit, &it, Above::Preview, &mistakes));
    }
    let edit = Edit {
        request: visit.request(),
        seen: Uuid::try_parse(visit.form.get("seen")).unwrap_or_default(),
        text: it.typed.clone(),
        note: it.note.clone(),
    };
    let policy = visit.policy()?;
    let by = visit.viewer()?.id();
    match visit.votes().edit_policy(by, policy, &edit).await {
        Ok(version) => {
            let address = links::policy(policy, &version.text.title);
            Ok(Answer::see(&format!("{address}?done=edited")))
        }
        Err(not_done) if not_done.code() == PageRefusal::Changed.code() => {
            let (shown, now) = read(&visit).await?;
            let it = Editing { shown, now, ..it };
            Ok(page(&visit, &it, Above::Conflict, &mistakes).with_status(409))
        }
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field_of)?;
            Ok(page(&visit, &it, Above::Nothing, &mistakes).with_status(422))
        }
    }
}

/// The page and its text now, for whoever may edit them.
async fn read(visit: &Visit) -> Result<(ShownPage, TextVersion), Failure> {
    let policy = visit.policy()?;
    let by = visit.viewer()?.id();
    let shown = visit.votes().page_for(By::User(by), policy).await?;
    if !shown.page.is_owned_by(by) && !may(visit, Role::EditPolicies).await? {
        return Err(Failure::NotAllowed);
    }
    check_open(&shown, policy)?;
    let text = shown.text.clone().ok_or(Failure::Gone)?;
    Ok((shown, text))
}

/// Refuses what is closed.
pub(super) fn check_open(shown: &ShownPage, policy: PolicyId) -> Result<(), Failure> {
    match shown.standing.state {
        PolicyState::Active => Ok(()),
        _ => Err(stoa_votes::model::NotDone::from(PageRefusal::Closed(policy)).into()),
    }
}

fn mistakes(visit: &Visit, it: &Editing) -> Mistakes {
    let mut mistakes = Mistakes::default();
    let text = checked_text(&it.typed).map(|_| ());
    let note = checked_note(&it.note).map(|_| ());
    for (field, checked) in [("", text), ("note", note)] {
        if let Err(refusal) = checked {
            let code = refusal.code();
            let field = if field.is_empty() {
                field_of(code)
            } else {
                field
            };
            mistakes.add(field, &visit.texts.refusal(code, &refusal.to_string()));
        }
    }
    mistakes
}

fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("title_") => "title",
        "description_too_long" | "text_bad_character" | "nothing_to_do" | "too_many_versions" => {
            "text"
        }
        "too_many_links" | "bad_link" => "links",
        "note_too_long" => "note",
        _ => "",
    }
}

fn page(visit: &Visit, it: &Editing, above: Above, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.acts;
    let policy = it.shown.page.policy;
    let title = (texts.edit_of)(&it.now.text.title);
    let main = html! {
        div.narrow {
            h1 { (title) }
            p { a href=(links::policy(policy, &it.now.text.title)) { "← " (it.now.text.title) } }
            (mistakes.summary(visit))
            @if above == Above::Conflict {
                div.note.is-info role="alert" tabindex="-1" autofocus {
                    h2 { (texts.edit_conflict) }
                    p { (texts.edit_conflict_more) }
                }
            }
            @if above != Above::Nothing { (preview(visit, it)) }
            (form(visit, it, mistakes))
        }
    };
    let about = About {
        title: &title,
        place: Place::Ranking,
        ..About::default()
    };
    layout::page(visit, about, main)
}

/// What would change, and how it would read.
fn preview(visit: &Visit, it: &Editing) -> Markup {
    let texts = &visit.texts.acts;
    let typed = TextVersion {
        text: it.typed.clone(),
        ..it.now.clone()
    };
    html! {
        section.sec aria-labelledby="h-diff" {
            h2 #h-diff { (texts.what_changes) }
            @if it.typed == it.now.text { p.muted { (texts.no_change) } }
            @else { div.note.text { (versions::changed(visit, Some(&it.now), &typed)) } }
        }
        section.sec aria-labelledby="h-new" {
            h2 #h-new { (visit.texts.create.preview) }
            h3 { (it.typed.title) }
            div.text { (markdown::html(&it.typed.description)) }
            @if !it.typed.links.is_empty() { ul.small { @for link in &it.typed.links { li { (link) } } } }
        }
    }
}

fn form(visit: &Visit, it: &Editing, mistakes: &Mistakes) -> Markup {
    let (texts, create) = (&visit.texts.acts, &visit.texts.create);
    let address = links::of_policy(it.shown.page.policy, "edit");
    let all_links = it.typed.links.join("\n");
    html! {
        form.gap-t method="post" action=(address) novalidate {
            (forms::token(visit))
            (forms::hidden("request", &visit.request().to_string()))
            (forms::hidden("seen", &it.shown.page.change.to_string()))
            // Enter in a field presses the first button: it shows what would change, and saves nothing.
            button.vh name="do" value="preview" tabindex="-1" aria-hidden="true" {}
            (forms::field(Field { name: "title", label: create.step_title, hint: create.title_hint, value: &it.typed.title, most: 120, ..Field::default() }, mistakes))
            (forms::area(Field { name: "text", label: create.text, hint: create.text_hint, value: &it.typed.description, ..Field::default() }, 14, mistakes))
            (forms::area(Field { name: "links", label: create.links, hint: create.links_hint, value: &all_links, ..Field::default() }, 3, mistakes))
            (forms::field(Field { name: "note", label: texts.edit_note, hint: texts.edit_note_hint, value: &it.note, most: 200, ..Field::default() }, mistakes))
            p.small.muted { (texts.edit_told) }
            p.row {
                button.btn.go name="do" value="save" { (texts.save_edit) } " "
                button.btn name="do" value="preview" { (texts.show_changes) } " "
                a.btn href=(links::policy(it.shown.page.policy, &it.now.text.title)) { (texts.leave_as_is) }
            }
        }
    }
}
