//! Closing a policy of one's own, with a reason, while nobody else has votes on it. The owner's votes
//! come back at the usual price, which is shown first.

use std::collections::BTreeMap;

use maud::html;
use stoa_votes::model::PolicyState;
use stoa_votes::ops::page::ShownPage;

use super::edit::check_open;
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/withdraw`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/withdraw`
pub async fn submit(visit: Visit) -> Outcome {
    let shown = own_page(&visit).await?;
    let policy = shown.page.policy;
    let is_closing = shown.standing.state != PolicyState::Active;
    // The price may have changed since the form was made; then it is shown once more.
    let agreed = visit.form.number::<i64>("price");
    if !is_closing && agreed != Some(price(&visit).await?) {
        let mut mistakes = Mistakes::default();
        mistakes.add_whole(visit.texts.acts.price_changed);
        return Ok(page(&visit, &mistakes).await?.with_status(409));
    }
    let account = visit.member()?.account;
    let reason = visit.form.get("reason");
    match visit.votes().withdraw_policy(account, policy, reason).await {
        Ok(()) => {
            let address = links::policy(policy, &shown.page.title);
            Ok(Answer::see(&format!("{address}?done=withdrawn")))
        }
        Err(not_done) => {
            let field = |code: &str| match code {
                "no_reason" | "others_vote" => "reason",
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

/// The page of the policy, for its owners alone.
async fn own_page(visit: &Visit) -> Result<ShownPage, Failure> {
    let viewer = visit.viewer()?;
    let shown = visit.votes().page_for(viewer.by(), visit.policy()?).await?;
    match shown.page.is_owned_by(viewer.id()) {
        true => Ok(shown),
        false => Err(Failure::NotAllowed),
    }
}

/// What is lost by taking one's votes off.
async fn price(visit: &Visit) -> Result<i64, Failure> {
    let policy = visit.policy()?;
    let held = visit.own_votes(policy);
    if held <= 0 {
        return Ok(0);
    }
    let moves = BTreeMap::from([(policy, -held)]);
    let quote = visit.votes().quote(visit.member()?.account, &moves).await;
    Ok(quote.map_err(Failure::from)?.price())
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let shown = own_page(visit).await?;
    let policy = shown.page.policy;
    check_open(&shown, policy)?;
    let (texts, format) = (&visit.texts.acts, &visit.texts.format);
    let (price, held) = (price(visit).await?, visit.own_votes(policy));
    let board = visit.votes().board().await?;
    let total = board.line(policy).map_or(held, |line| line.facts.total);
    let title = &shown.page.title;
    let heading = (texts.withdraw_of)(title);
    let burned = format.number(price);
    let main = html! {
        div.narrow {
            h1 { (heading) }
            p { a href=(links::policy(policy, title)) { "← " (title) } }
            (mistakes.summary(visit))
            @if total > held && mistakes.is_empty() {
                div.note.is-info { p { (texts.others_vote) } }
            }
            p { (texts.withdraw_more) }
            @if held > 0 {
                p.note.is-price { ((visit.texts.policy.take_told)(&format.number(held), &format.number(held - price), &burned)) }
            }
            form method="post" action=(links::of_policy(policy, "withdraw")) novalidate {
                (forms::token(visit))
                (forms::hidden("price", &price.to_string()))
                (forms::area(Field { name: "reason", label: texts.reason, hint: texts.reason_public, value: visit.form.get("reason"), ..Field::default() }, 3, mistakes))
                p.row {
                    button.btn.is-price {
                        @if price > 0 { ((texts.withdraw_burn)(&burned)) } @else { (texts.withdraw_button) }
                    } " "
                    a.btn href=(links::policy(policy, title)) { (texts.leave_open) }
                }
            }
        }
    };
    let about = About {
        title: &heading,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}
