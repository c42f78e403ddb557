//! Votes put on a policy or taken back. What costs something is shown with its price first, and done
//! only for that price.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RequestId, VoteVersion};
use stoa_votes::ops::quote::Quote;
use stoa_votes::ops::submit::NotAccepted;
use uuid::Uuid;

use super::{shown, title};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::pages::votes::saving;
use crate::pages::votes::sides::{Side, both};
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// What is no number of votes, among the codes of refusals.
const BAD_NUMBER: &str = "bad_number";

/// `POST /policies/{policy}/-/votes`
pub async fn submit(visit: Visit) -> Outcome {
    match put(&visit).await {
        Err(failure) => shown::refused(&visit, failure, |code| field_of(&visit, code)).await,
        done => done,
    }
}

/// The field of the page of a policy that a refusal is about.
fn field_of(visit: &Visit, code: &str) -> &'static str {
    match code {
        "overdraft" | "too_many_votes" | "too_few_on_policy" | "nothing_to_do" | BAD_NUMBER => {
            match visit.form.find("take") {
                Some(_) => "take",
                None => "total",
            }
        }
        _ => "",
    }
}

async fn put(visit: &Visit) -> Outcome {
    let policy = visit.policy()?;
    let here = visit.own_votes(policy);
    if visit.form.find("step").is_some() {
        // Without scripts the buttons beside the number come here.
        let by = visit.form.number::<i64>("step");
        let by = by.ok_or(Failure::BadRequest)?;
        let total = visit.form.number::<i64>("total").unwrap_or(here);
        let total = total.saturating_add(by).max(0);
        let page = links::policy(policy, "");
        return Ok(Answer::see(&format!("{page}?total={total}#f-total")));
    }
    let change = asked(visit, here).ok_or_else(|| Failure::Refused {
        code: BAD_NUMBER.to_owned(),
        message: visit.texts.policy.bad_votes.to_owned(),
    })?;
    let basis = basis(visit.form.get("basis"));
    let request = visit.request();
    let moves = BTreeMap::from([(policy, change)]);
    let account = visit.member()?.account;
    if change < 0 {
        let quote = visit
            .votes()
            .quote(account, &moves)
            .await
            .map_err(Failure::from)?;
        let agreed = visit.form.number::<i64>("price");
        let is_stale = basis != visit.member()?.statement.basis;
        // A form whose state has passed saves nothing new, but the same form may have saved before.
        let may_be_answered = is_stale && agreed.is_some();
        if quote.price() != 0 && agreed != Some(quote.price()) && !may_be_answered {
            return confirm(visit, policy, change, &quote, is_stale).await;
        }
    }
    match saving::save(visit, account, basis, request, moves.clone()).await {
        Ok(()) => Ok(Answer::see(&format!(
            "{}?saved=1",
            links::policy(policy, "")
        ))),
        Err(NotAccepted::Stale(_)) => {
            let quote = visit
                .votes()
                .quote(account, &moves)
                .await
                .map_err(Failure::from)?;
            confirm(visit, policy, change, &quote, true).await
        }
        Err(not_accepted) => Err(not_accepted.into()),
    }
}

/// How many votes more or less the form asks for: the same, however often it is sent. A total is
/// meant for what there was when the form was made.
fn asked(visit: &Visit, here: i64) -> Option<i64> {
    let form = &visit.form;
    if form.find("add").is_some() {
        return form.number::<i64>("add").filter(|more| *more > 0);
    }
    if form.find("take").is_some() {
        let taken = form.number::<i64>("take").filter(|taken| *taken > 0)?;
        return Some(-taken);
    }
    let total = form.number::<i64>("total").filter(|total| *total >= 0)?;
    total.checked_sub(form.number("here").unwrap_or(here))
}

/// The state that a form was made for.
pub(crate) fn basis(text: &str) -> Option<VoteVersion> {
    Uuid::try_parse(text).ok().map(VoteVersion)
}

/// The state as it stands in a form.
pub(crate) fn basis_text(basis: Option<VoteVersion>) -> String {
    basis.map_or(String::new(), |basis| basis.to_string())
}

/// The page that shows the price, on the button that pays it; also where votes were changed
/// elsewhere since the form was made.
async fn confirm(
    visit: &Visit,
    policy: PolicyId,
    change: i64,
    quote: &Quote,
    is_conflict: bool,
) -> Outcome {
    let board = visit.votes().board().await?;
    let name = title(visit, &board, policy).await?;
    let texts = &visit.texts.policy;
    let heading = if is_conflict {
        visit.texts.votes.changed
    } else {
        texts.take_title
    };
    let here = quote.before.positions.get(&policy).map_or(0, |it| it.total);
    let before = visit.form.number::<i64>("here");
    let side = Side {
        title: name.clone(),
        before,
        now: here,
        wanted: before.and_then(|before| before.checked_add(change)),
    };
    let format = &visit.texts.format;
    let main = html! {
        div.narrow {
            h1 { (heading) }
            p.name { a href=(links::policy(policy, &name)) { (name) } }
            @if is_conflict {
                div.note.is-info role="alert" tabindex="-1" autofocus {
                    p { (visit.texts.votes.changed_here) }
                    (both(visit, &[side]))
                }
            }
            p { (texts.on_this) ": " b.num { (format.number(here)) } " → " b.num { (format.number(here + change)) } }
            @if change < 0 { (price(visit, change, quote)) }
            form.row method="post" action=(links::of_policy(policy, "votes")) {
                (forms::token(visit))
                (ask(quote.before.basis, visit.new_request()))
                (forms::hidden("here", &here.to_string()))
                (forms::hidden("price", &quote.price().to_string()))
                @if change < 0 {
                    (forms::hidden("take", &(-change).to_string()))
                    button.btn.is-price {
                        ((texts.take_button)(&format.number(-change), &format.number(quote.price())))
                    }
                } @else {
                    (forms::hidden("add", &change.to_string()))
                    button.btn.go { (visit.texts.votes.go_on) }
                }
                " " a.btn href=(links::policy(policy, &name)) { (texts.keep_them) }
            }
        }
    };
    let answer = layout::page(
        visit,
        About {
            title: heading,
            ..About::default()
        },
        main,
    );
    Ok(if is_conflict {
        answer.with_status(409)
    } else {
        answer
    })
}

fn price(frame: &Frame, change: i64, quote: &Quote) -> Markup {
    let format = &frame.texts.format;
    let back = quote.balance - quote.before.balance;
    let told = (frame.texts.policy.take_told)(
        &format.number(-change),
        &format.number(back),
        &format.number(quote.price()),
    );
    html! { p.note.is-price { (told) } }
}

/// What every form about votes carries: the state that it is made for, and its name.
pub(crate) fn ask(basis: Option<VoteVersion>, request: RequestId) -> Markup {
    html! {
        (forms::hidden("basis", &basis_text(basis)))
        (forms::hidden("request", &request.to_string()))
    }
}
