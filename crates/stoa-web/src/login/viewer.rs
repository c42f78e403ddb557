//! Who looks at a page: the user behind the cookie, the roles, and what there is to spend.

use stoa_votes::Votes;
use stoa_votes::model::{By, NotDone, Role, User, UserId, UserState};
use stoa_votes::ops::account::{Account, Statement};
use stoa_votes::rules::secrets::Secret;

use crate::error::Failure;
use crate::route::Access;

/// Somebody who is signed in.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// The user.
    pub user: User,
    /// What the user may do beyond what all may.
    pub roles: Vec<Role>,
    /// The account and what is in it, if the address is confirmed.
    pub member: Option<Member>,
}

/// Somebody who may vote.
#[derive(Debug, Clone)]
pub struct Member {
    /// The account.
    pub account: Account,
    /// What is in it.
    pub statement: Statement,
}

impl Viewer {
    /// Whoever a cookie belongs to; nobody, if it is not good any more.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_cookie(votes: &Votes, cookie: &str) -> Result<Option<Self>, Failure> {
        let user = match votes.signed_in(&Secret::shown(cookie)).await {
            Ok(user) => user,
            Err(NotDone::Refused(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let member = match user.state {
            UserState::Active => {
                let joined = user.joined();
                let account = Account {
                    user: user.id,
                    joined,
                };
                let statement = votes.statement(account).await?;
                Some(Member { account, statement })
            }
            _ => None,
        };
        let roles = votes.roles(user.id).await?;
        Ok(Some(Self {
            user,
            roles,
            member,
        }))
    }

    /// Who.
    #[must_use]
    pub fn id(&self) -> UserId {
        self.user.id
    }

    /// Who, where the domain asks who acts.
    #[must_use]
    pub fn by(&self) -> By {
        By::User(self.user.id)
    }

    /// Whether the user has one of these roles, or is an admin.
    #[must_use]
    pub fn has_any(&self, roles: &[Role]) -> bool {
        let is_one = |role: &Role| *role == Role::Admin || roles.contains(role);
        self.member.is_some() && self.roles.iter().any(is_one)
    }
}

/// Refuses whoever may not use a route.
///
/// # Errors
/// That one must sign in first, confirm the address first, or may not.
pub fn check(access: Access, viewer: Option<&Viewer>) -> Result<(), Failure> {
    let viewer = match (access, viewer) {
        (Access::Anyone, _) | (Access::SignedIn, Some(_)) => return Ok(()),
        (_, None) => return Err(Failure::SignInFirst),
        (_, Some(viewer)) => viewer,
    };
    if viewer.member.is_none() {
        return Err(Failure::ConfirmFirst);
    }
    let is_allowed = match access {
        Access::Roles(roles) => viewer.has_any(roles),
        Access::Admin => viewer.has_any(&[]),
        Access::Anyone | Access::SignedIn | Access::Member => true,
    };
    match is_allowed {
        true => Ok(()),
        false => Err(Failure::NotAllowed),
    }
}
