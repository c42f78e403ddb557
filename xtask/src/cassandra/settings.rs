//! The shape of a cluster: how many nodes, on which ports, and how they behave.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::native::Login;

/// The user that Cassandra makes by itself where logins are asked for.
pub(crate) const LOGIN: Login = Login {
    user: "cassandra",
    password: "cassandra",
};

/// The variable that has the password of [`LOGIN`] for programs.
pub(crate) const PASSWORD_VARIABLE: &str = "STOA_CASSANDRA_PASSWORD";

/// The native port where none is chosen, Cassandra's own.
pub(crate) const DEFAULT_PORT: u16 = 9042;
/// The storage port lies this far below the native port, as in 9042 and 7000.
const STORAGE_OFFSET: u16 = 2042;
/// Both ports stay above those that only an administrator may open.
pub(crate) const LOWEST_PORT: u16 = STORAGE_OFFSET + 1024;

/// What `up` was asked for. Two clusters of equal settings are interchangeable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) size: Size,
    /// Whether clients must log in.
    pub(crate) auth: bool,
    /// Whether there is an encrypted port besides the plain one.
    pub(crate) tls: bool,
    pub(crate) sync: CommitLogSync,
    /// The native port of every node; the storage port follows from it.
    pub(crate) port: u16,
    pub(crate) schema: Schema,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: Size::One,
            auth: false,
            tls: false,
            sync: CommitLogSync::Periodic,
            port: DEFAULT_PORT,
            schema: Schema::Synced,
        }
    }
}

/// One node, or three with every row on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    One,
    Three,
}

/// When the commit log is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CommitLogSync {
    /// Every 10 s, after the answer; Cassandra's default
    Periodic,
    /// Before every answer
    Batch,
}

/// Whether a CREATE or DROP is on disk when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    /// As Cassandra does it.
    Synced,
    /// Several times as fast, but a node that is started again has forgotten the tables.
    Forgotten,
}

impl Size {
    pub(crate) fn count(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Three => 3,
        }
    }

    pub(crate) fn of(count: u8) -> Option<Self> {
        [Self::One, Self::Three]
            .into_iter()
            .find(|size| size.count() == count)
    }

    /// The numbers of the nodes, from 1.
    pub(crate) fn numbers(self) -> std::ops::RangeInclusive<u8> {
        1..=self.count()
    }
}

impl Settings {
    /// Where clients reach a node.
    pub(crate) fn native(&self, node: u8) -> SocketAddr {
        SocketAddr::from((host(node), self.port))
    }

    /// Where clients reach a node in secret; nothing else is understood there.
    pub(crate) fn encrypted(&self, node: u8) -> SocketAddr {
        SocketAddr::from((host(node), self.encrypted_port()))
    }

    pub(crate) fn encrypted_port(&self) -> u16 {
        self.port.saturating_add(1)
    }

    /// Where the other nodes reach a node.
    pub(crate) fn storage(&self, node: u8) -> SocketAddr {
        SocketAddr::from((host(node), self.storage_port()))
    }

    pub(crate) fn storage_port(&self) -> u16 {
        self.port.saturating_sub(STORAGE_OFFSET)
    }

    pub(crate) fn login(&self) -> Option<Login> {
        self.auth.then_some(LOGIN)
    }

    /// What tests and programs are given: `cql://127.0.0.1,127.0.0.2,127.0.0.3:9042`. Where there
    /// is an encrypted port, `certificate` says whom to trust there.
    pub(crate) fn uri(&self, certificate: &Path) -> String {
        let user = self
            .login()
            .map_or_else(String::new, |login| format!("{}@", login.user));
        let mut options = Vec::new();
        if self.auth {
            options.push(format!("password-env={PASSWORD_VARIABLE}"));
        }
        let port = if self.tls {
            options.push(format!("tls=on&ca={}", certificate.display()));
            self.encrypted_port()
        } else {
            self.port
        };
        let address = |node| format!("{}:{port}", host(node));
        let addresses: Vec<String> = self.size.numbers().map(address).collect();
        let options = match options.as_slice() {
            [] => String::new(),
            options => format!("/?{}", options.join("&")),
        };
        format!("cql://{user}{}{options}", addresses.join(","))
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "nodes": self.size.count(),
            "auth": self.auth,
            "tls": self.tls,
            "sync": self.sync.word(),
            "port": self.port,
            "fast_schema": self.schema == Schema::Forgotten,
        })
    }

    pub(crate) fn from_json(value: &Value) -> Result<Self> {
        let field = |name: &str| value.get(name).with_context(|| format!("no `{name}`"));
        let number = |name: &str| field(name)?.as_u64().context("not a number");
        let flag = |name: &str| field(name)?.as_bool().context("not true or false");
        let count = u8::try_from(number("nodes")?)?;
        let sync = field("sync")?.as_str().context("not a string")?;
        let settings = Self {
            size: Size::of(count).with_context(|| format!("{count} nodes"))?,
            auth: flag("auth")?,
            tls: flag("tls")?,
            sync: CommitLogSync::of(sync).with_context(|| format!("sync `{sync}`"))?,
            port: u16::try_from(number("port")?)?,
            schema: if flag("fast_schema")? {
                Schema::Forgotten
            } else {
                Schema::Synced
            },
        };
        ensure!(settings.port >= LOWEST_PORT, "port {}", settings.port);
        Ok(settings)
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.size == Size::One { "" } else { "s" };
        write!(
            f,
            "{} node{plural} on port {}",
            self.size.count(),
            self.port
        )?;
        write!(f, ", {} commit log", self.sync.word())?;
        f.write_str(if self.auth {
            ", with logins"
        } else {
            ", no logins"
        })?;
        if self.tls {
            write!(f, ", encrypted on port {}", self.encrypted_port())?;
        }
        if self.schema == Schema::Forgotten {
            f.write_str(", fast schema")?;
        }
        Ok(())
    }
}

impl CommitLogSync {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Periodic => "periodic",
            Self::Batch => "batch",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Periodic, Self::Batch]
            .into_iter()
            .find(|sync| sync.word() == word)
    }
}

/// Nodes share their ports and differ in their address on the loopback.
pub(crate) fn host(node: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, node)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: Settings = Settings {
        size: Size::Three,
        auth: true,
        tls: false,
        sync: CommitLogSync::Batch,
        port: 9142,
        schema: Schema::Forgotten,
    };

    #[test]
    fn uris_name_every_node_the_user_and_whom_to_trust() {
        let file = Path::new("/c.pem");
        assert_eq!(Settings::default().uri(file), "cql://127.0.0.1:9042");
        assert_eq!(
            THREE.uri(file),
            "cql://cassandra@127.0.0.1:9142,127.0.0.2:9142,127.0.0.3:9142\
             /?password-env=STOA_CASSANDRA_PASSWORD"
        );
        let secret = Settings {
            tls: true,
            ..Settings::default()
        };
        assert_eq!(secret.uri(file), "cql://127.0.0.1:9043/?tls=on&ca=/c.pem");
    }

    #[test]
    fn both_ports_shift_together() {
        assert_eq!(Settings::default().storage_port(), 7000);
        assert_eq!(THREE.storage(2).to_string(), "127.0.0.2:7100");
        assert_eq!(THREE.native(3).to_string(), "127.0.0.3:9142");
    }

    #[test]
    fn settings_survive_their_file() {
        for settings in [Settings::default(), THREE] {
            let text = settings.to_json().to_string();
            let value = serde_json::from_str(&text).unwrap();
            assert_eq!(Settings::from_json(&value).unwrap(), settings);
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        for (field, value) in [
            ("nodes", json!(2)),
            ("port", json!(80)),
            ("sync", json!("never")),
            ("auth", json!(null)),
        ] {
            let mut damaged = THREE.to_json();
            damaged[field] = value;
            assert!(Settings::from_json(&damaged).is_err(), "{field}");
        }
    }

    #[test]
    fn settings_are_described_in_words() {
        assert_eq!(
            Settings::default().to_string(),
            "1 node on port 9042, periodic commit log, no logins"
        );
        assert_eq!(
            THREE.to_string(),
            "3 nodes on port 9142, batch commit log, with logins, fast schema"
        );
        let secret = Settings { tls: true, ..THREE };
        assert!(secret.to_string().contains("encrypted on port 9143"));
    }
}
