//! The one place that picks a back end, and the one that reads passwords.

use anyhow::{Context as _, Result, bail};
use stoa_cluster::baseline::BareDriver;
use stoa_cluster::{Cluster, Password};
use stoa_session::BackEnd;
use stoa_session::uri::{ClusterAddress, PasswordSource};
use tokio::runtime::Runtime;

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
    match source {
        PasswordSource::Environment(name) => {
            let text = std::env::var(name);
            let text = text.with_context(|| format!("no password in the variable {name}"))?;
            Ok(Password::new(text))
        }
        PasswordSource::File(file) => {
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| format!("no password in {}", file.display()))?;
            Ok(Password::new(text.lines().next().unwrap_or_default()))
        }
    }
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
