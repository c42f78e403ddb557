//! What three of the tasks need of whoever runs them: a server for mail, a folder for the index of
//! words, and one for the public ledger.
//!
//! The site has no default. Links of letters begin with its address, and a letter that was sent with
//! a wrong one is not sent again.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use stoa_mail::Language;
use stoa_session::uri::PasswordSource;
use stoa_tasks::Task;
use stoa_votes::Votes;
use stoa_votes::ops::search::SearchIndex;
use stoa_votes::tasks::catalog::{catalog, described};
use stoa_votes::tasks::refresh_search::search_task;
use stoa_votes::tasks::send_mail::mail_task;
use stoa_votes::tasks::write_export::export_task;

use super::ledger_folder::LedgerFolder;
use super::mail_out::{MailSettings, Mailer, language};

/// What is only shown, and runs no task.
const SHOWN: [&str; 3] = ["list", "runs", "log"];

#[derive(Args)]
pub(super) struct Equipment {
    /// The server that takes mail: `smtps://USER@HOST:PORT`, `smtp://USER@HOST:PORT` (STARTTLS) or
    /// `smtp+plain://HOST:PORT`
    #[arg(long, value_name = "URI", requires = "site", conflicts_with_all = SHOWN)]
    mail: Option<String>,
    /// The address that links in mail begin with, such as `https://votes.example.org`
    #[arg(long, value_name = "URL", requires = "mail")]
    site: Option<String>,
    /// What mail calls the site; the host of its address, if nothing is said
    #[arg(long, value_name = "NAME", requires = "mail")]
    site_name: Option<String>,
    /// Who mail is from; noreply at the host of the site, if nothing is said
    #[arg(long, value_name = "ADDRESS", requires = "mail")]
    mail_from: Option<String>,
    /// The variable that holds the password for mail
    #[arg(long, value_name = "NAME", requires = "mail")]
    mail_password_env: Option<String>,
    /// The file whose first line is the password for mail
    #[arg(long, value_name = "FILE", requires = "mail")]
    #[arg(conflicts_with = "mail_password_env")]
    mail_password_file: Option<PathBuf>,
    /// The language of mail, en or de; en, if nothing is said
    #[arg(long, value_name = "LANGUAGE", requires = "mail", value_parser = language)]
    mail_language: Option<Language>,
    /// The folder of the index of words, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with_all = SHOWN)]
    index: Option<PathBuf>,
    /// The folder that the public ledger is written into as `ledger.jsonl`; it is made if it is not
    /// there
    #[arg(long, value_name = "DIR", conflicts_with_all = SHOWN)]
    export: Option<PathBuf>,
}

impl Equipment {
    /// Every task that can be run with this.
    pub(super) fn tasks(&self, votes: Votes) -> Result<Vec<Arc<dyn Task>>> {
        let votes = Arc::new(votes);
        let mut tasks = catalog(&votes);
        if let Some(uri) = &self.mail {
            tasks.push(mail_task(&votes, Arc::new(self.mailer(uri)?)));
        }
        if let Some(folder) = &self.index {
            let index = SearchIndex::open(folder);
            let index =
                index.with_context(|| format!("cannot open the index in {}", folder.display()))?;
            tasks.push(search_task(&votes, Arc::new(index)));
        }
        if let Some(folder) = &self.export {
            let folder = LedgerFolder::open(folder).context("--export")?;
            tasks.push(export_task(&votes, Arc::new(folder)));
        }
        Ok(tasks)
    }

    /// The task of a name, with this.
    pub(super) fn task(&self, votes: Votes, name: &str) -> Result<Arc<dyn Task>> {
        let tasks = self.tasks(votes)?;
        if let Some(task) = tasks.into_iter().find(|task| task.name() == name) {
            return Ok(task);
        }
        match name {
            "votes.send_mail" => {
                bail!("{name} needs a server for mail: name one with --mail URI --site URL")
            }
            "votes.refresh_search" => {
                bail!("{name} needs an index of words: name its folder with --index DIR")
            }
            "votes.write_export" => {
                bail!("{name} needs a folder for the ledger: name one with --export DIR")
            }
            _ if described().any(|task| task.name == name) => {
                bail!("{name} cannot be run by this command")
            }
            _ => bail!("there is no task {name:?}; --list shows them all"),
        }
    }

    fn mailer(&self, uri: &str) -> Result<Mailer> {
        let Some(site) = self.site.as_deref() else {
            bail!("--mail needs --site URL, which links in mail begin with");
        };
        let settings = MailSettings {
            server: uri,
            site,
            site_name: self.site_name.as_deref(),
            from: self.mail_from.as_deref(),
            language: self.mail_language.unwrap_or_default(),
            password: self.password_source(),
        };
        settings.mailer()
    }

    fn password_source(&self) -> Option<PasswordSource> {
        let variable = self.mail_password_env.clone();
        let file = self.mail_password_file.clone();
        variable
            .map(PasswordSource::Environment)
            .or_else(|| file.map(PasswordSource::File))
    }
}
