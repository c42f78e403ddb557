//! From an address to a connected driver: contact points, login, encryption, policies, keyspace.

use std::sync::Arc;
use std::time::Duration;

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session as Driver;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::load_balancing::{DefaultPolicy, LoadBalancingPolicy};
use stoa_session::uri::{ClusterAddress, Host};
use stoa_session::{Consistency, Error, ErrorKind, Outcome, SerialConsistency};

use crate::failure;
use crate::nature::Nature;
use crate::options;
use crate::password::Password;
use crate::retries::{self, Retries};
use crate::tls;

/// The longest answer, where the address does not say.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);

/// How often an idle connection is asked whether it is alive. A node that stands still is noticed
/// after this and [`SILENCE`]; until then, preparing waits for it.
const PULSE: Duration = Duration::from_secs(1);

/// How long such a question may go unanswered.
const SILENCE: Duration = Duration::from_secs(2);

/// How often nodes are asked whether they agree on the schema, after a change of it.
const AGREEMENT_PAUSE: Duration = Duration::from_millis(50);

/// The level of statements that do not say one.
pub(crate) fn consistency(address: &ClusterAddress) -> Consistency {
    address.consistency.unwrap_or(Consistency::Quorum)
}

/// The longest answer of statements that do not say one.
pub(crate) fn deadline(address: &ClusterAddress) -> Duration {
    address.deadline.unwrap_or(DEFAULT_DEADLINE)
}

/// Connects, makes the keyspace if it has to be made, and uses it.
pub(crate) async fn driver(
    address: &ClusterAddress,
    password: Option<&Password>,
) -> Result<Driver, Error> {
    let limit = deadline(address);
    let connecting = async {
        let driver = session(address, password).await?;
        check_datacenter(&driver, address)?;
        if let Some(keyspace) = &address.keyspace {
            use_or_make(&driver, keyspace, address).await?;
        }
        Ok(driver)
    };
    match tokio::time::timeout(limit, connecting).await {
        Ok(connected) => connected,
        Err(_) => Err(nobody(address, failure::past_deadline(limit).message())),
    }
}

async fn session(address: &ClusterAddress, password: Option<&Password>) -> Result<Driver, Error> {
    let limit = deadline(address);
    let builder = reach(address, password)?
        .default_execution_profile_handle(profile(address).into_handle())
        .connection_timeout(limit)
        .hostname_resolution_timeout(Some(limit))
        .keepalive_interval(PULSE)
        .keepalive_timeout(SILENCE)
        .schema_agreement_interval(AGREEMENT_PAUSE)
        // The keyspaces are enough for routing, and a schema of many tables is slow to read after
        // each change of it.
        .fetch_full_schema_metadata(false);
    builder.build().await.map_err(|error| {
        let cause = failure::of_connecting(&error);
        match cause.kind() {
            ErrorKind::Unreachable => nobody(address, cause.message()),
            _ => cause.with(Outcome::NotApplied),
        }
    })
}

/// Where the nodes are, who asks, and whether connections are encrypted.
pub(crate) fn reach(
    address: &ClusterAddress,
    password: Option<&Password>,
) -> Result<SessionBuilder, Error> {
    let tls = tls::settings(&address.encryption)
        .map_err(|problem| Error::not_applied(ErrorKind::Configuration, problem.to_string()))?;
    let builder = SessionBuilder::new()
        .known_nodes(address.hosts.iter().map(Host::to_string))
        .tls_context(tls);
    let refuse = |message: String| Error::not_applied(ErrorKind::Credentials, message);
    match (&address.user, password) {
        (Some(user), Some(password)) => Ok(builder.user(user, password.reveal())),
        (Some(user), None) => Err(refuse(format!(
            "the user {user:?} needs a password: add password-env=NAME or password-file=FILE"
        ))),
        (None, Some(_)) => Err(refuse(
            "a password needs a user: write cql://USER@HOST".to_owned(),
        )),
        (None, None) => Ok(builder),
    }
}

fn nobody(address: &ClusterAddress, reason: &str) -> Error {
    let hosts: Vec<String> = address.hosts.iter().map(Host::to_string).collect();
    Error::not_applied(
        ErrorKind::Unreachable,
        format!("nothing answers at {}: {reason}", hosts.join(", ")),
    )
}

/// How statements are executed that do not say otherwise.
fn profile(address: &ClusterAddress) -> ExecutionProfile {
    let serial = address
        .serial_consistency
        .unwrap_or(SerialConsistency::Serial);
    ExecutionProfile::builder()
        .consistency(options::level(consistency(address)))
        .serial_consistency(Some(options::serial_level(serial)))
        .load_balancing_policy(routing(address))
        .retry_policy(Arc::new(Retries {
            nature: Nature::default(),
        }))
        .speculative_execution_policy(Some(retries::copies()))
        // Our own deadline covers the whole call, and this would cover only a part of it.
        .request_timeout(None)
        .build()
}

/// Nodes that hold the partition first; those of another datacenter never, if one is preferred.
fn routing(address: &ClusterAddress) -> Arc<dyn LoadBalancingPolicy> {
    let policy = DefaultPolicy::builder().token_aware(true);
    match &address.datacenter {
        Some(datacenter) => policy
            .prefer_datacenter(datacenter.clone())
            .permit_dc_failover(false)
            .build(),
        None => policy.build(),
    }
}

fn check_datacenter(driver: &Driver, address: &ClusterAddress) -> Result<(), Error> {
    let Some(wanted) = &address.datacenter else {
        return Ok(());
    };
    let known = datacenters(driver);
    if known.contains(wanted) {
        return Ok(());
    }
    Err(Error::not_applied(
        ErrorKind::Configuration,
        format!(
            "no datacenter is called {wanted:?}; there is {}",
            known.join(", ")
        ),
    ))
}

/// The names of the datacenters, each once, in order.
fn datacenters(driver: &Driver) -> Vec<String> {
    let state = driver.get_cluster_state();
    let mut names: Vec<String> = state
        .get_nodes_info()
        .iter()
        .filter_map(|node| node.datacenter.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

async fn use_or_make(
    driver: &Driver,
    keyspace: &str,
    address: &ClusterAddress,
) -> Result<(), Error> {
    if driver.get_cluster_state().get_keyspace(keyspace).is_none() {
        let Some(replicas) = address.replication_factor else {
            return Err(Error::not_applied(
                ErrorKind::Invalid,
                format!("there is no keyspace {keyspace:?}; with rf=N in the URI it is made"),
            ));
        };
        let datacenters = match &address.datacenter {
            Some(datacenter) => vec![datacenter.clone()],
            None => datacenters(driver),
        };
        driver
            .query_unpaged(creation(keyspace, &datacenters, replicas), ())
            .await
            .map_err(|error| failure::of_execution(&error).with(Outcome::Unknown))?;
    }
    // A URI has no quotes, so the name is meant as it is written.
    driver
        .use_keyspace(keyspace, true)
        .await
        .map_err(|error| failure::of_execution(&error.into()).with(Outcome::NotApplied))
}

/// `CREATE KEYSPACE` with so many replicas in each of these datacenters.
fn creation(keyspace: &str, datacenters: &[String], replicas: u8) -> String {
    let each: Vec<String> = datacenters
        .iter()
        .map(|name| format!(", '{}': {replicas}", name.replace('\'', "''")))
        .collect();
    format!(
        "CREATE KEYSPACE IF NOT EXISTS \"{}\" WITH replication = \
         {{'class': 'NetworkTopologyStrategy'{}}}",
        keyspace.replace('"', "\"\""),
        each.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyspace_gets_replicas_in_every_datacenter() {
        let text = creation("Votes", &["east".into(), "w'est".into()], 3);
        assert_eq!(
            text,
            "CREATE KEYSPACE IF NOT EXISTS \"Votes\" WITH replication = \
             {'class': 'NetworkTopologyStrategy', 'east': 3, 'w''est': 3}"
        );
    }
}
