//! `stoa admin outbox`: mail that waits, what became of the rest, and the link of one mail, to hand it
//! out where no server sends mail.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use stoa_types::{Clock as _, SystemClock};
use stoa_votes::Votes;
use stoa_votes::model::{By, Day};
use stoa_votes::ops::read_outbox::Which;
use stoa_votes::tables::outbox::{Delivery, Mail};
use uuid::Uuid;

use super::{Common, moment, write_done, write_list};

/// For how many days mail is kept.
const DAYS: i32 = 7;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Mail of the last week
    List {
        /// Which of it
        #[arg(long, value_enum, default_value_t = Kind::Waiting)]
        which: Kind,
        /// Of one day alone
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
        day: Option<Day>,
        #[command(flatten)]
        common: Common,
    },
    /// One mail that waits, with its link. That it was read is written into the audit log
    Show {
        /// Its identifier, as in the list
        mail: Uuid,
        /// The address that people use, for the link
        #[arg(long, value_name = "URL", default_value = "")]
        site: String,
        #[command(flatten)]
        common: Common,
    },
}

/// Which mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Waiting,
    Sent,
    Failed,
    All,
}

impl Arguments {
    pub(super) fn common(&self) -> &Common {
        match &self.task {
            Task::List { common, .. } | Task::Show { common, .. } => common,
        }
    }
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    let today = Day::of_micros(SystemClock::new().now_micros());
    match &arguments.task {
        Task::List { which, day, common } => {
            let days = match day {
                Some(day) => (*day, *day),
                None => (today.plus(-DAYS), today.next()),
            };
            list(votes, common, *which, days).await
        }
        Task::Show { mail, site, common } => show(votes, common, *mail, site, today).await,
    }
}

async fn list(
    votes: &Votes,
    common: &Common,
    which: Kind,
    (first, last): (Day, Day),
) -> Result<()> {
    let which = match which {
        Kind::Waiting => Which::Waiting,
        Kind::Sent => Which::Sent,
        Kind::Failed => Which::Failed,
        Kind::All => Which::All,
    };
    let mut mails = Vec::new();
    for day in first.through(last) {
        let mut after = None;
        loop {
            let page = votes.outbox(By::Operator, day, which, after).await?;
            mails.extend(page.mails);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    mails.sort_by_key(|it| (it.created_micros, it.id));
    let rows = mails.into_iter().map(|it| {
        let state = match it.delivery {
            None => "waiting",
            Some(Delivery::Sent) => "sent",
            Some(Delivery::Failed) => "failed",
        };
        vec![
            it.id.to_string(),
            moment(it.created_micros),
            state.to_owned(),
            it.attempts.to_string(),
            it.kind,
            it.recipient.unwrap_or_default(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let head = ["mail", "written", "state", "tries", "kind", "to"];
    write_list(common, &head, &rows)?;
    if rows.is_empty() && !common.json {
        write_done(common, "no such mail")?;
    }
    Ok(())
}

async fn show(votes: &Votes, common: &Common, id: Uuid, site: &str, today: Day) -> Result<()> {
    for day in today.plus(-DAYS).through(today.next()) {
        if let Some(mail) = votes.read_mail(By::Operator, day, id).await? {
            return write_mail(common, &mail, site.trim_end_matches('/'));
        }
    }
    bail!("no mail {id} waits; see: stoa admin outbox list")
}

fn write_mail(common: &Common, mail: &Mail, site: &str) -> Result<()> {
    let page = match mail.kind.as_str() {
        "verify_email" => Some("/verify-email"),
        "reset_password" => Some("/reset-password"),
        "change_address" => Some("/confirm-address"),
        _ => None,
    };
    let token = mail.fields.get("token");
    let link = page.zip(token);
    let link = link.map(|(page, token)| format!("{site}{page}?token={token}"));
    let fields = mail.fields.iter().filter(|(name, _)| *name != "token");
    let mut rows = vec![
        vec!["to".to_owned(), mail.recipient.clone()],
        vec!["kind".to_owned(), mail.kind.clone()],
        vec!["written".to_owned(), moment(mail.created_micros)],
    ];
    rows.extend(fields.map(|(name, value)| vec![name.clone(), value.clone()]));
    rows.extend(link.map(|link| vec!["link".to_owned(), link]));
    if common.json {
        let fields = rows.into_iter().filter_map(|row| {
            let [name, value] = <[String; 2]>::try_from(row).ok()?;
            Some((name, json!(value)))
        });
        let object: serde_json::Map<String, serde_json::Value> = fields.collect();
        return super::write_object(&object);
    }
    write_list(common, &["", ""], &rows)
}

fn day(text: &str) -> Result<Day> {
    Day::parse(text).context("write a day as 2027-01-04")
}
