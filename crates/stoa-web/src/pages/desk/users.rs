//! Members: finding one by the name or the address.

use maud::html;
use stoa_votes::model::NotDone;

use super::{Tab, by};
use crate::answer::Answer;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /desk/users`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.desk.users;
    let asked = visit.query.trimmed("q");
    let mut mistakes = Mistakes::default();
    if !asked.is_empty() {
        match visit.votes().find_to_examine(by(&visit)?, asked).await {
            Ok(Some(user)) => return Ok(Answer::see(&format!("/desk/users/{user}"))),
            // Who may not look for addresses learns of none.
            Ok(None) | Err(NotDone::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        mistakes.add("q", &(texts.nobody)(asked));
    }
    let field = Field {
        name: "q",
        label: texts.find,
        hint: texts.find_hint,
        kind: "search",
        value: asked,
        most: 254,
        ..Field::default()
    };
    let main = html! {
        (mistakes.summary(&visit))
        form.narrow.gap-t method="get" action="/desk/users" role="search" {
            (forms::field(field, &mistakes))
            button.btn.go { (texts.search) }
        }
    };
    Ok(super::page(&visit, Tab::Users, texts.title, &main))
}
