//! `--replication`: how many copies the keyspaces of a dump get elsewhere.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, bail};

/// The replication of a keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replication {
    /// So many copies, wherever.
    Simple(u8),
    /// So many copies in each of these datacenters.
    ByDatacenter(Vec<(String, u8)>),
}

impl FromStr for Replication {
    type Err = anyhow::Error;

    /// Reads `3`, or `dc1:3,dc2:2`.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        if let Ok(copies) = text.parse() {
            return Ok(Self::Simple(copies));
        }
        let mut datacenters = Vec::new();
        for part in text.split(',') {
            let (name, copies) = part.split_once(':').with_context(explain)?;
            let copies = copies.parse().ok().with_context(explain)?;
            if name.is_empty() {
                bail!(explain());
            }
            datacenters.push((name.to_owned(), copies));
        }
        Ok(Self::ByDatacenter(datacenters))
    }
}

fn explain() -> String {
    "say a number of copies, such as 3, or datacenters with theirs, such as dc1:3,dc2:3".to_owned()
}

impl fmt::Display for Replication {
    /// As `CREATE KEYSPACE` wants it, and as `DESCRIBE` tells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simple(copies) => {
                write!(
                    f,
                    "{{'class': 'SimpleStrategy', 'replication_factor': '{copies}'}}"
                )
            }
            Self::ByDatacenter(all) => {
                f.write_str("{'class': 'NetworkTopologyStrategy'")?;
                for (name, copies) in all {
                    write!(f, ", '{}': '{copies}'", name.replace('\'', "''"))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Replication {
    /// Puts it into the statement that makes a keyspace, which stays as it is otherwise.
    ///
    /// # Errors
    /// When the statement has none that could be replaced.
    pub(crate) fn put_into(&self, keyspace: &str) -> anyhow::Result<String> {
        let parts = keyspace.split_once(" replication = {");
        let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once('}')?.1)));
        let (head, tail) = parts.context("a keyspace has no replication to be replaced")?;
        Ok(format!("{head} replication = {self}{tail}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str) -> String {
        let made = "CREATE KEYSPACE \"K\" WITH replication = {'class': 'SimpleStrategy', \
                    'replication_factor': '1'}  AND durable_writes = true";
        let replication: Replication = text.parse().unwrap();
        replication.put_into(made).unwrap()
    }

    #[test]
    fn it_replaces_what_a_keyspace_had() {
        assert_eq!(
            put("3"),
            "CREATE KEYSPACE \"K\" WITH replication = {'class': 'SimpleStrategy', \
             'replication_factor': '3'}  AND durable_writes = true"
        );
        assert_eq!(
            put("east:3,west:2"),
            "CREATE KEYSPACE \"K\" WITH replication = {'class': 'NetworkTopologyStrategy', \
             'east': '3', 'west': '2'}  AND durable_writes = true"
        );
    }

    #[test]
    fn what_makes_no_sense_says_what_would() {
        for text in ["", "three", "dc1", "dc1:", ":3", "dc1:3,"] {
            let problem = text.parse::<Replication>().unwrap_err().to_string();
            assert!(problem.contains("dc1:3"), "{problem}");
        }
    }
}
