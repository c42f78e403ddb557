//! The end of an account: somebody leaves, is voided for fraud, or had two.
//!
//! 1. The user's row: the state is the last one, and what is personal is erased.
//! 2. The chain ends with a record that takes all votes back, and what is kept of the user elsewhere
//!    is erased: logins, what is watched, what was told, signs of second accounts.
//! 3. The name is blocked for 90 days, and the address is free.
//!
//! The first step decides. Claims go last: whoever dies before leaves claims of a user who has
//! ended, and by them the sweep finds what is to be done.

use stoa_session::{Error, ErrorKind};

use super::account::Account;
use super::claim::busy;
use super::submit::{Ask, NotAccepted, Request};
use crate::model::{AccountRefusal, By, Ending, NotDone, Refusal, RequestId, Role};
use crate::model::{User, UserId, UserState};
use crate::rules::claims::{ClaimKind, ClaimState};
use crate::rules::page_text::checked_reason;
use crate::tables::moderation::LogEntry;
use crate::votes::Votes;

impl Votes {
    /// Ends the account of somebody who leaves. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn leave(&self, user: UserId) -> Result<(), NotDone> {
        let ending = self.ending(UserState::Left, By::User(user), "", None);
        self.end_account(user, ending).await
    }

    /// Ends an account for fraud. It takes the role of editing users.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn void_account(&self, by: By, user: UserId, reason: &str) -> Result<(), NotDone> {
        self.demand(by, Role::EditUsers).await?;
        let reason = checked_reason(reason)?;
        let ending = self.ending(UserState::Voided, by, &reason, None);
        self.end_account(user, ending).await
    }

    /// Ends the second account of somebody; the other one stays as it is. It takes the role of
    /// editing users.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn merge_accounts(
        &self,
        by: By,
        surplus: UserId,
        kept: UserId,
        reason: &str,
    ) -> Result<(), NotDone> {
        if surplus == kept {
            return Err(AccountRefusal::SameAccount.into());
        }
        self.demand(by, Role::EditUsers).await?;
        let reason = checked_reason(reason)?;
        self.user(kept).await?;
        let ending = self.ending(UserState::Merged, by, &reason, Some(kept));
        self.end_account(surplus, ending).await
    }

    fn ending(&self, state: UserState, by: By, reason: &str, into: Option<UserId>) -> Ending {
        Ending {
            state,
            id: self.ids.time_uuid(),
            by: by.id(),
            reason: reason.to_owned(),
            into,
        }
    }

    async fn end_account(&self, user: UserId, ending: Ending) -> Result<(), NotDone> {
        for _ in 0..self.settings.attempts {
            let seen = self.tables.users.read(user).await?;
            let seen = seen.filter(|seen| seen.state != UserState::Joining);
            let seen = seen.ok_or(AccountRefusal::NoSuchUser)?;
            if let Some(before) = &seen.ending {
                // It ended so before, perhaps by this very request; or otherwise.
                return match before.state == ending.state && before.into == ending.into {
                    true => Ok(self.finish_ending(&seen).await?),
                    false => Err(AccountRefusal::AccountEnded.into()),
                };
            }
            self.tables.users.end(&seen, &ending).await?;
            let Some(ended) = self.tables.users.read(user).await? else {
                continue;
            };
            if ended.ending.is_some() {
                self.finish_ending(&ended).await?;
                self.give_back(ClaimKind::Email, &seen.email_key).await?;
                self.give_back(ClaimKind::Name, &seen.name_key).await?;
                return Ok(());
            }
        }
        Err(busy("the account changed too often meanwhile").into())
    }

    async fn give_back(&self, kind: ClaimKind, key: &str) -> Result<(), Error> {
        let claim = self.tables.claims.of(kind).read(key).await?;
        if let Some(claim) = claim.filter(|claim| claim.state != ClaimState::Released) {
            self.settle_claim(kind, &claim).await?;
        }
        Ok(())
    }

    /// Takes back all votes of a user who has ended, erases what is kept elsewhere, and writes into
    /// the public log what others did. Any number of times.
    pub(crate) async fn finish_ending(&self, user: &User) -> Result<(), Error> {
        let Some(ending) = &user.ending else {
            return Ok(());
        };
        self.end_chain(user, ending).await?;
        self.erase_traces(user, ending).await?;
        let action = match ending.state {
            UserState::Voided => "void_account",
            UserState::Merged => "merge_accounts",
            // Who leaves is nobody's business.
            _ => return Ok(()),
        };
        let entry = LogEntry {
            id: ending.id,
            moderator: ending.by,
            action: action.to_owned(),
            target: user.id.to_string(),
            reason: ending.reason.clone(),
        };
        self.tables.moderation.write(&entry).await
    }

    /// Erases what tables of their own keep of a user. What somebody is told after this is not
    /// written, since the state is the last one by now.
    async fn erase_traces(&self, user: &User, ending: &Ending) -> Result<(), Error> {
        let (id, tables) = (user.id, &self.tables);
        let now = self.clock.now_micros().max(ending.at_micros());
        tables.logins.forget(id, now).await?;
        tables.watching.forget(id, now).await?;
        tables.happenings.forget(id, now).await?;
        tables.origins.forget(id, user.created_micros, now).await?;
        tables.signals.forget(id, now).await
    }

    async fn end_chain(&self, user: &User, ending: &Ending) -> Result<(), Error> {
        let account = Account {
            user: user.id,
            joined: user.joined(),
        };
        for _ in 0..self.settings.attempts {
            let (tip, chain) = self.chain(user.id).await?;
            if chain.ledger.has_ended {
                return Ok(());
            }
            // A new request each time: a chain ends once, whoever asks for it.
            let request = Request {
                id: RequestId(self.ids.uuid()),
                basis: tip.head,
                ask: Ask::End,
                actor: ending.by,
            };
            match self.submit(account, &request).await {
                Ok(accepted) => return self.sync(user.id, accepted).await,
                Err(NotAccepted::Refused(Refusal::AccountEnded)) => return Ok(()),
                Err(NotAccepted::Unknown(error)) => return Err(error),
                Err(NotAccepted::Stale(_)) => {}
                // Such as that the instance's clock is off.
                Err(
                    refused @ (NotAccepted::Refused(_)
                    | NotAccepted::RefusedBefore { .. }
                    | NotAccepted::Page(_)),
                ) => {
                    let kind = ErrorKind::Unavailable;
                    return Err(Error::not_applied(kind, refused.to_string()));
                }
            }
        }
        Err(busy("the votes changed too often meanwhile"))
    }
}
