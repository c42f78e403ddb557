//! The outbox of votes on one side, a mail server on the other: a mail becomes a letter, and the
//! letter is given away.

use anyhow::{Context as _, Result};
use stoa_mail::{Delivery, Language, Post, Server, Texts};
use stoa_session::uri::PasswordSource;
use stoa_votes::tables::outbox::Mail;
use stoa_votes::tasks::send_mail::{MailOut, Posted, Sending};

use crate::connect;

/// What whoever sends mail is told: by which server, and in whose name.
#[derive(Debug)]
pub(crate) struct MailSettings<'a> {
    /// The server, as a URI.
    pub(crate) server: &'a str,
    /// The address that links begin with.
    pub(crate) site: &'a str,
    /// What letters call the site; the host of its address, if nothing is said.
    pub(crate) site_name: Option<&'a str>,
    /// Who mail is from; noreply at that host, if nothing is said.
    pub(crate) from: Option<&'a str>,
    pub(crate) password: Option<PasswordSource>,
    pub(crate) language: Language,
}

/// The language of mail by its code, for options.
pub(crate) fn language(code: &str) -> Result<Language, String> {
    let codes = Language::CODES.map(|(_, code)| code).join(", ");
    Language::of_code(code).ok_or_else(|| format!("there is mail in {codes}"))
}

impl MailSettings<'_> {
    /// Whoever sends mail so.
    pub(crate) fn mailer(&self) -> Result<Mailer> {
        let host = host(self.site);
        let name = self.site_name.unwrap_or(host);
        let texts = Texts::new(name, self.site).context("--site or its name")?;
        let texts = texts.in_language(self.language);
        let from = match self.from {
            Some(from) => from.to_owned(),
            None => format!("noreply@{host}"),
        };
        let password = self.password.as_ref();
        let password = password.map(connect::mail_password).transpose()?;
        let server = Server::of_uri(self.server, password, &from, name);
        let post = Post::new(server.context("--mail or --mail-from")?);
        Ok(Mailer { texts, post })
    }
}

/// The host of an address of a site, without its port.
fn host(site: &str) -> &str {
    let place = site.split_once("://").map_or(site, |(_, place)| place);
    let place = place.split('/').next().unwrap_or(place);
    match place.rsplit_once(':') {
        // The colons of an IPv6 address stand in brackets.
        Some((host, port)) if !port.contains(']') => host,
        _ => place,
    }
}

/// Sends mail by one server, in the name of one site.
#[derive(Debug)]
pub(crate) struct Mailer {
    texts: Texts,
    post: Post,
}

impl Mailer {
    async fn give_away(&self, mail: &Mail) -> Posted {
        let letter = self.texts.letter(
            &mail.kind,
            &mail.fields,
            &mail.recipient,
            mail.id,
            mail.created_micros,
        );
        match letter {
            Ok(letter) => posted(self.post.send(&letter).await),
            // The same mail gives the same again, however often it is tried.
            Err(none) => Posted::Failed(none.to_string()),
        }
    }
}

impl MailOut for Mailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> Sending<'a> {
        Box::pin(self.give_away(mail))
    }
}

/// What the outbox makes of a delivery. One that nobody knows of is tried again: a letter that
/// comes twice is better than none, and both have the same Message-ID.
fn posted(delivery: Delivery) -> Posted {
    match delivery {
        Delivery::Delivered => Posted::Delivered,
        Delivery::Later(why) | Delivery::Unknown(why) => Posted::Later(why),
        Delivery::Failed(why) => Posted::Failed(why),
        Delivery::Closed(why) => Posted::Closed(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_a_host() {
        for (site, expected) in [
            ("https://votes.example.org", "votes.example.org"),
            ("https://votes.example.org:8443/town/", "votes.example.org"),
            ("http://[::1]/", "[::1]"),
            ("http://[::1]:8080", "[::1]"),
            ("votes.example.org", "votes.example.org"),
            ("", ""),
        ] {
            assert_eq!(host(site), expected, "{site}");
        }
    }

    #[test]
    fn only_what_was_taken_is_delivered_and_what_is_unknown_is_tried_again() {
        let why = || "so".to_owned();
        for (delivery, expected) in [
            (Delivery::Delivered, Posted::Delivered),
            (Delivery::Later(why()), Posted::Later(why())),
            (Delivery::Unknown(why()), Posted::Later(why())),
            (Delivery::Failed(why()), Posted::Failed(why())),
            (Delivery::Closed(why()), Posted::Closed(why())),
        ] {
            assert_eq!(posted(delivery), expected);
        }
    }
}
