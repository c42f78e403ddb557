//! `stoa admin parties`: listing them, adding one, changing one. A community begins without any.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use stoa_types::{Ids as _, SystemIds};
use stoa_votes::Votes;
use stoa_votes::model::{By, Party};

use super::{Common, write_done, write_list};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All of them, by name
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Add one
    Add {
        /// What it is called
        name: String,
        /// What it stands for
        #[arg(long, value_name = "TEXT", default_value = "")]
        about: String,
        #[command(flatten)]
        common: Common,
    },
    /// Change one; what is not named stays
    Change {
        /// Its name or its identifier
        party: String,
        /// What it is called from now on
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// What it stands for
        #[arg(long, value_name = "TEXT")]
        about: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Keep new policies from naming one
    Retire {
        /// Its name or its identifier
        party: String,
        #[command(flatten)]
        common: Common,
    },
    /// Let new policies name one again
    Use {
        /// Its name or its identifier
        party: String,
        #[command(flatten)]
        common: Common,
    },
}

impl Arguments {
    pub(super) fn common(&self) -> &Common {
        match &self.task {
            Task::List { common }
            | Task::Add { common, .. }
            | Task::Change { common, .. }
            | Task::Retire { common, .. }
            | Task::Use { common, .. } => common,
        }
    }
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    let known = votes.parties().await?;
    let find = |named: &str| {
        let is_it = |it: &&Party| it.name == named || it.party.to_string() == named;
        let found = known.iter().find(is_it).cloned();
        found.with_context(|| format!("there is no party {named:?}"))
    };
    let party = match &arguments.task {
        Task::List { common } => return list(common, &known),
        Task::Add { name, about, .. } => {
            if find(name).is_ok() {
                bail!("there is a party {name:?} already; see: parties change");
            }
            Party {
                party: SystemIds::new().uuid(),
                name: name.clone(),
                description: about.clone(),
                is_active: true,
            }
        }
        Task::Change {
            party, name, about, ..
        } => {
            let there = find(party)?;
            Party {
                name: name.clone().unwrap_or(there.name),
                description: about.clone().unwrap_or(there.description),
                ..there
            }
        }
        Task::Retire { party, .. } => Party {
            is_active: false,
            ..find(party)?
        },
        Task::Use { party, .. } => Party {
            is_active: true,
            ..find(party)?
        },
    };
    votes.put_party(By::Operator, &party).await?;
    let state = if party.is_active { "in use" } else { "retired" };
    let told = format!("{}: {}, {state}", party.party, party.name.trim());
    write_done(arguments.common(), &told)
}

fn list(common: &Common, known: &[Party]) -> Result<()> {
    let rows = known.iter().map(|it| {
        let state = if it.is_active { "in use" } else { "retired" };
        let party = it.party.to_string();
        vec![party, it.name.clone(), state.to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    write_list(common, &["party", "name", "state"], &rows)
}
