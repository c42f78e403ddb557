//! Who looks at a page: the user behind the cookie, and what there is to spend.

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
    /// The account and what is in it, if the address is confirmed.
    pub member: Option<Member>,
    /// Whether the user was told something that is not read.
    pub has_news: bool,
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
        let has_news = member.is_some() && votes.has_unread(user.id).await?;
        Ok(Some(Self {
            user,
            member,
            has_news,
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
}

/// Refuses whoever may not use a route. Roles are read only where the rule asks for some.
///
/// # Errors
/// That one must sign in first, confirm the address first, or may not; those of the session.
pub async fn check(votes: &Votes, access: Access, viewer: Option<&Viewer>) -> Result<(), Failure> {
    let viewer = match (access, viewer) {
        (Access::Anyone, _) | (Access::SignedIn, Some(_)) => return Ok(()),
        (_, None) => return Err(Failure::SignInFirst),
        (_, Some(viewer)) => viewer,
    };
    if viewer.member.is_none() {
        return Err(Failure::ConfirmFirst);
    }
    let wanted = match access {
        Access::Roles(roles) => roles,
        Access::Admin => &[],
        Access::Anyone | Access::SignedIn | Access::Member => return Ok(()),
    };
    let held = votes.roles(viewer.id()).await?;
    let is_one = |role: &Role| *role == Role::Admin || wanted.contains(role);
    match held.iter().any(is_one) {
        true => Ok(()),
        false => Err(Failure::NotAllowed),
    }
}
