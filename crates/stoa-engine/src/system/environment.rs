//! What a node knows of itself and tells those who connect to it.

use std::net::{IpAddr, Ipv4Addr};

use uuid::Uuid;

/// The version of Cassandra that we behave as.
pub(super) const RELEASE_VERSION: &str = "5.0.8";
/// The version of the language.
pub(super) const CQL_VERSION: &str = "3.4.7";
/// The newest version of the native protocol.
pub(super) const NATIVE_PROTOCOL_VERSION: &str = "5";
/// Where rows go.
pub(super) const PARTITIONER: &str = "org.apache.cassandra.dht.Murmur3Partitioner";
/// Where in its data centre the node stands.
pub(super) const RACK: &str = "rack1";

/// What a node knows of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The cluster's name.
    pub cluster_name: String,
    /// The node's id, the same as long as its data lives.
    pub host_id: Uuid,
    /// The address that clients connect to.
    pub address: IpAddr,
    /// The port that clients connect to.
    pub native_port: u16,
    /// The port that other nodes would connect to.
    pub storage_port: u16,
    /// The tokens it owns: all of the ring is its own, however many there are.
    pub tokens: Vec<i64>,
    /// When it started, in seconds since 1970.
    pub started_at_seconds: i32,
}

impl Default for Environment {
    /// A node of its own, on Cassandra's usual ports.
    fn default() -> Self {
        Self {
            cluster_name: "Test Cluster".to_owned(),
            host_id: Uuid::nil(),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            native_port: 9042,
            storage_port: 7000,
            tokens: vec![i64::MIN],
            started_at_seconds: 0,
        }
    }
}
