//! Watching a policy, and not any more.

use super::shown;
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `POST /policies/{policy}/-/watch`
pub async fn submit(visit: Visit) -> Outcome {
    match done(&visit).await {
        Ok(done) => {
            let page = links::policy(visit.policy()?, "");
            Ok(Answer::see(&format!("{page}?done={done}")))
        }
        Err(failure) => shown::refused(&visit, failure, |_| "").await,
    }
}

async fn done(visit: &Visit) -> Result<&'static str, Failure> {
    let policy = visit.policy()?;
    let user = visit.member()?.account.user;
    match visit.form.get("watch") {
        "1" => {
            visit.votes().watch(user, policy).await?;
            Ok("watching")
        }
        "0" => {
            visit.votes().unwatch(user, policy).await?;
            Ok("unwatched")
        }
        _ => Err(Failure::BadRequest),
    }
}
