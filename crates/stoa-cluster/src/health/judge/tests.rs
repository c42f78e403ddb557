//! Each piece of advice is given when it should be, and only then.

use super::*;

fn node(number: usize, datacenter: &str) -> NodeFacts {
    let settings = [
        ("paxos_variant", "v2"),
        ("storage_compatibility_mode", "NONE"),
    ];
    NodeFacts {
        address: format!("127.0.0.{number}:9042"),
        datacenter: Some(datacenter.to_owned()),
        answers: Ok(Answers {
            release: "5.0.8".to_owned(),
            schema: "s1".to_owned(),
            skew: Skew::default(),
            settings: settings
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        }),
    }
}

fn healthy() -> Facts {
    Facts {
        nodes: (1..=3).map(|number| node(number, "east")).collect(),
        keyspace: Some(replicated(&[("east", 3)])),
    }
}

fn replicated(factors: &[(&str, usize)]) -> KeyspaceFacts {
    let factors = factors
        .iter()
        .map(|(name, factor)| ((*name).to_owned(), *factor));
    KeyspaceFacts {
        name: "votes".to_owned(),
        replication: Some(Replication::PerDatacenter(factors.collect())),
    }
}

fn answers(facts: &mut Facts, number: usize) -> &mut Answers {
    facts.nodes[number].answers.as_mut().expect("it answers")
}

/// The advice on a subject, if there is any.
fn advice(facts: &Facts, subject: &str) -> Option<String> {
    let findings = judge(facts);
    let finding = findings.iter().find(|finding| finding.subject == subject);
    match &finding.expect(subject).verdict {
        Verdict::Change(how) => Some(how.clone()),
        Verdict::Fine | Verdict::Note(_) => None,
    }
}

fn advice_with(subject: &str, change: impl FnOnce(&mut Facts)) -> String {
    let mut facts = healthy();
    change(&mut facts);
    advice(&facts, subject).unwrap_or_default()
}

#[test]
fn a_healthy_cluster_is_fine() {
    for finding in judge(&healthy()) {
        assert_eq!(finding.verdict, Verdict::Fine, "{finding:?}");
    }
}

#[test]
fn a_silent_node_is_named() {
    let advice = advice_with("nodes", |facts| {
        facts.nodes[1].answers = Err("connection refused".to_owned());
    });
    assert_eq!(
        advice,
        "start or remove 127.0.0.2:9042 (connection refused)"
    );
}

#[test]
fn versions_and_schemas_must_not_differ() {
    let advice = advice_with("versions", |facts| {
        answers(facts, 2).release = "4.1.0".into();
    });
    assert!(advice.contains("newest"), "{advice}");
    let advice = advice_with("schema", |facts| answers(facts, 2).schema = "s2".into());
    assert!(advice.contains("minority"), "{advice}");
}

#[test]
fn replicas_must_be_enough_and_not_too_many() {
    let with = |factors: &[(&str, usize)]| {
        advice_with("replication", |facts| {
            facts.keyspace = Some(replicated(factors));
        })
    };
    assert!(with(&[("east", 1)]).contains("lost"));
    assert!(with(&[("east", 2)]).contains("QUORUM"));
    assert!(with(&[("east", 4)]).contains("only 3 nodes"));
    assert!(with(&[("west", 3)]).contains("\"west\""));
    assert!(with(&[]).contains("3 replicas"));
    assert_eq!(with(&[("east", 3)]), "");
}

#[test]
fn a_missing_keyspace_is_told_how_to_be_made() {
    let advice = advice_with("replication", |facts| {
        facts.keyspace = Some(KeyspaceFacts {
            name: "votes".to_owned(),
            replication: None,
        });
    });
    assert!(advice.contains("rf=3"), "{advice}");
}

#[test]
fn a_simple_strategy_is_for_one_datacenter() {
    let simple = |facts: &mut Facts, factor| {
        facts.keyspace = Some(KeyspaceFacts {
            name: "votes".to_owned(),
            replication: Some(Replication::Simple(factor)),
        });
    };
    let mut facts = healthy();
    simple(&mut facts, 3);
    assert_eq!(advice(&facts, "replication"), None);
    facts.nodes.push(node(4, "west"));
    assert!(advice(&facts, "replication").is_some_and(|it| it.contains("datacenters")));
    let advice = advice_with("replication", |facts| simple(facts, 5));
    assert!(advice.contains("only 3 nodes"), "{advice}");
}

#[test]
fn clocks_may_differ_by_what_cannot_be_measured() {
    let with = |ahead_micros, error_micros| {
        advice_with("clocks", |facts| {
            answers(facts, 0).skew = Skew {
                ahead_micros,
                error_micros,
            };
        })
    };
    assert_eq!(with(-400_000, 0), "");
    assert_eq!(with(900_000, 450_000), "");
    assert!(with(-600_000, 1_000).contains("time daemon"));
    assert!(with(i64::MIN, 0).contains("time daemon"));
}

#[test]
fn paxos_should_be_of_the_second_variant_everywhere() {
    let with = |change: fn(&mut BTreeMap<String, String>)| {
        advice_with("paxos variant", |facts| {
            change(&mut answers(facts, 0).settings);
        })
    };
    let set = |settings: &mut BTreeMap<String, String>| {
        settings.insert("paxos_variant".to_owned(), "v1".to_owned());
    };
    assert!(with(set).contains("v2"));
    let mut silent = healthy();
    for number in 0..3 {
        answers(&mut silent, number).settings.clear();
    }
    assert_eq!(advice(&silent, "paxos variant"), None);
}
