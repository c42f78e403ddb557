//! The page of a policy, and the forms on it.

pub mod comment;
pub mod comment_own;
pub mod consent;
pub mod create;
pub mod edit;
mod ended;
pub mod report;
pub mod shown;
pub mod tags;
pub mod talk;
pub mod versions;
pub mod vote;
pub mod watch;
pub mod withdraw;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use maud::{Markup, html};
use stoa_votes::model::{NotDone, PolicyId, Role, UserId};
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::links;
use crate::visit::Frame;

/// Whether the viewer has a role, or is an admin.
pub(crate) async fn may(frame: &Frame, role: Role) -> Result<bool, Failure> {
    let Some(viewer) = &frame.viewer else {
        return Ok(false);
    };
    let roles = frame.votes().roles(viewer.id()).await?;
    Ok(roles.contains(&role) || roles.contains(&Role::Admin))
}

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

/// Titles of policies, each read once; an empty one where not everybody may read it.
#[derive(Debug, Default)]
pub(crate) struct Titles(BTreeMap<PolicyId, String>);

impl Titles {
    /// Reads the titles of some policies.
    pub(crate) async fn read(
        &mut self,
        frame: &Frame,
        board: &RankingBoard,
        policies: Vec<PolicyId>,
    ) -> Result<(), Failure> {
        for policy in policies {
            if let Entry::Vacant(entry) = self.0.entry(policy) {
                entry.insert(title(frame, board, policy).await?);
            }
        }
        Ok(())
    }

    /// The title of a policy.
    pub(crate) fn of(&self, policy: PolicyId) -> &str {
        self.0.get(&policy).map_or("", String::as_str)
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

    /// The name of whoever has not left.
    pub(crate) fn known(&self, user: UserId) -> Option<&str> {
        self.0.get(&user).and_then(Option::as_deref)
    }

    /// The name with a way to the page of who has it, or what is said of who left.
    pub(crate) fn link(&self, frame: &Frame, user: UserId) -> Markup {
        html! { @match self.known(user) {
            Some(name) => a href=(links::person(name)) { "@" (name) },
            None => (frame.texts.policy.gone_name),
        } }
    }

    /// The name, or what is said of who left.
    pub(crate) fn of<'a>(&'a self, frame: &'a Frame, user: UserId) -> &'a str {
        self.known(user).unwrap_or(frame.texts.policy.gone_name)
    }
}
