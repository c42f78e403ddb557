//! How a back end is named: one URI.
//!
//! ```text
//! memory:                                   an engine that forgets everything when it is closed
//! file:DIR                                  an engine on a folder
//! cql://[USER@]HOST[:PORT],.../[KEYSPACE][?KEY=VALUE&...]   a cluster
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `dc` | the datacenter to prefer |
//! | `rf` | how many replicas a keyspace gets that has to be made |
//! | `consistency`, `serial` | levels, unless a statement says otherwise (`QUORUM`, `SERIAL`) |
//! | `deadline` | the longest answer, as `2s` or `500ms` |
//! | `password-env`, `password-file` | where the password is |
//! | `tls` | `on`, or `insecure` to accept any certificate |
//! | `ca` | a file of certificates to trust, with `tls=on` |
//!
//! Invariants:
//! 1. A URI never holds a password, and no error repeats what may be one.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::options::{Consistency, SerialConsistency};

/// The port of the native protocol.
pub const DEFAULT_PORT: u16 = 9042;

/// Which back end to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackEnd {
    /// An engine in memory.
    Memory,
    /// An engine on a folder.
    File(PathBuf),
    /// A cluster.
    Cluster(Box<ClusterAddress>),
}

/// Where a cluster is and how to talk to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterAddress {
    /// Nodes to ask first; at least one.
    pub hosts: Vec<Host>,
    /// Who asks; nobody, where there is no login.
    pub user: Option<String>,
    /// Where the password is.
    pub password: Option<PasswordSource>,
    /// The keyspace that statements use.
    pub keyspace: Option<String>,
    /// The datacenter to prefer.
    pub datacenter: Option<String>,
    /// How many replicas a keyspace gets that has to be made.
    pub replication_factor: Option<u8>,
    /// Unless a statement says otherwise.
    pub consistency: Option<Consistency>,
    /// Unless a statement says otherwise.
    pub serial_consistency: Option<SerialConsistency>,
    /// The longest answer, unless a statement says otherwise.
    pub deadline: Option<Duration>,
    /// Whether and how connections are encrypted.
    pub encryption: Encryption,
}

/// A node's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// A name or an IP address, without brackets.
    pub name: String,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", self.name, self.port)
        }
    }
}

/// Where a password is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordSource {
    /// In an environment variable of this name.
    Environment(String),
    /// In the first line of a file.
    File(PathBuf),
}

/// Whether and how connections are encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Encryption {
    /// They are not.
    #[default]
    None,
    /// The node must show a certificate that the system, or a file, vouches for.
    Verified {
        /// Certificates to trust instead of the system's.
        authorities: Option<PathBuf>,
    },
    /// Any certificate will do: secret from listeners, not from impostors.
    Unverified,
}

impl FromStr for BackEnd {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        let (scheme, rest) = text.split_once(':').ok_or(UriError::NoScheme)?;
        match scheme {
            "memory" if rest.is_empty() => Ok(Self::Memory),
            "memory" => Err(UriError::MemoryHasNoName),
            "file" => {
                // `file:///srv/stoa` and `file:/srv/stoa` both mean `/srv/stoa`.
                let path = match rest.strip_prefix("//") {
                    Some(path) if path.starts_with('/') => path,
                    Some(_) => return Err(UriError::FileHasNoHost),
                    None => rest,
                };
                match path {
                    "" => Err(UriError::NoFolder),
                    path => Ok(Self::File(PathBuf::from(decode(path)?))),
                }
            }
            "cql" => cluster(rest).map(|address| Self::Cluster(Box::new(address))),
            other => Err(UriError::UnknownScheme(other.to_owned())),
        }
    }
}

fn cluster(rest: &str) -> Result<ClusterAddress, UriError> {
    let rest = rest.strip_prefix("//").ok_or(UriError::NoHost)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, keyspace) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, _)) if user.contains(':') => return Err(UriError::PasswordInside),
        Some((user, hosts)) => (Some(decode(user)?), hosts),
        None => (None, authority),
    };
    let mut address = ClusterAddress {
        hosts: hosts.split(',').map(host).collect::<Result<_, _>>()?,
        user,
        password: None,
        keyspace: Some(decode(keyspace)?).filter(|name| !name.is_empty()),
        datacenter: None,
        replication_factor: None,
        consistency: None,
        serial_consistency: None,
        deadline: None,
        encryption: Encryption::None,
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        set(&mut address, key, decode(value)?)?;
    }
    Ok(address)
}

fn host(text: &str) -> Result<Host, UriError> {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']').ok_or_else(|| bad_host(text))?;
            (name, port.strip_prefix(':'))
        }
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    if name.is_empty() {
        return Err(UriError::NoHost);
    }
    let port = port.map_or(Ok(DEFAULT_PORT), str::parse);
    Ok(Host {
        name: name.to_owned(),
        port: port.map_err(|_| bad_host(text))?,
    })
}

fn bad_host(text: &str) -> UriError {
    UriError::BadHost(text.to_owned())
}

fn set(address: &mut ClusterAddress, key: &str, value: String) -> Result<(), UriError> {
    let bad = |expected| UriError::BadValue {
        key: key.to_owned(),
        expected,
    };
    if value.is_empty() {
        return Err(bad("a value"));
    }
    match key {
        "dc" => address.datacenter = Some(value),
        "rf" => {
            let factor = value.parse().ok().filter(|factor| *factor > 0);
            address.replication_factor = Some(factor.ok_or_else(|| bad("a number from 1 to 255"))?);
        }
        "consistency" => {
            let level = value.parse().map_err(|_| bad("a level, such as QUORUM"));
            address.consistency = Some(level?);
        }
        "serial" => {
            let level = value.parse().map_err(|_| bad("SERIAL or LOCAL_SERIAL"));
            address.serial_consistency = Some(level?);
        }
        "deadline" => {
            let deadline = duration(&value).ok_or_else(|| bad("a time, such as 2s or 500ms"));
            address.deadline = Some(deadline?);
        }
        "password-env" => address.password = Some(PasswordSource::Environment(value)),
        "password-file" => address.password = Some(PasswordSource::File(PathBuf::from(value))),
        "tls" => {
            address.encryption = match (value.as_str(), &address.encryption) {
                ("on", Encryption::Verified { authorities }) => Encryption::Verified {
                    authorities: authorities.clone(),
                },
                ("on", _) => Encryption::Verified { authorities: None },
                ("insecure", _) => Encryption::Unverified,
                ("off", _) => Encryption::None,
                _ => return Err(bad("on, insecure or off")),
            };
        }
        "ca" => {
            address.encryption = Encryption::Verified {
                authorities: Some(PathBuf::from(value)),
            };
        }
        "password" => return Err(UriError::PasswordInside),
        other => return Err(UriError::UnknownKey(other.to_owned())),
    }
    Ok(())
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1),
        None => (text.strip_suffix('s')?, 1000),
    };
    let millis = number.parse::<u32>().ok()?.checked_mul(unit)?;
    (millis > 0).then(|| Duration::from_millis(u64::from(millis)))
}

/// Replaces `%41` by `A`.
fn decode(text: &str) -> Result<String, UriError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        left = rest;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.first_chunk::<2>().ok_or(UriError::BadPercent)?;
        let digits = std::str::from_utf8(digits).map_err(|_| UriError::BadPercent)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| UriError::BadPercent)?);
        left = rest.get(2..).unwrap_or_default();
    }
    String::from_utf8(bytes).map_err(|_| UriError::BadPercent)
}

/// Why a URI names no back end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// There is no colon.
    #[error("expected memory:, file:DIR or cql://HOST")]
    NoScheme,
    /// Another scheme.
    #[error("unknown kind of back end {0:?}: expected memory:, file:DIR or cql://HOST")]
    UnknownScheme(String),
    /// `memory:` with more behind it.
    #[error("memory: takes nothing after the colon")]
    MemoryHasNoName,
    /// `file:` without a folder.
    #[error("file: needs a folder, as in file:DIR")]
    NoFolder,
    /// `file://host/...`.
    #[error("file: names a folder of this machine: write file:DIR or file:///DIR")]
    FileHasNoHost,
    /// `cql:` without a host.
    #[error("cql: needs a host, as in cql://127.0.0.1")]
    NoHost,
    /// Not a host and a port.
    #[error("not a host: {0:?}; expected HOST, HOST:PORT or [IPV6]:PORT")]
    BadHost(String),
    /// A password in the URI, which is not repeated.
    #[error("a URI must not hold a password: use password-env=NAME or password-file=FILE")]
    PasswordInside,
    /// An unknown key.
    #[error(
        "unknown key {0:?}: expected dc, rf, consistency, serial, deadline, password-env, \
         password-file, tls or ca"
    )]
    UnknownKey(String),
    /// A value that its key does not take.
    #[error("the key {key:?} expects {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A broken `%41`.
    #[error("a percent sign must be followed by two hexadecimal digits, and give UTF-8")]
    BadPercent,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster_of(text: &str) -> ClusterAddress {
        match text.parse() {
            Ok(BackEnd::Cluster(address)) => *address,
            other => panic!("{other:?}"),
        }
    }

    fn problem(text: &str) -> String {
        text.parse::<BackEnd>().expect_err(text).to_string()
    }

    #[test]
    fn engines_are_named_by_where_they_keep_their_data() {
        assert_eq!("memory:".parse(), Ok(BackEnd::Memory));
        for text in ["file:/srv/stoa", "file:///srv/stoa", "file:/srv/sto%61"] {
            assert_eq!(text.parse(), Ok(BackEnd::File("/srv/stoa".into())));
        }
        assert_eq!("file:data".parse(), Ok(BackEnd::File("data".into())));
    }

    #[test]
    fn a_cluster_has_hosts_ports_and_a_keyspace() {
        let address = cluster_of("cql://one,two:9043,[::1]:9044/votes");
        let hosts: Vec<String> = address.hosts.iter().map(ToString::to_string).collect();
        assert_eq!(hosts, ["one:9042", "two:9043", "[::1]:9044"]);
        assert_eq!(address.keyspace.as_deref(), Some("votes"));
        assert_eq!(address.user, None);
    }

    #[test]
    fn keys_say_the_rest() {
        let address = cluster_of(
            "cql://anna@host/?dc=east&rf=3&consistency=one&serial=local_serial&deadline=500ms\
             &password-env=PASS&tls=on&ca=/etc/ca.pem",
        );
        assert_eq!(address.user.as_deref(), Some("anna"));
        assert_eq!(address.datacenter.as_deref(), Some("east"));
        assert_eq!(address.replication_factor, Some(3));
        assert_eq!(address.consistency, Some(Consistency::One));
        assert_eq!(
            address.serial_consistency,
            Some(SerialConsistency::LocalSerial)
        );
        assert_eq!(address.deadline, Some(Duration::from_millis(500)));
        assert_eq!(
            address.password,
            Some(PasswordSource::Environment("PASS".into()))
        );
        let authorities = Some("/etc/ca.pem".into());
        assert_eq!(address.encryption, Encryption::Verified { authorities });
        assert_eq!(address.keyspace, None);
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for text in [
            "cql://anna:secret@host/",
            "cql://anna@host/?password=secret",
        ] {
            let problem = problem(text);
            assert!(problem.contains("password-env"), "{problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
    }

    #[test]
    fn a_wrong_uri_is_told_what_is_expected() {
        assert!(problem("votes").contains("file:DIR"));
        assert!(problem("mysql://host").contains("\"mysql\""));
        assert!(problem("cql://").contains("needs a host"));
        assert!(problem("cql://host:port").contains("HOST:PORT"));
        assert!(problem("cql://host/?rf=0").contains("1 to 255"));
        assert!(problem("cql://host/?colour=red").contains("unknown key"));
        assert!(problem("cql://host/?deadline=soon").contains("2s"));
        assert!(problem("file:a%4").contains("hexadecimal"));
    }
}
