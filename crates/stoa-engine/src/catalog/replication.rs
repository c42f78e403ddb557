//! The option `replication` of a keyspace: how many nodes keep its data.
//!
//! There is one node, in the data centre `datacenter1`, so a replication is checked and shown. The
//! rules are those of Cassandra's `ReplicationParams` and its strategies.

use std::collections::BTreeMap;

use super::keyspace::KeyspaceKind;
use crate::refusal::Refusal;

/// The only data centre.
pub const DATA_CENTRE: &str = "datacenter1";
/// How many nodes there are.
const NODES: i32 = 1;
/// What a keyspace gets that names no factor.
const DEFAULT_FACTOR: &str = "1";

const PACKAGE: &str = "org.apache.cassandra.locator.";
const FACTOR: &str = "replication_factor";
const CLASS: &str = "class";

/// The replication of Cassandra's own local keyspaces.
#[must_use]
pub fn local() -> BTreeMap<String, String> {
    BTreeMap::from([(CLASS.to_owned(), format!("{PACKAGE}LocalStrategy"))])
}

/// The replication of a keyspace on this many nodes, wherever they are.
#[must_use]
pub fn simple(factor: u32) -> BTreeMap<String, String> {
    BTreeMap::from([
        (CLASS.to_owned(), format!("{PACKAGE}SimpleStrategy")),
        (FACTOR.to_owned(), factor.to_string()),
    ])
}

/// The strategy's class as `DESCRIBE` shows it: without the package of Cassandra's own.
#[must_use]
pub fn short_class(replication: &BTreeMap<String, String>) -> &str {
    let class = replication.get(CLASS).map_or("", String::as_str);
    class.strip_prefix(PACKAGE).unwrap_or(class)
}

/// What is in a replication besides the class.
pub fn options(replication: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    let pairs = replication.iter().filter(|(name, _)| *name != CLASS);
    pairs.map(|(name, value)| (name.as_str(), value.as_str()))
}

/// Reads the map of the option; `previous` is what the keyspace had. The class comes out in its
/// full name, missing factors are filled in.
///
/// # Errors
/// A missing or unknown class, options the class does not know, factors that are no numbers.
pub fn read(
    keyspace: &str,
    mut map: BTreeMap<String, String>,
    previous: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Refusal> {
    // Cassandra fails at an empty map by itself.
    let class = map.remove(CLASS).ok_or_else(|| {
        Refusal::server("java.lang.NullPointerException: the class of the replication is null")
    })?;
    let full = match class.contains('.') {
        true => class,
        false => format!("{PACKAGE}{class}"),
    };
    match full.strip_prefix(PACKAGE) {
        Some("SimpleStrategy") => {
            let before = previous.get(FACTOR).map_or(DEFAULT_FACTOR, String::as_str);
            map.entry(FACTOR.to_owned())
                .or_insert_with(|| before.to_owned());
            validate_simple(keyspace, &map)?;
        }
        Some("NetworkTopologyStrategy") => {
            map = spread(map, previous);
            validate_topology(keyspace, &map)?;
        }
        Some("LocalStrategy") => {
            return Err(Refusal::invalid(
                "Unable to use given strategy class: LocalStrategy is reserved for internal use.",
            ));
        }
        _ => {
            return Err(Refusal::configuration(format!(
                "Unable to find replication strategy class '{full}'"
            )));
        }
    }
    map.insert(CLASS.to_owned(), full);
    Ok(map)
}

/// How many copies a replication asks for.
#[must_use]
pub fn factor(replication: &BTreeMap<String, String>) -> i32 {
    let factors = options(replication).filter_map(|(_, factor)| parse_factor(factor).ok());
    factors.map(|(full, _)| full).sum()
}

/// What Cassandra tells whoever asks for more copies than there are nodes.
#[must_use]
pub fn warnings(keyspace: &str, replication: &BTreeMap<String, String>) -> Vec<String> {
    if KeyspaceKind::of(keyspace).is_system() {
        return Vec::new();
    }
    let is_simple = short_class(replication) == "SimpleStrategy";
    let warn = |(data_centre, factor): (&str, &str)| {
        let (full, _) = parse_factor(factor).ok()?;
        let place = match is_simple {
            true => String::new(),
            false => format!(" for datacenter {data_centre}"),
        };
        (full > NODES).then(|| {
            format!(
                "Your replication factor {full} for keyspace {keyspace} is higher than the number \
                 of nodes {NODES}{place}"
            )
        })
    };
    options(replication).filter_map(warn).collect()
}

fn validate_simple(keyspace: &str, options: &BTreeMap<String, String>) -> Result<(), Refusal> {
    validate_factor(options.get(FACTOR).map_or("", String::as_str))?;
    match options.keys().find(|name| *name != FACTOR) {
        Some(unknown) => Err(unrecognized(unknown, "SimpleStrategy", keyspace)),
        None => Ok(()),
    }
}

/// Gives every data centre the factor that is for all of them. What goes wrong on the way is
/// passed over: then there is no data centre, which is refused afterwards.
fn spread(
    mut options: BTreeMap<String, String>,
    previous: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    if options.is_empty() {
        let before = previous.get(FACTOR).map_or(DEFAULT_FACTOR, String::as_str);
        options.insert(FACTOR.to_owned(), before.to_owned());
    }
    if let Some(factor) = options.remove(FACTOR) {
        for (name, value) in previous {
            if name != FACTOR && name != CLASS {
                let entry = options.entry(name.clone());
                entry.or_insert_with(|| value.clone());
            }
        }
        let Ok((full, transient)) = parse_factor(&factor) else {
            return options;
        };
        let shown = match transient {
            0 => full.to_string(),
            transient => format!("{full}/{transient}"),
        };
        options.entry(DATA_CENTRE.to_owned()).or_insert(shown);
    }
    options.retain(|_, factor| factor != "0");
    options
}

fn validate_topology(keyspace: &str, options: &BTreeMap<String, String>) -> Result<(), Refusal> {
    for factor in options.values() {
        validate_factor(factor)?;
    }
    if options.is_empty() {
        return Err(Refusal::configuration(
            "Configuration for at least one datacenter must be present",
        ));
    }
    match options.keys().find(|name| *name != DATA_CENTRE) {
        Some(unknown) => Err(unrecognized(unknown, "NetworkTopologyStrategy", keyspace)),
        None => Ok(()),
    }
}

fn validate_factor(factor: &str) -> Result<(), Refusal> {
    let (_, transient) = parse_factor(factor).map_err(Refusal::configuration)?;
    match transient {
        0 => Ok(()),
        _ => Err(Refusal::configuration(
            "Transient replication is disabled. Enable in cassandra.yaml to use.",
        )),
    }
}

/// All copies and the transient ones among them: `3` or `3/1`.
fn parse_factor(text: &str) -> Result<(i32, i32), String> {
    let number = |digits: &str| {
        let parsed = digits.parse::<i32>();
        parsed.map_err(|_| format!("For input string: \"{digits}\""))
    };
    let (all, transient) = match text.split_once('/') {
        None => (number(text)?, 0),
        Some((all, transient)) => (number(all)?, number(transient)?),
    };
    if transient < 0 || (transient > 0 && transient >= all) {
        return Err(format!(
            "Transient replicas must be zero, or less than total replication factor. For \
             {all}/{transient}"
        ));
    }
    match all < 0 {
        true => Err(format!(
            "Replication factor must be non-negative, found {all}"
        )),
        false => Ok((all, transient)),
    }
}

fn unrecognized(option: &str, strategy: &str, keyspace: &str) -> Refusal {
    Refusal::configuration(format!(
        "Unrecognized strategy option {{{option}}} passed to {strategy} for keyspace {keyspace}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalKind;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn full(class: &str, pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let mut all = map(pairs);
        all.insert("class".to_owned(), format!("{PACKAGE}{class}"));
        all
    }

    #[test]
    fn factors_are_filled_in() {
        let none = BTreeMap::new();
        let cases = [
            (
                map(&[("class", "SimpleStrategy")]),
                none.clone(),
                full("SimpleStrategy", &[("replication_factor", "1")]),
            ),
            (
                map(&[
                    ("class", "NetworkTopologyStrategy"),
                    ("replication_factor", "2"),
                ]),
                none.clone(),
                full("NetworkTopologyStrategy", &[("datacenter1", "2")]),
            ),
            (
                map(&[("class", "NetworkTopologyStrategy")]),
                full("SimpleStrategy", &[("replication_factor", "3")]),
                full("NetworkTopologyStrategy", &[("datacenter1", "3")]),
            ),
            (
                map(&[("class", "SimpleStrategy")]),
                full("NetworkTopologyStrategy", &[("datacenter1", "3")]),
                full("SimpleStrategy", &[("replication_factor", "1")]),
            ),
        ];
        for (given, previous, expected) in cases {
            assert_eq!(read("ks", given, &previous), Ok(expected));
        }
    }

    #[test]
    fn wrong_replications_are_refused() {
        let cases = [
            (map(&[]), RefusalKind::Server),
            (map(&[("class", "NoStrategy")]), RefusalKind::Configuration),
            (map(&[("class", "LocalStrategy")]), RefusalKind::Invalid),
            (
                map(&[("class", "SimpleStrategy"), ("replication_factor", "-1")]),
                RefusalKind::Configuration,
            ),
            (
                map(&[("class", "SimpleStrategy"), ("replication_factor", "3/1")]),
                RefusalKind::Configuration,
            ),
            (
                map(&[("class", "NetworkTopologyStrategy"), ("datacenter1", "0")]),
                RefusalKind::Configuration,
            ),
            (
                map(&[
                    ("class", "NetworkTopologyStrategy"),
                    ("replication_factor", "x"),
                ]),
                RefusalKind::Configuration,
            ),
            (
                map(&[("class", "NetworkTopologyStrategy"), ("elsewhere", "1")]),
                RefusalKind::Configuration,
            ),
        ];
        for (given, kind) in cases {
            let refused = read("ks", given.clone(), &BTreeMap::new());
            assert_eq!(refused.map_err(|it| it.kind), Err(kind), "{given:?}");
        }
    }

    #[test]
    fn more_copies_than_nodes_are_warned_about() {
        let three = full("SimpleStrategy", &[("replication_factor", "3")]);
        assert_eq!(
            warnings("ks", &three),
            ["Your replication factor 3 for keyspace ks is higher than the number of nodes 1"]
        );
        assert!(warnings("ks", &simple(1)).is_empty());
        assert_eq!(factor(&three), 3);
    }
}
