//! What is fine about a cluster, and what to change. Facts in, findings out.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Answers, Facts, KeyspaceFacts, NodeFacts, Replication, Skew};

/// How far clocks may be apart. Of two writes within that time, the earlier one may win.
const MOST_SKEW_MICROS: i64 = 500_000;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub subject: &'static str,
    /// What was found.
    pub found: String,
    /// What to make of it.
    pub verdict: Verdict,
}

/// What to make of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is as it should be.
    Fine,
    /// It may stay so; this is worth knowing.
    Note(String),
    /// It should be changed, in this way.
    Change(String),
}

impl Finding {
    fn fine(subject: &'static str, found: impl Into<String>) -> Self {
        Self {
            subject,
            found: found.into(),
            verdict: Verdict::Fine,
        }
    }

    fn note(subject: &'static str, found: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Note(note.into()),
            ..Self::fine(subject, found)
        }
    }

    fn change(subject: &'static str, found: impl Into<String>, how: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Change(how.into()),
            ..Self::fine(subject, found)
        }
    }
}

/// Judges a cluster.
#[must_use]
pub fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = vec![nodes(&facts.nodes)];
    findings.push(versions(&facts.nodes));
    findings.push(schema(&facts.nodes));
    findings.push(match &facts.keyspace {
        Some(keyspace) => replication(keyspace, &facts.nodes),
        None => Finding::note(
            "replication",
            "no keyspace was named",
            "name one in the URI to have its replicas looked at",
        ),
    });
    findings.push(clocks(&facts.nodes));
    findings.push(paxos(&facts.nodes));
    findings.extend(purging(&facts.nodes));
    findings.extend(compatibility(&facts.nodes));
    findings
}

fn answering(nodes: &[NodeFacts]) -> impl Iterator<Item = (&NodeFacts, &Answers)> {
    nodes
        .iter()
        .filter_map(|node| Some((node, node.answers.as_ref().ok()?)))
}

fn nodes(nodes: &[NodeFacts]) -> Finding {
    let silent: Vec<String> = nodes
        .iter()
        .filter_map(|node| {
            Some(format!(
                "{} ({})",
                node.address,
                node.answers.as_ref().err()?
            ))
        })
        .collect();
    let found = format!("{} of {} answer", nodes.len() - silent.len(), nodes.len());
    if silent.is_empty() {
        return Finding::fine("nodes", found);
    }
    Finding::change(
        "nodes",
        found,
        format!("start or remove {}", silent.join(", ")),
    )
}

/// Each value with the nodes that have it.
fn by_value<'a>(
    nodes: &'a [NodeFacts],
    value: impl Fn(&'a Answers) -> Option<&'a str>,
) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (node, answers) in answering(nodes) {
        if let Some(value) = value(answers) {
            groups.entry(value).or_default().push(&node.address);
        }
    }
    groups
}

fn listed(groups: &BTreeMap<&str, Vec<&str>>) -> String {
    let group = |(value, nodes): (&&str, &Vec<&str>)| format!("{value} on {}", nodes.join(", "));
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// The only value, if all nodes have the same.
fn only<'a>(groups: &BTreeMap<&'a str, Vec<&str>>) -> Option<&'a str> {
    let mut values = groups.keys();
    values.next().copied().filter(|_| values.next().is_none())
}

fn versions(nodes: &[NodeFacts]) -> Finding {
    let groups = by_value(nodes, |answers| Some(answers.release.as_str()));
    match only(&groups) {
        Some(version) => Finding::fine("versions", version),
        None => Finding::change(
            "versions",
            listed(&groups),
            "bring all nodes to the newest of these versions",
        ),
    }
}

fn schema(nodes: &[NodeFacts]) -> Finding {
    let groups = by_value(nodes, |answers| Some(answers.schema.as_str()));
    match only(&groups) {
        Some(_) => Finding::fine("schema", "all nodes agree"),
        None => Finding::change(
            "schema",
            listed(&groups),
            "wait a minute; if the nodes still disagree, restart those in the minority",
        ),
    }
}

fn replication(keyspace: &KeyspaceFacts, nodes: &[NodeFacts]) -> Finding {
    const SUBJECT: &str = "replication";
    let name = &keyspace.name;
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for node in nodes {
        *sizes
            .entry(node.datacenter.as_deref().unwrap_or("?"))
            .or_default() += 1;
    }
    match &keyspace.replication {
        None => Finding::change(
            SUBJECT,
            format!("there is no keyspace {name:?}"),
            "create it, or add rf=3 to the URI to have it created",
        ),
        Some(Replication::Other(class)) => Finding::change(
            SUBJECT,
            format!("{name}: {class}"),
            "use NetworkTopologyStrategy with 3 replicas in each datacenter",
        ),
        Some(Replication::Simple(factor)) => {
            let found = format!("{name}: SimpleStrategy, {factor} replicas");
            match factor_advice(*factor, nodes.len(), "the cluster") {
                _ if sizes.len() > 1 => Finding::change(
                    SUBJECT,
                    found,
                    "use NetworkTopologyStrategy: SimpleStrategy does not know datacenters",
                ),
                Some(advice) => Finding::change(SUBJECT, found, advice),
                None => Finding::fine(SUBJECT, found),
            }
        }
        Some(Replication::PerDatacenter(factors)) => {
            let parts: Vec<String> = factors
                .iter()
                .map(|(datacenter, factor)| format!("{datacenter} {factor}"))
                .collect();
            let found = format!("{name}: replicas in {}", parts.join(", "));
            match per_datacenter_advice(factors, &sizes) {
                Some(advice) => Finding::change(SUBJECT, found, advice),
                None => Finding::fine(SUBJECT, found),
            }
        }
    }
}

fn per_datacenter_advice(
    factors: &BTreeMap<String, usize>,
    sizes: &BTreeMap<&str, usize>,
) -> Option<String> {
    if factors.is_empty() {
        return Some("give it 3 replicas in each datacenter".to_owned());
    }
    factors.iter().find_map(
        |(datacenter, factor)| match sizes.get(datacenter.as_str()) {
            Some(size) => factor_advice(*factor, *size, datacenter),
            None => Some(format!(
                "no node is in the datacenter {datacenter:?}: correct its name or remove it"
            )),
        },
    )
}

/// What is wrong with so many replicas on so many nodes.
fn factor_advice(factor: usize, nodes: usize, place: &str) -> Option<String> {
    if factor > nodes {
        return Some(format!(
            "{place} has only {nodes} nodes: add nodes, or have fewer replicas"
        ));
    }
    match factor {
        0 | 1 => Some("have 3 replicas: what is on a lost node is lost".to_owned()),
        2 => Some("have 3 replicas: with 2, QUORUM needs every node".to_owned()),
        _ => None,
    }
}

fn clocks(nodes: &[NodeFacts]) -> Finding {
    const SUBJECT: &str = "clocks";
    let worst = answering(nodes).max_by_key(|(_, answers)| answers.skew.at_least_micros());
    let Some((node, answers)) = worst else {
        return Finding::note(SUBJECT, "unknown", "no node answers");
    };
    let skew = answers.skew;
    if skew.at_least_micros() > MOST_SKEW_MICROS {
        return Finding::change(
            SUBJECT,
            format!("{} is {}", node.address, skew_text(skew)),
            "let a time daemon set the clocks of all nodes and of this machine",
        );
    }
    let widest =
        answering(nodes).max_by_key(|(_, answers)| answers.skew.ahead_micros.saturating_abs());
    let skew = widest.map_or(skew, |(_, answers)| answers.skew);
    Finding::fine(SUBJECT, format!("at most {}", skew_text(skew)))
}

/// A skew in words.
fn skew_text(skew: Skew) -> String {
    let side = if skew.ahead_micros < 0 {
        "behind"
    } else {
        "ahead"
    };
    let millis = |micros: i64| micros as f64 / 1000.0;
    format!(
        "{:.1} ms {side} (± {:.1} ms)",
        millis(skew.ahead_micros.saturating_abs()),
        millis(skew.error_micros)
    )
}

/// The values of a setting on all nodes that tell it.
fn setting<'a>(nodes: &'a [NodeFacts], name: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
    by_value(nodes, |answers| {
        answers.settings.get(name).map(String::as_str)
    })
}

fn paxos(nodes: &[NodeFacts]) -> Finding {
    const SUBJECT: &str = "paxos variant";
    const ADVICE: &str =
        "set paxos_variant: v2 on all nodes: conditional writes then need fewer rounds";
    let groups = setting(nodes, "paxos_variant");
    match only(&groups) {
        Some("v2") => Finding::fine(SUBJECT, "v2"),
        Some(variant) => Finding::change(SUBJECT, variant, ADVICE),
        None if groups.is_empty() => Finding::note(SUBJECT, "unknown", "the nodes do not tell it"),
        None => Finding::change(SUBJECT, listed(&groups), ADVICE),
    }
}

fn purging(nodes: &[NodeFacts]) -> Option<Finding> {
    const SUBJECT: &str = "paxos state";
    let groups = setting(nodes, "paxos_state_purging");
    match only(&groups) {
        Some("repaired") => Some(Finding::fine(SUBJECT, "repaired")),
        Some(purging) => Some(Finding::note(
            SUBJECT,
            purging,
            "with paxos_variant v2 and regular Paxos repairs, \"repaired\" is safer",
        )),
        None if groups.is_empty() => None,
        None => Some(Finding::change(
            SUBJECT,
            listed(&groups),
            "set paxos_state_purging alike on all nodes",
        )),
    }
}

fn compatibility(nodes: &[NodeFacts]) -> Option<Finding> {
    const SUBJECT: &str = "compatibility";
    let groups = setting(nodes, "storage_compatibility_mode");
    let values: BTreeSet<&str> = groups.keys().copied().collect();
    match only(&groups) {
        Some("NONE") => Some(Finding::fine(SUBJECT, "NONE")),
        Some(mode) => Some(Finding::note(
            SUBJECT,
            mode,
            "with storage_compatibility_mode NONE a TTL may end after 2038",
        )),
        None if values.is_empty() => None,
        None => Some(Finding::note(
            SUBJECT,
            listed(&groups),
            "an upgrade is under way; finish it",
        )),
    }
}
