//! Asks every node of a cluster about itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use scylla::cluster::metadata::Strategy;
use scylla::cluster::{ClusterState, Node};
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::response::PagingState;
use scylla::statement::Consistency;
use scylla::statement::unprepared::Statement;
use stoa_session::{FromCql, Outcome, Rows};
use stoa_types::clock::Clock;
use stoa_types::{Timestamp, Value};

use super::facts::{Answers, Facts, KeyspaceFacts, NodeFacts, Replication, Skew};
use crate::cluster::Cluster;
use crate::columns::Known;
use crate::failure;
use crate::rows::answer;

/// How long a node may take to answer one question.
const LIMIT: Duration = Duration::from_secs(3);

/// How often a node is asked for the time; the quickest answer counts.
const READINGS: usize = 5;

/// Settings that are judged.
const SETTINGS: [&str; 3] = [
    "paxos_variant",
    "paxos_state_purging",
    "storage_compatibility_mode",
];

impl Cluster {
    /// Asks every node about itself, one after another, and about a keyspace.
    pub async fn facts(&self, keyspace: Option<&str>, clock: &dyn Clock) -> Facts {
        let state = self.driver().get_cluster_state();
        let mut nodes = Vec::new();
        for node in state.get_nodes_info() {
            nodes.push(NodeFacts {
                address: format!("{}:{}", node.address.ip(), node.address.port()),
                datacenter: node.datacenter.clone(),
                answers: self.answers(node, clock).await,
            });
        }
        nodes.sort_by(|one, other| one.address.cmp(&other.address));
        Facts {
            nodes,
            keyspace: keyspace.map(|name| keyspace_facts(&state, name)),
        }
    }

    async fn answers(&self, node: &Arc<Node>, clock: &dyn Clock) -> Result<Answers, String> {
        let local = "SELECT release_version, schema_version FROM system.local";
        let rows = self.ask(node, local).await?;
        Ok(Answers {
            release: first(&rows, "release_version")?,
            schema: first::<Value>(&rows, "schema_version").map(|version| text_of(&version))?,
            skew: self.skew(node, clock).await?,
            settings: self.settings(node).await,
        })
    }

    async fn skew(&self, node: &Arc<Node>, clock: &dyn Clock) -> Result<Skew, String> {
        let mut best: Option<Skew> = None;
        for _ in 0..READINGS {
            let (sent, start) = (clock.now_micros(), clock.monotonic());
            let question = "SELECT totimestamp(now()) AS time FROM system.local";
            let rows = self.ask(node, question).await?;
            let took = clock.monotonic().saturating_sub(start).as_micros();
            let time: Timestamp = first(&rows, "time")?;
            let took = i64::try_from(took).unwrap_or(i64::MAX);
            let skew = Skew::measured(sent, took, time.0);
            if best.is_none_or(|best| skew.error_micros < best.error_micros) {
                best = Some(skew);
            }
        }
        best.ok_or_else(|| "it was not asked for the time".to_owned())
    }

    /// What old versions do not tell is left out.
    async fn settings(&self, node: &Arc<Node>) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        for name in SETTINGS {
            let question = format!("SELECT value FROM system_views.settings WHERE name = '{name}'");
            let rows = self.ask(node, &question).await;
            let value = rows.and_then(|rows| first::<Option<String>>(&rows, "value"));
            if let Ok(value) = value {
                let value = value.unwrap_or_else(|| "not set".to_owned());
                settings.insert(name.to_owned(), value);
            }
        }
        settings
    }

    /// Asks this node and no other.
    async fn ask(&self, node: &Arc<Node>, question: &str) -> Result<Rows, String> {
        let mut statement = Statement::new(question);
        let target = NodeIdentifier::Node(Arc::clone(node));
        let policy = SingleTargetLoadBalancingPolicy::new(target, None);
        statement.set_load_balancing_policy(Some(policy));
        statement.set_consistency(Consistency::One);
        let call = self
            .driver()
            .query_single_page(statement, (), PagingState::start());
        let answered = match tokio::time::timeout(LIMIT, call).await {
            Ok(Ok((result, next))) => answer(result, next, &Known::default()),
            Ok(Err(error)) => Err(failure::of_execution(&error)),
            Err(_) => Err(failure::past_deadline(LIMIT)),
        };
        match answered {
            Ok(answer) => Ok(answer.into_rows()),
            Err(cause) => Err(cause.with(Outcome::NotApplied).to_string()),
        }
    }
}

/// A column of the only row.
fn first<'row, T: FromCql<'row>>(rows: &'row Rows, column: &str) -> Result<T, String> {
    let row = rows.first().ok_or("an answer without rows")?;
    row.get(column).map_err(|problem| problem.to_string())
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Uuid(uuid) => uuid.to_string(),
        other => format!("{other:?}"),
    }
}

fn keyspace_facts(state: &ClusterState, name: &str) -> KeyspaceFacts {
    let replication = state.get_keyspace(name).map(|it| match &it.strategy {
        Strategy::SimpleStrategy { replication_factor } => Replication::Simple(*replication_factor),
        Strategy::NetworkTopologyStrategy {
            datacenter_repfactors,
        } => Replication::PerDatacenter(sorted(datacenter_repfactors)),
        Strategy::LocalStrategy => Replication::Other("LocalStrategy".to_owned()),
        Strategy::Other { name, .. } => Replication::Other(name.clone()),
        other => Replication::Other(format!("{other:?}")),
    });
    KeyspaceFacts {
        name: name.to_owned(),
        replication,
    }
}

fn sorted(factors: &HashMap<String, usize>) -> BTreeMap<String, usize> {
    factors
        .iter()
        .map(|(name, factor)| (name.clone(), *factor))
        .collect()
}
