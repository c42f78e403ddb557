//! Looking at accounts of others, for those who end them and those who answer reports: how one
//! stands, and which signs speak for its being a second one. That somebody looked is in the audit
//! log.

use crate::model::{
    AccountRefusal, By, Case, Day, Ending, NotDone, Role, Target, TargetKind, User, UserId,
    UserState,
};
use crate::ops::judge_case::MOST_CASES;
use crate::rules::names::Email;
use crate::rules::signals::{Signal, score};
use crate::votes::Votes;

/// An account, as those see it who look after accounts. Nothing personal but the name is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminedAccount {
    /// Whose.
    pub user: UserId,
    /// How it stands; it may have ended.
    pub state: UserState,
    /// The name; empty once it has ended.
    pub name: String,
    /// Since when.
    pub joined: Day,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
    /// The signs that it is a second one.
    pub signals: Vec<Signal>,
    /// What they amount to.
    pub score: i64,
    /// The last case about these signs.
    pub case: Option<Case>,
}

impl Votes {
    /// An account, with the signs that it is a second one. It takes the role of editing users, or of
    /// handling reports.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn examine_account(&self, by: By, user: UserId) -> Result<ExaminedAccount, NotDone> {
        self.demand_examining(by).await?;
        let known = self.tables.users.read(user).await?;
        let known = known.filter(|it| it.state != UserState::Joining);
        let known: User = known.ok_or(AccountRefusal::NoSuchUser)?;
        self.note_reading(by, "read_signals", &user.to_string())
            .await?;
        let signals = self.tables.signals.list(user).await?;
        Ok(ExaminedAccount {
            user,
            state: known.state,
            joined: known.joined(),
            name: known.name,
            ending: known.ending,
            score: score(&signals),
            signals,
            case: self.tables.talk.cases.read(Target::Account(user)).await?,
        })
    }

    /// The accounts that signs speak against, the first first; at most [`MOST_CASES`]. It takes the
    /// role of editing users, or of handling reports.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn suspected_accounts(&self, by: By) -> Result<Vec<Case>, NotDone> {
        self.demand_examining(by).await?;
        let mut cases = self.undecided_cases(TargetKind::Account).await?;
        cases.truncate(MOST_CASES);
        Ok(cases)
    }

    /// Whoever has a name now, in any spelling of it, or an e-mail address. It takes the role of
    /// editing users, or, for a name alone, of handling reports.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn find_to_examine(
        &self,
        by: By,
        name_or_email: &str,
    ) -> Result<Option<UserId>, NotDone> {
        match Email::of(name_or_email) {
            Ok(_) => self.demand(by, Role::EditUsers).await?,
            Err(_) => self.demand_examining(by).await?,
        }
        let found = self.find_user(name_or_email).await?;
        Ok(found.map(|user| user.id))
    }

    async fn demand_examining(&self, by: By) -> Result<(), NotDone> {
        match self.demand(by, Role::EditUsers).await {
            Err(NotDone::Refused(_)) => self.demand(by, Role::HandleReports).await,
            demanded => demanded,
        }
    }
}
