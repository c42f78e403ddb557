//! `stoa admin roles`: who has which role, giving one and taking one.

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use stoa_types::time_uuid;
use stoa_votes::Votes;
use stoa_votes::model::{By, Role};

use super::{Common, moment, name_of, write_done, write_list};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everybody who has a role, since when and by whom
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Give somebody a role
    Grant(Change),
    /// Take a role from somebody
    Revoke(Change),
}

#[derive(Args)]
struct Change {
    /// The name or the address of the account
    account: String,
    /// The role
    #[arg(value_parser = PossibleValuesParser::new(Role::NAMES.map(|(_, name)| name)))]
    role: String,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    pub(super) fn common(&self) -> &Common {
        match &self.task {
            Task::List { common } => common,
            Task::Grant(change) | Task::Revoke(change) => &change.common,
        }
    }
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    match &arguments.task {
        Task::List { common } => list(votes, common).await,
        Task::Grant(change) => {
            let (account, role) = change.found(votes).await?;
            votes.grant_role(By::Operator, account.user, role).await?;
            let told = format!("{} has the role {}", account.name, role.name());
            write_done(&change.common, &told)
        }
        Task::Revoke(change) => {
            let (account, role) = change.found(votes).await?;
            votes.revoke_role(By::Operator, account.user, role).await?;
            let told = format!("{} does not have the role {}", account.name, role.name());
            write_done(&change.common, &told)
        }
    }
}

impl Change {
    async fn found(
        &self,
        votes: &Votes,
    ) -> Result<(stoa_votes::ops::find_account::FoundAccount, Role)> {
        let account = votes.find_account(By::Operator, &self.account).await;
        let account = account.with_context(|| format!("{:?}", self.account))?;
        let role = Role::of_name(&self.role).context("there is no such role")?;
        Ok((account, role))
    }
}

async fn list(votes: &Votes, common: &Common) -> Result<()> {
    let mut rows = Vec::new();
    for (role, named) in Role::NAMES {
        for grant in votes.grants(role).await? {
            let since = time_uuid::unix_micros(&grant.change).unwrap_or(0);
            rows.push(vec![
                named.to_owned(),
                name_of(votes, grant.user).await?,
                moment(since),
                name_of(votes, grant.changed_by).await?,
            ]);
        }
    }
    write_list(common, &["role", "name", "since", "by"], &rows)
}
