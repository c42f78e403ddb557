//! What is asked of a cluster before it is judged.

use std::collections::BTreeMap;

/// What a cluster says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Every node of the ring, also those that do not answer.
    pub nodes: Vec<NodeFacts>,
    /// The keyspace that was asked about.
    pub keyspace: Option<KeyspaceFacts>,
}

/// What is known about one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its IP address and port.
    pub address: String,
    /// Its datacenter, if it is known.
    pub datacenter: Option<String>,
    /// What it answered, or why it did not.
    pub answers: Result<Answers, String>,
}

/// What one node answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// Its version of Cassandra.
    pub release: String,
    /// Its version of the schema.
    pub schema: String,
    /// How far its clock is from ours.
    pub skew: Skew,
    /// Settings by name, as far as it tells them.
    pub settings: BTreeMap<String, String>,
}

/// How far a node's clock is from ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skew {
    /// By how much the node's clock is ahead; negative if it is behind.
    pub ahead_micros: i64,
    /// By how much that may be wrong, because the question takes time to get there and back.
    pub error_micros: i64,
}

impl Skew {
    /// From when a question was sent by our clock, how long the answer took, and what the node's
    /// clock showed in between, in whole milliseconds.
    #[must_use]
    pub fn measured(sent_micros: i64, took_micros: i64, node_millis: i64) -> Self {
        // A clock that shows a millisecond is on average half of one further.
        let node_micros = node_millis.saturating_mul(1000).saturating_add(500);
        let middle = sent_micros.saturating_add(took_micros / 2);
        Self {
            ahead_micros: node_micros.saturating_sub(middle),
            error_micros: took_micros / 2 + 500,
        }
    }

    /// How far the clocks are apart at least.
    #[must_use]
    pub fn at_least_micros(self) -> i64 {
        let distance = self.ahead_micros.saturating_abs();
        distance.saturating_sub(self.error_micros).max(0)
    }
}

/// A keyspace and its replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyspaceFacts {
    /// Its name.
    pub name: String,
    /// How it is replicated; `None` if there is no such keyspace.
    pub replication: Option<Replication>,
}

/// How a keyspace is replicated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replication {
    /// So many replicas, wherever they come to be.
    Simple(usize),
    /// So many replicas in each of these datacenters.
    PerDatacenter(BTreeMap<String, usize>),
    /// Something else, by the name of its class.
    Other(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skew_is_known_up_to_half_the_round_trip() {
        let skew = Skew::measured(1_000_000, 20_000, 1_060);
        assert_eq!(skew.ahead_micros, 50_500);
        assert_eq!(skew.error_micros, 10_500);
        assert_eq!(skew.at_least_micros(), 40_000);
        let behind = Skew::measured(1_000_000, 0, 900);
        assert_eq!(behind.at_least_micros(), 99_000);
        assert_eq!(Skew::measured(1_000_000, 2_000, 1_000).at_least_micros(), 0);
    }
}
