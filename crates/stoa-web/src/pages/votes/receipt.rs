//! The receipt of a record: where it stands in the public ledger.

use maud::html;
use stoa_votes::ops::receipt::Receipt;

use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /votes/receipts/{seq}`
pub async fn show(visit: Visit) -> Outcome {
    let seq: i64 = visit.param("seq").parse().map_err(|_| Failure::NotFound)?;
    let user = visit.member()?.account.user;
    let receipt = visit
        .votes()
        .receipt(user, seq)
        .await?
        .ok_or(Failure::NotFound)?;
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let title = (texts.receipt_of)(seq);
    let main = html! {
        div.narrow {
            h1 { (title) }
            @match &receipt {
                Receipt::NotYet { day } => p.text { ((texts.receipt_not_yet)(&format.day(*day))) },
                Receipt::Hidden { day, day_hash } => {
                    p.text { ((texts.receipt_hidden)(&format.day(*day))) }
                    p { (texts.day_hash) ": " code { (day_hash) } }
                },
                Receipt::Published { day, line, line_hash, day_hash } => {
                    p.text { (texts.receipt_line) }
                    p { code { (line) } }
                    dl {
                        dt { (texts.day) } dd { (format.day(*day)) }
                        dt { (texts.line_hash) } dd { code { (line_hash) } }
                        dt { (texts.day_hash) } dd { code { (day_hash) } }
                    }
                },
            }
            p { a.btn href="/votes" { (texts.title) } }
        }
    };
    Ok(layout::page(
        &visit,
        About {
            title: &title,
            place: Place::Votes,
            ..About::default()
        },
        main,
    ))
}
