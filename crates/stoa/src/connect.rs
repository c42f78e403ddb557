//! The one place that picks a back end, and the one that reads passwords.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use stoa_cluster::baseline::BareDriver;
use stoa_cluster::{Cluster, Password};
use stoa_engine::{Database, Failure};
use stoa_session::uri::{ClusterAddress, PasswordSource};
use stoa_session::{BackEnd, Session};
use stoa_store::StoreError;
use tokio::runtime::Runtime;

/// Where data is, as the commands that read or write it are told.
#[derive(Args)]
pub(crate) struct Place {
    /// The database in this folder, which is made if it is not there, unless it is to be read
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A database in memory, gone when the command ends
    #[arg(long)]
    memory: bool,
    /// This back end: `memory:`, `file:DIR` or `cql://USER@HOST:PORT,HOST/KEYSPACE?KEY=VALUE`
    #[arg(long, value_name = "URI")]
    store: Option<String>,
}

impl Place {
    /// The back end that is named; `None` if none is.
    pub(crate) fn back_end(&self) -> Result<Option<BackEnd>> {
        if let Some(uri) = &self.store {
            return Ok(Some(uri.parse()?));
        }
        if let Some(folder) = &self.data {
            return Ok(Some(BackEnd::File(folder.clone())));
        }
        Ok(self.memory.then_some(BackEnd::Memory))
    }

    /// The back end that is named, which must hold something already; `None` if none is named.
    pub(crate) fn existing(&self) -> Result<Option<BackEnd>> {
        let back_end = self.back_end()?;
        if let Some(BackEnd::File(folder)) = &back_end
            && !folder.is_dir()
        {
            bail!("there is no database in {}", folder.display());
        }
        Ok(back_end)
    }
}

/// A session on some back end, and what has to be closed after it.
pub(crate) struct Connection {
    /// What statements are sent to.
    pub(crate) session: Arc<dyn Session>,
    database: Option<Database>,
}

impl Connection {
    /// The database, if it is one of this process.
    pub(crate) fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// Closes what is ours. Everything acknowledged is safe without it; opening is quicker after
    /// it.
    pub(crate) fn close(self) -> Result<()> {
        match self.database {
            Some(database) => database.close().map_err(explain),
            None => Ok(()),
        }
    }
}

/// Opens the engine, or connects to the cluster, that a URI names.
pub(crate) async fn back_end(named: &BackEnd) -> Result<Connection> {
    let database = match named {
        BackEnd::Memory => Database::memory().map_err(explain)?,
        BackEnd::File(folder) => {
            let opened = Database::open(folder, stoa_store::Options::default());
            let opened = opened.map_err(explain);
            opened.with_context(|| format!("cannot open {}", folder.display()))?
        }
        BackEnd::Cluster(address) => {
            return Ok(Connection {
                session: Arc::new(cluster(address).await?),
                database: None,
            });
        }
    };
    Ok(Connection {
        session: Arc::new(database.session()),
        database: Some(database),
    })
}

/// That another process has a database open.
#[derive(Debug)]
pub(crate) struct InUse;

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another process has it open; stop that first")
    }
}

impl std::error::Error for InUse {}

/// Adds what the user can do.
fn explain(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Store(StoreError::Locked(_)) => anyhow::Error::new(InUse),
        other => anyhow!(other),
    }
}

/// The cluster that a URI names. `command` is told in the refusal of everything else.
///
/// URIs are read here and not by the command line's parser, which repeats what it refuses: there
/// may be a password in it.
pub(crate) fn cluster_address(uri: &str, command: &str) -> Result<ClusterAddress> {
    match uri.parse()? {
        BackEnd::Cluster(address) => Ok(*address),
        BackEnd::Memory | BackEnd::File(_) => {
            bail!("{command} needs a cluster: name one with cql://HOST/KEYSPACE")
        }
    }
}

/// Connects to a cluster with the password that its address points to.
pub(crate) async fn cluster(address: &ClusterAddress) -> Result<Cluster> {
    let password = address.password.as_ref().map(password).transpose()?;
    Ok(Cluster::connect(address, password.as_ref()).await?)
}

/// Connects the bare driver that sessions on a cluster are compared with.
pub(crate) async fn bare_driver(address: &ClusterAddress) -> Result<BareDriver> {
    let password = address.password.as_ref().map(password).transpose()?;
    Ok(BareDriver::connect(address, password.as_ref()).await?)
}

/// What sessions on a cluster run on.
pub(crate) fn runtime() -> Result<Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    built.context("cannot start the threads of a session")
}

fn password(source: &PasswordSource) -> Result<Password> {
    Ok(Password::new(secret(source)?))
}

/// The password for a mail server.
pub(crate) fn mail_password(source: &PasswordSource) -> Result<stoa_mail::Password> {
    Ok(stoa_mail::Password::new(secret(source)?))
}

fn secret(source: &PasswordSource) -> Result<String> {
    match source {
        PasswordSource::Environment(name) => {
            let text = std::env::var(name);
            text.with_context(|| format!("no password in the variable {name}"))
        }
        PasswordSource::File(file) => {
            first_line(file).with_context(|| format!("no password in {}", file.display()))
        }
    }
}

/// A secret that is the first line of a file.
pub(crate) fn first_line(file: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        bail!("the first line of {} is empty", file.display());
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_the_first_line_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "open sesame\r\nanother line\n").unwrap();
        let read = password(&PasswordSource::File(file)).unwrap();
        assert_eq!(read, Password::new("open sesame"));
        let missing = PasswordSource::File(folder.path().join("nothing"));
        let problem = format!("{:#}", password(&missing).unwrap_err());
        assert!(problem.contains("no password in"), "{problem}");
    }

    #[test]
    fn engines_are_no_clusters() {
        let problem = cluster_address("memory:", "check-cluster").unwrap_err();
        assert!(problem.to_string().contains("cql://HOST"), "{problem}");
    }
}
