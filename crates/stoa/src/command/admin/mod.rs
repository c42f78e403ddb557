//! `stoa admin`: what whoever runs a community does with it beside the web app, on the embedded
//! database or on a cluster. It acts as the operator, who may do everything; what it does stands in
//! the logs as such.

mod categories;
mod config;
mod first_admin;
mod outbox;
mod parties;
mod roles;
mod tasks;
mod users;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use stoa_session::{BackEnd, Session};
use stoa_votes::Votes;
use stoa_votes::model::{NotDone, UserId};

use super::votes;
use crate::connect::{self, InUse, Place};
use crate::terminal;

#[derive(Args)]
#[command(
    long_about = "Administer a community: people, roles, what holds, categories, parties, mail that waits, background tasks.\n\n\
        An embedded folder belongs to one process. While `stoa serve` has it, the same is done on the pages under \
        /admin; on a cluster, both work at once.",
    after_help = "Examples:\n  \
        stoa admin first-admin ada --data town         make the account of ada the first admin\n  \
        stoa admin users ada@example.org --data town   who has this name or address\n  \
        stoa admin roles grant ada merge_policies --data town\n  \
        stoa admin config set --from next --salary 120 --data town\n  \
        stoa admin categories add transport Transport --data town\n  \
        stoa admin outbox list --data town             mail that waits for a server\n  \
        stoa admin tasks --store cql://127.0.0.1/stoa_votes --json"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Find people by their whole name or address, or by a part of the name
    Users(users::Arguments),
    /// Who may do what beyond what all may
    Roles(roles::Arguments),
    /// Make somebody the first admin of a community that has none
    FirstAdmin(first_admin::Arguments),
    /// What holds: votes each period, prices, and from when
    Config(config::Arguments),
    /// What policies are sorted into
    Categories(categories::Arguments),
    /// Who can stand behind policies
    Parties(parties::Arguments),
    /// Mail that waits, and what became of the rest
    Outbox(outbox::Arguments),
    /// How each background task ran last, and which instances live
    Tasks(tasks::Arguments),
}

/// Where the community is, and how answers are written.
#[derive(Args)]
struct Common {
    #[command(flatten)]
    place: Place,
    /// The keyspace of the community
    #[arg(long, value_name = "NAME", default_value = votes::KEYSPACE)]
    keyspace: String,
    /// Print JSON: one object for each line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let task = &arguments.task;
    connect::runtime()?.block_on(act(task, common(task)))?;
    Ok(ExitCode::SUCCESS)
}

fn common(task: &Task) -> &Common {
    match task {
        Task::Users(arguments) => &arguments.common,
        Task::Roles(arguments) => arguments.common(),
        Task::FirstAdmin(arguments) => &arguments.common,
        Task::Config(arguments) => arguments.common(),
        Task::Categories(arguments) => arguments.common(),
        Task::Parties(arguments) => arguments.common(),
        Task::Outbox(arguments) => arguments.common(),
        Task::Tasks(arguments) => &arguments.common,
    }
}

async fn act(task: &Task, common: &Common) -> Result<()> {
    let Some(back_end) = common.place.existing()? else {
        bail!("say where the community is: --data DIR, or --store URI");
    };
    let connection = connect::back_end(&back_end).await;
    let connection = connection.map_err(|error| advised(error, &back_end))?;
    let session = Arc::clone(&connection.session);
    let done = on(task, session, common).await;
    // What was acknowledged is safe whether this goes well or not.
    let closed = connection.close();
    done.and(closed)
}

async fn on(task: &Task, session: Arc<dyn Session>, common: &Common) -> Result<()> {
    let votes = votes::open(Arc::clone(&session), &common.keyspace).await?;
    match task {
        Task::Users(arguments) => users::run(&votes, arguments).await,
        Task::Roles(arguments) => roles::run(&votes, arguments).await,
        Task::FirstAdmin(arguments) => first_admin::run(&votes, arguments).await,
        Task::Config(arguments) => config::run(&votes, arguments).await,
        Task::Categories(arguments) => categories::run(&votes, arguments).await,
        Task::Parties(arguments) => parties::run(&votes, arguments).await,
        Task::Outbox(arguments) => outbox::run(&votes, arguments).await,
        Task::Tasks(arguments) => tasks::run(session, arguments).await,
    }
}

/// Says what to do about a folder that another process has.
fn advised(error: anyhow::Error, back_end: &BackEnd) -> anyhow::Error {
    match (error.is::<InUse>(), back_end) {
        (true, BackEnd::File(folder)) => anyhow!(
            "another process has {} open. If that is `stoa serve`, do this on its pages under \
             /admin, or stop it first",
            folder.display()
        ),
        _ => error,
    }
}

/// Writes a table for people, or an object of JSON for each line.
fn write_list(common: &Common, head: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if common.json {
        for row in rows {
            let fields = head.iter().zip(row);
            let fields =
                fields.map(|(name, value)| (name.replace(' ', "_"), value.as_str().into()));
            let object: serde_json::Map<String, serde_json::Value> = fields.collect();
            writeln!(out, "{}", serde_json::Value::from(object))?;
        }
        return Ok(());
    }
    let head = head.iter().map(|name| (*name).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().cloned()).collect();
    write!(out, "{}", terminal::list(&all))?;
    Ok(())
}

/// Writes one object of JSON.
fn write_object(object: &serde_json::Map<String, serde_json::Value>) -> Result<()> {
    let text = serde_json::to_string(object)?;
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Writes what was done.
fn write_done(common: &Common, told: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match common.json {
        true => writeln!(out, "{}", serde_json::json!({ "done": told }))?,
        false => writeln!(out, "{told}")?,
    }
    Ok(())
}

/// Somebody's name; whoever runs the program has none.
async fn name_of(votes: &Votes, user: UserId) -> Result<String> {
    if user.0.is_nil() {
        return Ok("operator".to_owned());
    }
    match votes.user(user).await {
        Ok(user) => Ok(user.name),
        Err(NotDone::Refused(_)) => Ok(format!("{user} (gone)")),
        Err(error) => Err(error.into()),
    }
}

/// A moment, as dates are written everywhere here.
fn moment(micros: i64) -> String {
    let at = chrono::DateTime::from_timestamp_micros(micros);
    at.map_or_else(String::new, |at| at.format("%Y-%m-%d %H:%M").to_string())
}
