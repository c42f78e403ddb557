//! Roles: giving and taking them, with who did it and when.

use stoa_session::Error;

use super::claim::busy;
use crate::model::{AccountRefusal, By, Happening, HappeningKind, NotDone, Role, UserId};
use crate::tables::moderation::LogEntry;
use crate::tables::roles::Grant;
use crate::votes::Votes;

impl Votes {
    /// Gives a user a role. Only admins may.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn grant_role(&self, by: By, user: UserId, role: Role) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        self.user(user).await?;
        self.change_role(by, user, role, Has::Yes).await
    }

    /// Takes a role from a user. Only admins may.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn revoke_role(&self, by: By, user: UserId, role: Role) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        self.change_role(by, user, role, Has::No).await
    }

    /// Whether a user has a role.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn has_role(&self, user: UserId, role: Role) -> Result<bool, Error> {
        let grant = self.tables.roles.read(role, user).await?;
        Ok(grant.is_some_and(|grant| grant.is_granted))
    }

    /// Every role of a user.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn roles(&self, user: UserId) -> Result<Vec<Role>, Error> {
        let mut roles = Vec::new();
        for (role, _) in Role::NAMES {
            if self.has_role(user, role).await? {
                roles.push(role);
            }
        }
        Ok(roles)
    }

    /// Refuses whoever has neither a role nor that of an admin, or has ended.
    pub(crate) async fn demand(&self, by: By, role: Role) -> Result<(), NotDone> {
        let By::User(user) = by else {
            return Ok(());
        };
        let is_allowed =
            self.has_role(user, role).await? || self.has_role(user, Role::Admin).await?;
        match self.account(user).await {
            Ok(_) if is_allowed => Ok(()),
            Err(NotDone::Unknown(error)) => Err(error.into()),
            Ok(_) | Err(NotDone::Refused(_)) => Err(AccountRefusal::NotAllowed.into()),
        }
    }

    async fn change_role(&self, by: By, user: UserId, role: Role, has: Has) -> Result<(), NotDone> {
        let is_granted = has == Has::Yes;
        for _ in 0..self.settings.attempts {
            let seen = self.tables.roles.read(role, user).await?;
            if let Some(seen) = seen.filter(|seen| seen.is_granted == is_granted) {
                // Whoever changed it may not have come to write it down.
                return Ok(self.log_role(role, &seen).await?);
            }
            if seen.is_none() && !is_granted {
                return Ok(());
            }
            let grant = Grant {
                user,
                is_granted,
                change: self.ids.time_uuid(),
                changed_by: by.id(),
            };
            self.tables
                .roles
                .change(role, seen.as_ref(), &grant)
                .await?;
        }
        Err(busy("the role was changed too often meanwhile").into())
    }

    /// Writes into the public log what became of a role, and tells whom it concerns. Any number of
    /// times.
    async fn log_role(&self, role: Role, grant: &Grant) -> Result<(), Error> {
        let told = Happening {
            id: grant.change,
            policy: None,
            kind: HappeningKind::RoleChanged,
            actor: grant.changed_by,
            about: None,
            detail: role.name().to_owned(),
        };
        self.notify(grant.user, &told).await?;
        let action = match grant.is_granted {
            true => "grant_role",
            false => "revoke_role",
        };
        let entry = LogEntry {
            id: grant.change,
            moderator: grant.changed_by,
            action: action.to_owned(),
            target: grant.user.to_string(),
            reason: role.name().to_owned(),
        };
        self.tables.moderation.write(&entry).await
    }
}

/// Whether a user shall have a role.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Has {
    Yes,
    No,
}
