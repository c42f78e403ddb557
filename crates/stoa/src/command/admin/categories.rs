//! `stoa admin categories`: listing them, adding one, changing one. None is ever deleted.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use stoa_votes::Votes;
use stoa_votes::model::{By, Category};

use super::{Common, write_done, write_list};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All of them, in their order
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Add one
    Add {
        /// What addresses name it by, for ever: small letters, digits and -
        key: String,
        /// What it is called
        name: String,
        /// What belongs into it
        #[arg(long, value_name = "TEXT", default_value = "")]
        about: String,
        /// Its place in the list; the last one, if nothing is said
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        position: Option<i32>,
        #[command(flatten)]
        common: Common,
    },
    /// Change one; what is not named stays
    Change {
        /// Its key
        key: String,
        /// What it is called from now on
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// What belongs into it
        #[arg(long, value_name = "TEXT")]
        about: Option<String>,
        /// Its place in the list
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        position: Option<i32>,
        #[command(flatten)]
        common: Common,
    },
    /// Keep new policies out of one
    Retire {
        /// Its key
        key: String,
        #[command(flatten)]
        common: Common,
    },
    /// Let new policies into one again
    Use {
        /// Its key
        key: String,
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
    let known = votes.categories().await?;
    let find = |key: &str| {
        let found = known.iter().find(|it| it.key == key).cloned();
        found.with_context(|| format!("there is no category with the key {key:?}"))
    };
    let category = match &arguments.task {
        Task::List { common } => return list(common, &known),
        Task::Add {
            key,
            name,
            about,
            position,
            ..
        } => {
            if find(key).is_ok() {
                bail!("there is a category with the key {key:?} already; see: categories change");
            }
            let last = known.iter().map(|it| it.position).max().unwrap_or(0);
            Category {
                key: key.clone(),
                name: name.clone(),
                description: about.clone(),
                position: position.unwrap_or(last.saturating_add(1)),
                is_active: true,
            }
        }
        Task::Change {
            key,
            name,
            about,
            position,
            ..
        } => {
            let there = find(key)?;
            Category {
                name: name.clone().unwrap_or(there.name),
                description: about.clone().unwrap_or(there.description),
                position: position.unwrap_or(there.position),
                ..there
            }
        }
        Task::Retire { key, .. } => Category {
            is_active: false,
            ..find(key)?
        },
        Task::Use { key, .. } => Category {
            is_active: true,
            ..find(key)?
        },
    };
    votes.put_category(By::Operator, &category).await?;
    let state = if category.is_active {
        "in use"
    } else {
        "retired"
    };
    let told = format!("{}: {}, {state}", category.key, category.name.trim());
    write_done(arguments.common(), &told)
}

fn list(common: &Common, known: &[Category]) -> Result<()> {
    let rows = known.iter().map(|it| {
        let state = if it.is_active { "in use" } else { "retired" };
        let (key, name) = (it.key.clone(), it.name.clone());
        vec![key, name, it.position.to_string(), state.to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    write_list(common, &["key", "name", "position", "state"], &rows)
}
