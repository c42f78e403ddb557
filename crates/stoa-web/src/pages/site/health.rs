//! What machines ask: whether the instance is well, and what it counted.

use stoa_votes::model::PolicyId;
use uuid::Uuid;

use crate::answer::Answer;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Served;

/// `GET /healthz`: whether the database answers.
pub async fn healthz(served: Served) -> Outcome {
    match served.app.votes.standing(PolicyId(Uuid::nil())).await {
        Ok(_) => Ok(Answer::of("text/plain; charset=utf-8", b"ok\n".to_vec())),
        Err(error) => Err(Failure::Unknown(error.to_string())),
    }
}

/// `GET /metrics`
pub async fn metrics(served: Served) -> Outcome {
    let text = served.app.metrics.text();
    Ok(Answer::of(
        "text/plain; version=0.0.4; charset=utf-8",
        text.into_bytes(),
    ))
}
