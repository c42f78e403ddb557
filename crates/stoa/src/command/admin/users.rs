//! `stoa admin users`: finding people.

use anyhow::{Result, bail};
use clap::Args;
use stoa_votes::Votes;
use stoa_votes::model::{By, NotDone};

use super::{Common, write_list};

/// People that are listed at most.
const MOST: usize = 200;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    stoa admin users --data town                   the first 200 by name\n  \
    stoa admin users ada@example.org --data town   whose address this is")]
pub(super) struct Arguments {
    /// A whole name or address, or a part of a name; everybody, if nothing is said
    query: Option<String>,
    #[command(flatten)]
    pub(super) common: Common,
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    let query = arguments.query.as_deref().unwrap_or_default();
    match votes.find_account(By::Operator, query).await {
        Ok(found) => {
            let roles = votes.roles(found.user).await?;
            let roles: Vec<&str> = roles
                .into_iter()
                .map(stoa_votes::model::Role::name)
                .collect();
            let row = vec![
                found.user.to_string(),
                found.name,
                found.email,
                found.state.name().to_owned(),
                found.joined.to_string(),
                roles.join(","),
            ];
            let head = ["user", "name", "email", "state", "joined", "roles"];
            write_list(&arguments.common, &head, &[row])
        }
        Err(NotDone::Refused(_)) => some(votes, arguments, query).await,
        Err(error) => Err(error.into()),
    }
}

/// Those in whose names it stands.
async fn some(votes: &Votes, arguments: &Arguments, query: &str) -> Result<()> {
    let query = query.to_lowercase();
    let mut people = votes.tables().users.people().await?;
    people.retain(|it| it.name.to_lowercase().contains(&query));
    people.sort_by(|one, other| one.name.cmp(&other.name));
    if people.is_empty() && !query.is_empty() {
        bail!("nobody has {query:?} in the name, and it is no address that somebody has");
    }
    people.truncate(MOST);
    let rows: Vec<Vec<String>> = people
        .into_iter()
        .map(|it| vec![it.user.to_string(), it.name])
        .collect();
    write_list(&arguments.common, &["user", "name"], &rows)
}
