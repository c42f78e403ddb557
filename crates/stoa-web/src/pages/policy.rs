//! The page of a policy, and the forms on it.

pub mod comment;
pub mod create;
pub mod shown;
pub mod talk;
pub mod versions;
pub mod vote;
pub mod watch;

use std::collections::BTreeMap;

use stoa_votes::model::{NotDone, PolicyId, UserId};
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::visit::Frame;

/// The title of a policy, from the board if it is there.
pub(crate) async fn title(
    frame: &Frame,
    board: &RankingBoard,
    policy: PolicyId,
) -> Result<String, Failure> {
    let page = board.line(policy).and_then(|line| line.facts.page.as_ref());
    if let Some(page) = page {
        return Ok(page.title.clone());
    }
    match frame.votes().page(policy).await {
        Ok(shown) => Ok(shown.page.title),
        Err(NotDone::Refused(_)) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// Names of people, each read once.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<UserId, Option<String>>);

impl Names {
    /// Reads the names of some people.
    pub(crate) async fn read(&mut self, frame: &Frame, people: Vec<UserId>) -> Result<(), Failure> {
        for user in people {
            if self.0.contains_key(&user) {
                continue;
            }
            let name = match frame.votes().user(user).await {
                Ok(user) => Some(user.name),
                Err(NotDone::Refused(_)) => None,
                Err(error) => return Err(error.into()),
            };
            self.0.insert(user, name);
        }
        Ok(())
    }

    /// The name, or what is said of who left.
    pub(crate) fn of<'a>(&'a self, frame: &'a Frame, user: UserId) -> &'a str {
        let known = self.0.get(&user).and_then(Option::as_deref);
        known.unwrap_or(frame.texts.policy.gone_name)
    }
}
