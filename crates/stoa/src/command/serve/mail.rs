//! By which server the mail of the outbox is sent. Without one it stays there, where admins see it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use stoa_mail::Language;
use stoa_session::uri::PasswordSource;

use crate::command::votes::tasks::mail_out::{MailSettings, Mailer, language};

#[derive(Args, Default)]
pub(super) struct MailOptions {
    /// The server that takes mail: `smtps://USER@HOST:PORT`, `smtp://USER@HOST:PORT` (STARTTLS) or
    /// `smtp+plain://HOST:PORT`; without one mail stays in the outbox
    #[arg(long, value_name = "URI")]
    pub(super) mail: Option<String>,
    /// Who mail is from; noreply at the host of the site, if nothing is said
    #[arg(long, value_name = "ADDRESS")]
    pub(super) mail_from: Option<String>,
    /// The variable that holds the password for mail
    #[arg(long, value_name = "NAME")]
    pub(super) mail_password_env: Option<String>,
    /// The file whose first line is the password for mail
    #[arg(long, value_name = "FILE", conflicts_with = "mail_password_env")]
    pub(super) mail_password_file: Option<PathBuf>,
    /// The language of mail, en or de; en, if nothing is said
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub(super) mail_language: Option<Language>,
}

impl MailOptions {
    /// Whoever sends mail, if there is a server for it.
    pub(super) fn mailer(
        &self,
        site: Option<&str>,
        community: Option<&str>,
    ) -> Result<Option<Mailer>> {
        let Some(server) = &self.mail else {
            let is_more_said = self.mail_from.is_some() || self.mail_language.is_some();
            if is_more_said || self.password().is_some() {
                bail!("what is said about mail needs a server for it: name one with --mail URI");
            }
            return Ok(None);
        };
        let Some(site) = site else {
            bail!("--mail needs --site URL, which links in mail begin with");
        };
        let settings = MailSettings {
            server,
            site,
            site_name: community.filter(|name| !name.is_empty()),
            from: self.mail_from.as_deref(),
            password: self.password(),
            language: self.mail_language.unwrap_or_default(),
        };
        settings.mailer().map(Some)
    }

    fn password(&self) -> Option<PasswordSource> {
        let variable = self.mail_password_env.clone();
        let file = self.mail_password_file.clone();
        variable
            .map(PasswordSource::Environment)
            .or_else(|| file.map(PasswordSource::File))
    }
}
