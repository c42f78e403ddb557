//! Categories: the list, a new one, changing one, and retiring one. None is ever deleted, since
//! policies are in it.

use maud::{Markup, html};
use stoa_votes::model::Category;

use super::{done, none, page};
use crate::answer::Answer;
use crate::error::Failure;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/categories";

/// `GET /admin/categories`
pub async fn show(visit: Visit) -> Outcome {
    let categories = visit.votes().categories().await?;
    let next = categories.iter().map(|it| it.position).max().unwrap_or(0);
    let typed = Typed {
        position: next.saturating_add(1).to_string(),
        ..Typed::default()
    };
    Ok(list(&visit, &categories, &typed, &Mistakes::default()))
}

/// `POST /admin/categories`: adds one.
pub async fn add(visit: Visit) -> Outcome {
    let categories = visit.votes().categories().await?;
    let typed = Typed::of_form(&visit);
    let mut mistakes = Mistakes::default();
    let key = visit.form.trimmed("key");
    if categories.iter().any(|it| it.key == key) {
        mistakes.add("key", visit.texts.admin.key_taken);
    }
    if let Some(category) = typed.category(&visit, key, true, &mut mistakes)
        && put(&visit, &category, &mut mistakes).await?
    {
        return Ok(Answer::see(&format!("{LIST}?saved=1")));
    }
    Ok(list(&visit, &categories, &typed, &mistakes).with_status(422))
}

/// `GET /admin/categories/{category}`
pub async fn edit(visit: Visit) -> Outcome {
    let category = category(&visit).await?;
    let typed = Typed::of(&category);
    Ok(one(&visit, &category, &typed, &Mistakes::default()))
}

/// `POST /admin/categories/{category}`: changes one, or retires it, or takes it back into use.
pub async fn submit(visit: Visit) -> Outcome {
    let category = category(&visit).await?;
    let mut mistakes = Mistakes::default();
    let asked = visit.form.get("do");
    let (typed, is_active) = match asked {
        "retire" | "use" => (Typed::of(&category), asked == "use"),
        _ => (Typed::of_form(&visit), category.is_active),
    };
    if let Some(changed) = typed.category(&visit, &category.key, is_active, &mut mistakes)
        && put(&visit, &changed, &mut mistakes).await?
    {
        return Ok(Answer::see(&format!("{LIST}?saved=1")));
    }
    Ok(one(&visit, &category, &typed, &mistakes).with_status(422))
}

/// What was typed.
#[derive(Debug, Default)]
struct Typed {
    key: String,
    name: String,
    about: String,
    position: String,
}

impl Typed {
    fn of(category: &Category) -> Self {
        Self {
            key: category.key.clone(),
            name: category.name.clone(),
            about: category.description.clone(),
            position: category.position.to_string(),
        }
    }

    fn of_form(visit: &Visit) -> Self {
        let text = |name: &str| visit.form.get(name).to_owned();
        Self {
            key: text("key"),
            name: text("name"),
            about: text("about"),
            position: visit.form.trimmed("position").to_owned(),
        }
    }

    /// The category, unless something is wrong, which is noted.
    fn category(
        &self,
        visit: &Visit,
        key: &str,
        is_active: bool,
        mistakes: &mut Mistakes,
    ) -> Option<Category> {
        let position = self.position.parse();
        if position.is_err() {
            mistakes.add("position", visit.texts.admin.enter_number);
        }
        let category = Category {
            key: key.to_owned(),
            name: self.name.clone(),
            description: self.about.clone(),
            position: position.unwrap_or(0),
            is_active,
        };
        mistakes.is_empty().then_some(category)
    }
}

/// Writes it; whether that was done. A refusal is noted.
async fn put(visit: &Visit, category: &Category, mistakes: &mut Mistakes) -> Result<bool, Failure> {
    let by = visit.viewer()?.by();
    match visit.votes().put_category(by, category).await {
        Ok(()) => Ok(true),
        Err(not_done) => {
            *mistakes = Mistakes::refused(visit, not_done.into(), field_of)?;
            Ok(false)
        }
    }
}

/// Which field a refusal of a category or a party is about.
pub(super) fn field_of(code: &str) -> &'static str {
    match code {
        "bad_key" => "key",
        "bad_name" => "name",
        "about_too_long" | "text_bad_character" => "about",
        _ => "",
    }
}

/// The category in the path.
async fn category(visit: &Visit) -> Result<Category, Failure> {
    let key = visit.param("category");
    let mut categories = visit.votes().categories().await?.into_iter();
    categories.find(|it| it.key == key).ok_or(Failure::NotFound)
}

fn list(visit: &Visit, categories: &[Category], typed: &Typed, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.admin;
    let main = html! {
        h1 { (texts.categories) }
        (mistakes.summary(visit))
        (done(visit, "saved", texts.saved))
        p.text { (texts.categories_about) }
        @if categories.is_empty() { (none(texts.no_categories, texts.no_categories_more)) } @else {
            table.tbl.fold role="table" {
                caption.vh { (texts.categories) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.name) }
                    th role="columnheader" scope="col" { (texts.key) }
                    th.n role="columnheader" scope="col" { (texts.position) }
                    th role="columnheader" scope="col" { (texts.state) }
                    th role="columnheader" scope="col" { (texts.action) }
                } }
                tbody role="rowgroup" { @for it in categories { (row(visit, it)) } }
            }
        }
        section.sec aria-labelledby="h-add" {
            h2 #h-add { (texts.add_category) }
            form.narrow method="post" action=(LIST) novalidate {
                (forms::token(visit))
                (forms::field(Field { name: "key", label: texts.key, hint: texts.key_hint, value: &typed.key, most: 30, ..Field::default() }, mistakes))
                (fields(visit, typed, mistakes))
                button.btn.go { (texts.add) }
            }
        }
    };
    page(visit, LIST, texts.categories, &main)
}

fn row(visit: &Visit, it: &Category) -> Markup {
    let texts = &visit.texts.admin;
    let path = format!("{LIST}/{}", it.key);
    html! {
        tr role="row" {
            th role="rowheader" scope="row" {
                span.name { (it.name) }
                @if !it.description.is_empty() { div.small.muted { (it.description) } }
            }
            td role="cell" data-l=(texts.key) { code { (it.key) } }
            td.n role="cell" data-l=(texts.position) { (it.position) }
            td role="cell" { (state(visit, it.is_active)) }
            td role="cell" { (actions(visit, &path, &it.name, it.is_active)) }
        }
    }
}

/// Whether something is in use, in words and by shape.
pub(super) fn state(visit: &Visit, is_active: bool) -> Markup {
    let texts = &visit.texts.admin;
    html! {
        @if is_active { span.badge.is-good { (texts.in_use) } }
        @else { span.badge { (texts.not_in_use) } }
    }
}

/// What can be done with a category or a party.
pub(super) fn actions(visit: &Visit, path: &str, name: &str, is_active: bool) -> Markup {
    let texts = &visit.texts.admin;
    forms::form(
        visit,
        path,
        &html! {
            a.btn.sm href=(path) aria-label=((texts.change_named)(name)) { (texts.change) }
            @if is_active {
                button.btn.sm name="do" value="retire" aria-label=((texts.retire_named)(name)) { (texts.retire) }
            } @else {
                button.btn.sm name="do" value="use" aria-label=((texts.use_again_named)(name)) { (texts.use_again) }
            }
        },
    )
}

fn one(visit: &Visit, category: &Category, typed: &Typed, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.admin;
    let title = (texts.change_named)(&category.name);
    let main = html! {
        h1 { (title) }
        (mistakes.summary(visit))
        p.row { (state(visit, category.is_active)) " " (texts.key) ": " code { (category.key) } }
        form.narrow method="post" action={ (LIST) "/" (category.key) } novalidate {
            (forms::token(visit))
            (fields(visit, typed, mistakes))
            p.row { button.btn.go name="do" value="save" { (texts.save) } " " a.btn href=(LIST) { (texts.back) } }
        }
    };
    page(visit, LIST, &title, &main)
}

fn fields(visit: &Visit, typed: &Typed, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.admin;
    html! {
        (forms::field(Field { name: "name", label: texts.name, hint: texts.name_hint, value: &typed.name, most: 80, ..Field::default() }, mistakes))
        (forms::area(Field { name: "about", label: texts.about_field, hint: texts.about_hint, value: &typed.about, ..Field::default() }, 3, mistakes))
        (forms::field(Field { name: "position", label: texts.position, hint: texts.position_hint, value: &typed.position, most: 11, ..Field::default() }, mistakes))
    }
}
