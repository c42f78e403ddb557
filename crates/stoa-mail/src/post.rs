//! Giving a letter to a server, and knowing what became of it.
//!
//! Every letter has a connection of its own. What is known depends on how far it came:
//!
//! ```text
//!  connect, encrypt, sign in │ MAIL, RCPT, DATA      │ the letter        │ the answer
//!  Closed: it is the server, │ Later or Failed, by   │ Unknown, if it is │ Delivered, Later,
//!  not the letter            │ the code of an answer │ cut off           │ Failed
//! ```

use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};

use crate::letter::Letter;
use crate::message::message;
use crate::server::{Encryption, Server};

/// How long a delivery may take, all in all.
pub const DEADLINE: Duration = Duration::from_secs(120);
/// How much of what a server says is told.
const TOLD_CHARACTERS: usize = 200;

/// What became of a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The server took it.
    Delivered,
    /// The server does not take this letter now; it may later.
    Later(String),
    /// This letter will never be taken.
    Failed(String),
    /// It may have been taken: the connection broke before the answer.
    Unknown(String),
    /// The server cannot be reached, or does not let us in. No letter will be taken now.
    Closed(String),
}

/// A post office: gives letters to one server.
#[derive(Debug, Clone)]
pub struct Post {
    server: Server,
    deadline: Duration,
}

impl Post {
    /// A post office for a server.
    #[must_use]
    pub fn new(server: Server) -> Self {
        Self {
            server,
            deadline: DEADLINE,
        }
    }

    /// With another deadline.
    #[must_use]
    pub fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Gives a letter to the server, once. Must run on a tokio runtime.
    pub async fn send(&self, letter: &Letter) -> Delivery {
        let message = match message(letter, &self.server.from) {
            Ok(message) => message,
            Err(error) => return Delivery::Failed(told(&error)),
        };
        let connecting = tokio::time::timeout(self.deadline, self.connect());
        let mut connection = match connecting.await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Delivery::Closed(told(&error)),
            Err(_) => return Delivery::Closed("the server did not answer in time".to_owned()),
        };
        let mut is_under_way = false;
        let from = &self.server.from.email;
        let handing = hand_over(
            &mut connection,
            from,
            letter,
            message.formatted(),
            &mut is_under_way,
        );
        let handed = tokio::time::timeout(self.deadline, handing).await;
        match handed {
            Ok(Ok(())) => {
                // The letter is the server's now, whatever becomes of the farewell.
                let _ = tokio::time::timeout(Duration::from_secs(5), connection.quit()).await;
                Delivery::Delivered
            }
            Ok(Err(error)) => judge(&error, is_under_way),
            Err(_) => cut_off("the server did not answer in time".to_owned(), is_under_way),
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let Server { host, port, .. } = &self.server;
        let hello = ClientId::Domain(self.server.from.email.domain().to_owned());
        let encrypted = || TlsParameters::new(host.clone());
        let (first, then) = match self.server.encryption {
            Encryption::Always => (Some(encrypted()?), None),
            Encryption::StartTls => (None, Some(encrypted()?)),
            Encryption::Never => (None, None),
        };
        let place = (host.as_str(), *port);
        let limit = Some(self.deadline);
        let connecting = AsyncSmtpConnection::connect_tokio1(place, limit, &hello, first, None);
        let mut connection = connecting.await?;
        if let Some(parameters) = then {
            connection.starttls(parameters, &hello).await?;
        }
        if let Some((user, password)) = &self.server.login {
            let login = Credentials::new(user.clone(), password.reveal().to_owned());
            let ways = [Mechanism::Plain, Mechanism::Login];
            connection.auth(&ways, &login).await?;
        }
        Ok(connection)
    }
}

/// Says from whom and to whom, and then the letter. From when on it may be taken is noted before.
async fn hand_over(
    connection: &mut AsyncSmtpConnection,
    from: &lettre::Address,
    letter: &Letter,
    message: Vec<u8>,
    is_under_way: &mut bool,
) -> Result<(), Error> {
    let info = connection.server_info();
    let is_known = info.supports_feature(Extension::SmtpUtfEight);
    let is_ascii = letter.parts.to.is_ascii();
    // Without the extension the server refuses such an address, which is as well.
    let parameters = match is_known && !is_ascii {
        true => vec![MailParameter::SmtpUtfEight],
        false => Vec::new(),
    };
    let from = Mail::new(Some(from.clone()), parameters);
    connection.command(from).await?;
    let to = Rcpt::new(letter.to.clone(), Vec::new());
    connection.command(to).await?;
    connection.command(Data).await?;
    *is_under_way = true;
    connection.message(&message).await.map(|_| ())
}

fn judge(error: &Error, is_under_way: bool) -> Delivery {
    let what = told(error);
    let code = error.status().map(u16::from);
    match code {
        // The server closes, or wants a login or encryption first: no fault of the letter.
        Some(421 | 530 | 534 | 535 | 538) => Delivery::Closed(what),
        Some(code) if code < 500 => Delivery::Later(what),
        Some(_) => Delivery::Failed(what),
        None => cut_off(what, is_under_way),
    }
}

fn cut_off(what: String, is_under_way: bool) -> Delivery {
    match is_under_way {
        true => Delivery::Unknown(what),
        false => Delivery::Later(what),
    }
}

/// What went wrong, as one short line. Servers repeat addresses; those stay out of logs.
fn told(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_said = inner.to_string();
        if !said.contains(&inner_said) {
            said = format!("{said}: {inner_said}");
        }
        source = inner.source();
    }
    let words = said.split_whitespace();
    let words = words.map(|word| if word.contains('@') { "…" } else { word });
    let line = words.collect::<Vec<_>>().join(" ");
    line.chars()
        .filter(|it| !it.is_control())
        .take(TOLD_CHARACTERS)
        .collect()
}
