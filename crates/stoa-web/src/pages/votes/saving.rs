//! Saving a change of votes.

use std::collections::BTreeMap;

use stoa_votes::model::{PolicyId, RequestId, VoteVersion};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};

use crate::metrics::{Counter, VoteEnd};
use crate::visit::Frame;

/// Moves votes, and lets everybody see it. Once it is accepted it is saved: what is left to do then
/// is done by a task, if this cannot.
///
/// # Errors
/// Why it is not known to be saved.
pub(crate) async fn save(
    frame: &Frame,
    account: Account,
    basis: Option<VoteVersion>,
    id: RequestId,
    moves: BTreeMap<PolicyId, i64>,
) -> Result<(), NotAccepted> {
    ask(frame, account, basis, id, Ask::Move(moves)).await
}

/// The same with anything else that is asked for.
///
/// # Errors
/// Why it is not known to be saved.
pub(crate) async fn ask(
    frame: &Frame,
    account: Account,
    basis: Option<VoteVersion>,
    id: RequestId,
    ask: Ask,
) -> Result<(), NotAccepted> {
    let actor = account.user;
    let request = Request {
        id,
        basis,
        ask,
        actor,
    };
    let submitted = frame.votes().submit(account, &request).await;
    frame.app.metrics.add(Counter::Votes(match &submitted {
        Ok(_) => VoteEnd::Accepted,
        Err(NotAccepted::Stale(_)) => VoteEnd::Stale,
        Err(NotAccepted::Unknown(_)) => VoteEnd::Unknown,
        Err(_) => VoteEnd::Refused,
    }));
    let accepted = submitted?;
    if let Err(error) = frame.votes().sync(actor, accepted).await {
        tracing::warn!(request = %frame.id, %error, "saved votes are counted later");
    }
    frame.app.live.voted();
    Ok(())
}
