//! Which server takes letters, and how it is reached.
//!
//! | URI | How |
//! |---|---|
//! | `smtps://user@host:465` | encrypted from the first byte |
//! | `smtp://user@host:587` | encrypted by STARTTLS, or nothing is sent; plain to this machine |
//! | `smtp+plain://host:25` | never encrypted, and never with a password |
//!
//! The password is given apart, because URIs end in logs.

use std::fmt;

use lettre::message::Mailbox;

use crate::letter::{address, is_one_line};

/// A server, and who the letters are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) encryption: Encryption,
    pub(crate) login: Option<(String, Password)>,
    pub(crate) from: Mailbox,
}

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// From the first byte.
    Always,
    /// By a command, before anything is said.
    StartTls,
    /// Not at all.
    Never,
}

/// A password, which is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// A password.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Why something names no server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadServer {
    /// It does not begin as it should.
    #[error("a mail server begins with smtp://, smtps:// or smtp+plain://")]
    Scheme,
    /// The host is missing or none.
    #[error("the mail server has no host, or one with odd characters")]
    Host,
    /// The port is none.
    #[error("the port of the mail server is not a number from 1 to 65535")]
    Port,
    /// There is a path, a query or a password.
    #[error("the mail server is more than user, host and port; the password is given apart")]
    Rest,
    /// A user without a password, or the other way round.
    #[error("a user of a mail server needs a password, and a password needs a user")]
    Login,
    /// A password would be readable on the way.
    #[error("a password is not sent without encryption")]
    Unencrypted,
    /// The sender is no address.
    #[error("the sender of mail is not an address, or its name has odd characters")]
    From,
}

impl Server {
    /// The server of a URI, and the address and the name that letters are from.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn of_uri(
        uri: &str,
        password: Option<Password>,
        from: &str,
        from_name: &str,
    ) -> Result<Self, BadServer> {
        let (scheme, rest) = uri.split_once("://").ok_or(BadServer::Scheme)?;
        let (mut encryption, usual_port) = match scheme {
            "smtps" => (Encryption::Always, 465),
            "smtp" => (Encryption::StartTls, 587),
            "smtp+plain" => (Encryption::Never, 25),
            _ => return Err(BadServer::Scheme),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) || !is_one_line(rest) {
            return Err(BadServer::Rest);
        }
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(decoded(user)?), place),
            None => (None, rest),
        };
        let (host, port) = host_and_port(place, usual_port)?;
        let is_here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if is_here && encryption == Encryption::StartTls {
            encryption = Encryption::Never;
        }
        let login = match (user, password) {
            (None, None) => None,
            (Some(_), Some(_)) if encryption == Encryption::Never && !is_here => {
                return Err(BadServer::Unencrypted);
            }
            (Some(user), Some(password)) => Some((user, password)),
            _ => return Err(BadServer::Login),
        };
        let email = address(from).map_err(|_| BadServer::From)?;
        if !is_one_line(from_name) || from_name.len() > 100 {
            return Err(BadServer::From);
        }
        let name = (!from_name.is_empty()).then(|| from_name.to_owned());
        Ok(Self {
            host,
            port,
            encryption,
            login,
            from: Mailbox::new(name, email),
        })
    }
}

/// A user's name, in which `%40` stands for `@`. A colon would begin a password.
fn decoded(user: &str) -> Result<String, BadServer> {
    if user.is_empty() || user.contains(':') {
        return Err(BadServer::Rest);
    }
    Ok(user.replace("%40", "@").replace("%25", "%"))
}

fn host_and_port(place: &str, usual_port: u16) -> Result<(String, u16), BadServer> {
    let (host, port) = match place.strip_prefix('[') {
        // An IPv6 address stands in brackets, since it has colons.
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(BadServer::Host)?;
            let parsed: Result<std::net::Ipv6Addr, _> = host.parse();
            parsed.map_err(|_| BadServer::Host)?;
            match after.strip_prefix(':') {
                None if after.is_empty() => (host, None),
                None => return Err(BadServer::Host),
                port => (host, port),
            }
        }
        None => match place.split_once(':') {
            Some((host, port)) => (check_host(host)?, Some(port)),
            None => (check_host(place)?, None),
        },
    };
    let port = match port {
        None => usual_port,
        Some(port) => match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(BadServer::Port),
        },
    };
    Ok((host.to_owned(), port))
}

fn check_host(host: &str) -> Result<&str, BadServer> {
    let is_usual = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-');
    match !host.is_empty() && host.len() <= 253 && host.chars().all(is_usual) {
        true => Ok(host),
        false => Err(BadServer::Host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(uri: &str, password: Option<&str>) -> Result<Server, BadServer> {
        let password = password.map(Password::new);
        Server::of_uri(uri, password, "votes@example.org", "Votes")
    }

    #[test]
    fn a_uri_names_host_port_and_user() {
        let server = of("smtp://ada%40x@mail.example.org", Some("secret")).unwrap();
        assert_eq!(
            (server.host.as_str(), server.port),
            ("mail.example.org", 587)
        );
        assert_eq!(server.encryption, Encryption::StartTls);
        assert_eq!(server.login.as_ref().unwrap().0, "ada@x");
        assert!(!format!("{server:?}").contains("secret"));
        let server = of("smtps://mail.example.org:4650/", None).unwrap();
        assert_eq!(
            (server.port, server.encryption),
            (4_650, Encryption::Always)
        );
        let server = of("smtp://[::1]:2500", None).unwrap();
        assert_eq!((server.host.as_str(), server.port), ("::1", 2_500));
        assert_eq!(server.encryption, Encryption::Never);
        assert_eq!(of("smtp+plain://relay", None).unwrap().port, 25);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (uri, password, expected) in [
            ("", None, BadServer::Scheme),
            ("mail.example.org", None, BadServer::Scheme),
            ("http://mail", None, BadServer::Scheme),
            ("smtp://", None, BadServer::Host),
            ("smtp://ma il", None, BadServer::Host),
            ("smtp://[::1", None, BadServer::Host),
            ("smtp://[x]:1", None, BadServer::Host),
            ("smtp://[::1]1", None, BadServer::Host),
            ("smtp://mail:0", None, BadServer::Port),
            ("smtp://mail:65536", None, BadServer::Port),
            ("smtp://mail:x", None, BadServer::Port),
            ("smtp://mail/x", None, BadServer::Rest),
            ("smtp://mail\r\n", None, BadServer::Rest),
            ("smtp://ada:secret@mail", Some("p"), BadServer::Rest),
            ("smtp://@mail", Some("p"), BadServer::Rest),
            ("smtp://ada@mail", None, BadServer::Login),
            ("smtp://mail", Some("p"), BadServer::Login),
            ("smtp+plain://ada@mail", Some("p"), BadServer::Unencrypted),
        ] {
            assert_eq!(of(uri, password), Err(expected), "{uri:?}");
        }
        for (from, name) in [("x", "V"), ("a@b.org", "V\r\nBcc: x"), ("a@b.org\n", "V")] {
            let refused = Server::of_uri("smtp://mail", None, from, name);
            assert_eq!(refused, Err(BadServer::From), "{from:?}");
        }
    }
}
