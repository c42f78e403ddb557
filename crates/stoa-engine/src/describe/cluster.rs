//! `DESCRIBE CLUSTER`.

use stoa_types::{DataType, Value, native};

use super::{Description, column};
use crate::catalog::KeyspaceKind;
use crate::system::Environment;

/// The cluster's name, its partitioner and its snitch; with a keyspace in use also who owns which
/// range: this node, all of them.
pub(super) fn describe(keyspace: Option<&str>, environment: &Environment) -> Description {
    let mut columns = ["cluster", "partitioner", "snitch"]
        .map(|name| column(name, DataType::Text))
        .to_vec();
    let mut row: Vec<_> = [
        &*environment.cluster_name,
        "Murmur3Partitioner",
        "DynamicEndpointSnitch",
    ]
    .map(|text| Some(text.as_bytes().to_vec()))
    .to_vec();
    if keyspace.is_some_and(|it| KeyspaceKind::of(it) == KeyspaceKind::User) {
        let owners = DataType::map(DataType::Text, DataType::list(DataType::Text));
        row.push(ownership(&owners, environment));
        columns.push(column("range_ownership", owners));
    }
    Description {
        columns: columns.into(),
        rows: vec![row],
    }
}

fn ownership(data_type: &DataType, environment: &Environment) -> Option<Vec<u8>> {
    let address = Value::Text(format!(
        "{}:{}",
        environment.address, environment.storage_port
    ));
    let mut tokens: Vec<String> = environment.tokens.iter().map(ToString::to_string).collect();
    tokens.sort();
    let pairs = tokens.into_iter();
    let pairs = pairs.map(|token| (Value::Text(token), Value::List(vec![address.clone()])));
    native::encode(data_type, &Value::Map(pairs.collect()))
        .ok()
        .flatten()
}
