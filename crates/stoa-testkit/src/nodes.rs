//! Killing, pausing and starting the nodes of a live Cassandra, by `cargo xtask cassandra`.
//!
//! `STOA_CASSANDRA_NAME` is the name of the cluster, and `STOA_XTASK` the program that rules it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;

/// What happens to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Its process is killed.
    Kill(u8),
    /// It is started again, and answers.
    Start(u8),
    /// Its process stops where it is.
    Pause(u8),
    /// Its process goes on.
    Resume(u8),
}

impl Deed {
    /// The number of the node.
    #[must_use]
    pub fn node(self) -> u8 {
        self.words().1
    }

    /// Where the node answers.
    #[must_use]
    pub fn address(self) -> IpAddr {
        Ipv4Addr::new(127, 0, 0, self.node()).into()
    }

    fn words(self) -> (&'static str, u8) {
        match self {
            Self::Kill(node) => ("kill", node),
            Self::Start(node) => ("start", node),
            Self::Pause(node) => ("pause", node),
            Self::Resume(node) => ("resume", node),
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, node) = self.words();
        write!(f, "{verb} {node}")
    }
}

/// The program that rules the nodes, and the name of their cluster.
#[derive(Debug, Clone)]
pub struct Control {
    program: String,
    name: String,
}

impl Control {
    /// What the environment names.
    ///
    /// # Errors
    /// Which variable is missing.
    pub fn from_environment() -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
        Ok(Self {
            program: read("STOA_XTASK")?,
            name: read("STOA_CASSANDRA_NAME")?,
        })
    }

    /// Does it, and waits until it is done. That takes seconds, so async programs call it on a
    /// thread that may wait.
    ///
    /// # Errors
    /// What the program that rules the nodes said.
    pub fn act(&self, deed: Deed) -> Result<(), String> {
        let (verb, node) = deed.words();
        let mut command = Command::new(&self.program);
        command.args(["cassandra", verb, &node.to_string(), "--name", &self.name]);
        let output = command.output();
        let output = output.map_err(|error| format!("{}: {error}", self.program))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!(
                "{deed}: {}",
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }
}
