//! Watching a policy, and not any more.

use crate::answer::Answer;
use crate::links;
use crate::route::Outcome;
use crate::visit::Visit;

/// `POST /policies/{policy}/-/watch`
pub async fn submit(visit: Visit) -> Outcome {
    let policy = visit.policy()?;
    let user = visit.member()?.account.user;
    let done = match visit.form.get("watch") {
        "0" => {
            visit.votes().unwatch(user, policy).await?;
            "unwatched"
        }
        _ => {
            visit.votes().watch(user, policy).await?;
            "watching"
        }
    };
    let page = links::policy(policy, "");
    Ok(Answer::see(&format!("{page}?done={done}")))
}
