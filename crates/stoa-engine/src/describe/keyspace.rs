//! `CREATE KEYSPACE` of a keyspace that is there.

use stoa_types::text::identifier::quoted;

use super::Element;
use super::text::string;
use crate::catalog::{Keyspace, KeyspaceKind, replication};

pub(super) fn element(keyspace: &Keyspace) -> Element {
    Element {
        keyspace: keyspace.name.to_string(),
        kind: "keyspace",
        name: keyspace.name.to_string(),
        statement: statement(keyspace),
    }
}

fn statement(keyspace: &Keyspace) -> String {
    let name = quoted(&keyspace.name);
    if keyspace.kind() == KeyspaceKind::Virtual {
        return format!(
            "/*\nWarning: Keyspace {name} is a virtual keyspace and cannot be recreated with \
             CQL.\nStructure, for reference:\nVIRTUAL KEYSPACE {name};\n*/"
        );
    }
    let class = string(replication::short_class(&keyspace.replication));
    let mut options = format!("{{'class': {class}");
    for (name, value) in replication::options(&keyspace.replication) {
        options.push_str(&format!(", {}: {}", string(name), string(value)));
    }
    options.push('}');
    // The two spaces are Cassandra's.
    format!(
        "CREATE KEYSPACE {name} WITH replication = {options}  AND durable_writes = {};",
        keyspace.durable_writes
    )
}
