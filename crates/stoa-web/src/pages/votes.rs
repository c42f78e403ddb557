//! One's own votes: where they are, what changing them costs, what was done before.

pub mod ledger;
pub mod own;
pub mod receipt;
pub mod saving;
pub mod sides;
pub mod statement;
pub mod undo;

use std::collections::BTreeMap;

use stoa_votes::model::{NotDone, PolicyId};
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::visit::Frame;

/// What a member has on policies that have not given their votes back.
pub(crate) async fn held(
    frame: &Frame,
    board: &RankingBoard,
) -> Result<BTreeMap<PolicyId, i64>, Failure> {
    let mut held = BTreeMap::new();
    for (policy, position) in &frame.member()?.statement.positions {
        if position.total > 0 && !is_released(frame, board, *policy).await? {
            held.insert(*policy, position.total);
        }
    }
    Ok(held)
}

/// Whether the votes on a policy are free again; what is not listed is looked up.
async fn is_released(
    frame: &Frame,
    board: &RankingBoard,
    policy: PolicyId,
) -> Result<bool, Failure> {
    if let Some(line) = board.line(policy) {
        return Ok(line.state().is_released());
    }
    match frame.votes().page(policy).await {
        Ok(shown) => Ok(shown.standing.state.is_released()),
        Err(NotDone::Refused(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
