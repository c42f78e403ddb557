//! Parties: the list, a new one, changing one, and retiring one. A community begins without any,
//! and none is ever deleted, since policies name it.

use maud::{Markup, html};
use stoa_votes::model::Party;
use uuid::Uuid;

use super::categories::{actions, field_of, state};
use super::{done, none, page};
use crate::answer::Answer;
use crate::error::Failure;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/parties";

/// `GET /admin/parties`
pub async fn show(visit: Visit) -> Outcome {
    let parties = visit.votes().parties().await?;
    let new = blank(visit.new_request().0);
    Ok(list(&visit, &parties, &new, &Mistakes::default()))
}

/// `POST /admin/parties`: adds one. It is named by its request, so sending the form twice adds one.
pub async fn add(visit: Visit) -> Outcome {
    let parties = visit.votes().parties().await?;
    let new = typed(&visit, &blank(visit.request().0));
    if parties.iter().any(|it| it.party == new.party) {
        return Ok(Answer::see(&format!("{LIST}?saved=1")));
    }
    match put(&visit, &new).await? {
        None => Ok(Answer::see(&format!("{LIST}?saved=1"))),
        Some(mistakes) => Ok(list(&visit, &parties, &new, &mistakes).with_status(422)),
    }
}

/// `GET /admin/parties/{party}`
pub async fn edit(visit: Visit) -> Outcome {
    let party = party(&visit).await?;
    Ok(one(&visit, &party, &party, &Mistakes::default()))
}

/// `POST /admin/parties/{party}`: changes one, or retires it, or takes it back into use.
pub async fn submit(visit: Visit) -> Outcome {
    let party = party(&visit).await?;
    let asked = visit.form.get("do");
    let changed = match asked {
        "retire" | "use" => Party {
            is_active: asked == "use",
            ..party.clone()
        },
        _ => typed(&visit, &party),
    };
    match put(&visit, &changed).await? {
        None => Ok(Answer::see(&format!("{LIST}?saved=1"))),
        Some(mistakes) => Ok(one(&visit, &party, &changed, &mistakes).with_status(422)),
    }
}

fn blank(party: Uuid) -> Party {
    Party {
        party,
        name: String::new(),
        description: String::new(),
        is_active: true,
    }
}

/// A party with what was typed.
fn typed(visit: &Visit, party: &Party) -> Party {
    Party {
        party: party.party,
        name: visit.form.get("name").to_owned(),
        description: visit.form.get("about").to_owned(),
        is_active: party.is_active,
    }
}

/// Writes it, or says what is wrong with it.
async fn put(visit: &Visit, party: &Party) -> Result<Option<Mistakes>, Failure> {
    let by = visit.viewer()?.by();
    match visit.votes().put_party(by, party).await {
        Ok(()) => Ok(None),
        Err(not_done) => Mistakes::refused(visit, not_done.into(), field_of).map(Some),
    }
}

/// The party in the path.
async fn party(visit: &Visit) -> Result<Party, Failure> {
    let party = visit.uuid("party")?;
    let mut parties = visit.votes().parties().await?.into_iter();
    parties
        .find(|it| it.party == party)
        .ok_or(Failure::NotFound)
}

fn list(visit: &Visit, parties: &[Party], new: &Party, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.admin;
    let main = html! {
        h1 { (texts.parties) }
        (mistakes.summary(visit))
        (done(visit, "saved", texts.saved))
        p.text { (texts.parties_about) }
        @if parties.is_empty() { (none(texts.no_parties, texts.no_parties_more)) } @else {
            table.tbl.fold role="table" {
                caption.vh { (texts.parties) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.name) }
                    th role="columnheader" scope="col" { (texts.state) }
                    th role="columnheader" scope="col" { (texts.action) }
                } }
                tbody role="rowgroup" { @for it in parties { (row(visit, it)) } }
            }
        }
        section.sec aria-labelledby="h-add" {
            h2 #h-add { (texts.add_party) }
            form.narrow method="post" action=(LIST) novalidate {
                (forms::token(visit))
                (forms::hidden("request", &new.party.to_string()))
                (fields(visit, new, mistakes))
                button.btn.go { (texts.add) }
            }
        }
    };
    page(visit, LIST, texts.parties, &main)
}

fn row(visit: &Visit, it: &Party) -> Markup {
    let path = format!("{LIST}/{}", it.party);
    html! {
        tr role="row" {
            th role="rowheader" scope="row" {
                span.name { (it.name) }
                @if !it.description.is_empty() { div.small.muted { (it.description) } }
            }
            td role="cell" { (state(visit, it.is_active)) }
            td role="cell" { (actions(visit, &path, &it.name, it.is_active)) }
        }
    }
}

fn one(visit: &Visit, party: &Party, typed: &Party, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.admin;
    let title = (texts.change_named)(&party.name);
    let main = html! {
        h1 { (title) }
        (mistakes.summary(visit))
        p { (state(visit, party.is_active)) }
        form.narrow method="post" action={ (LIST) "/" (party.party) } novalidate {
            (forms::token(visit))
            (fields(visit, typed, mistakes))
            p.row { button.btn.go name="do" value="save" { (texts.save) } " " a.btn href=(LIST) { (texts.back) } }
        }
    };
    page(visit, LIST, &title, &main)
}

fn fields(visit: &Visit, typed: &Party, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.admin;
    html! {
        (forms::field(Field { name: "name", label: texts.name, hint: texts.name_hint, value: &typed.name, most: 80, ..Field::default() }, mistakes))
        (forms::area(Field { name: "about", label: texts.about_field, hint: texts.party_about_hint, value: &typed.description, ..Field::default() }, 3, mistakes))
    }
}
