//! Finding an account by its whole name or address, for those who look after accounts.

use crate::model::{AccountRefusal, By, Day, NotDone, Role, UserId, UserState};
use crate::votes::Votes;

/// An account, as those who look after it see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAccount {
    /// Who.
    pub user: UserId,
    /// The name as it is shown.
    pub name: String,
    /// The address.
    pub email: String,
    /// Whether the address is confirmed.
    pub state: UserState,
    /// Since when.
    pub joined: Day,
}

impl Votes {
    /// The account that has a name or an address now. It takes the role of editing users.
    ///
    /// # Errors
    /// A refusal, that there is no such account among them, or those of the session.
    pub async fn find_account(&self, by: By, name_or_email: &str) -> Result<FoundAccount, NotDone> {
        self.demand(by, Role::EditUsers).await?;
        let name_or_email = name_or_email.trim();
        let name_or_email = name_or_email.strip_prefix('@').unwrap_or(name_or_email);
        let found = self.find_user(name_or_email).await?;
        let user = found.ok_or(AccountRefusal::NoSuchUser)?;
        Ok(FoundAccount {
            user: user.id,
            joined: user.joined(),
            state: user.state,
            name: user.name,
            email: user.email,
        })
    }
}
