//! Sorting a policy into another category, or behind another party.

use maud::{Markup, html};
use uuid::Uuid;

use super::{Subject, by};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/category`
pub async fn show(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let category = subject.shown.page.category.clone();
    let party = subject.shown.page.party.map(|it| it.to_string());
    let party = party.unwrap_or_default();
    page(&visit, &subject, (&category, &party), &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/category`
pub async fn submit(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let (category, party) = (visit.form.get("category"), visit.form.get("party"));
    let behind = Uuid::try_parse(party).ok();
    let placed = visit
        .votes()
        .place_policy(by(&visit)?, subject.policy(), category, behind);
    match placed.await {
        Ok(()) => Ok(Answer::see(&subject.address())),
        Err(not_done) => {
            let field = |code: &str| match code {
                "no_such_category" | "policy_closed" => "category",
                "no_such_party" => "party",
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            let page = page(&visit, &subject, (category, party), &mistakes).await?;
            Ok(page.with_status(422))
        }
    }
}

async fn page(
    visit: &Visit,
    subject: &Subject,
    (category, party): (&str, &str),
    mistakes: &Mistakes,
) -> Outcome {
    let texts = &visit.texts.desk.acts;
    let main = html! {
        (mistakes.summary(visit))
        form method="post" action=(links::of_policy(subject.policy(), "category")) novalidate {
            (forms::token(visit))
            (fields(visit, category, party, mistakes).await?)
            p.row {
                button.btn.go { ((texts.place_button)(&subject.title)) } " "
                a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
            }
        }
    };
    let title = (texts.place_title)(&subject.title);
    Ok(subject.page(visit, &title, &main))
}

/// The fields of a category and, where there are parties, of a party.
pub(super) async fn fields(
    visit: &Visit,
    category: &str,
    party: &str,
    mistakes: &Mistakes,
) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk.merges;
    let mut categories = visit.votes().categories().await?;
    categories.retain(|it| it.is_active);
    let mut parties = visit.votes().parties().await?;
    parties.retain(|it| it.is_active);
    Ok(html! {
        div.field {
            (forms::above("category", texts.category, "", mistakes))
            select.in #f-category name="category" aria-invalid=[forms::invalid("category", mistakes)]
                aria-describedby=[forms::described("category", "", mistakes)] {
                @for it in &categories { option value=(it.key) selected[it.key == category] { (it.name) } }
            }
        }
        @if !parties.is_empty() {
            div.field {
                (forms::above("party", texts.party, "", mistakes))
                select.in #f-party name="party" aria-invalid=[forms::invalid("party", mistakes)]
                    aria-describedby=[forms::described("party", "", mistakes)] {
                    option value="" { (texts.no_party) }
                    @for it in &parties {
                        @let id = it.party.to_string();
                        option value=(id) selected[id == party] { (it.name) }
                    }
                }
            }
        }
    })
}
