//! Totals of policies as they change, for scripts.

use stoa_votes::model::PolicyId;
use uuid::Uuid;

use crate::answer::Answer;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Served;

/// `GET /live/totals?of=`: identifiers of policies, with commas between them. Those that no list
/// shows are left out.
pub async fn totals(served: Served) -> Outcome {
    let (app, of) = (&served.app, served.query.get("of"));
    let most = app.live.limits().policies;
    let mut policies = Vec::new();
    for id in of.split(',').take(most + 1) {
        policies.push(PolicyId(
            Uuid::try_parse(id).map_err(|_| Failure::BadRequest)?,
        ));
    }
    if policies.len() > most {
        return Err(Failure::TooLarge);
    }
    let board = app.votes.board().await?;
    policies.retain(|policy| board.line(*policy).is_some());
    if policies.is_empty() {
        return Err(Failure::NotFound);
    }
    let events = app.live.listen(&app.votes, served.address, policies)?;
    Ok(Answer::events(events))
}
