//! `CREATE KEYSPACE`, `ALTER KEYSPACE`, `DROP KEYSPACE`.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_cql::ast::{AlterKeyspace, CreateKeyspace, DropKeyspace, Properties};
use stoa_session::answer::{Change, SchemaChange, Target};

use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::catalog::options::properties::PropertyReader;
use crate::catalog::{Keyspace, replication};
use crate::refusal::{Refusal, RefusalKind};

const KNOWN: [&str; 2] = ["durable_writes", "replication"];

pub(super) fn create(
    statement: &CreateKeyspace,
    draft: &mut Draft<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let name = statement.name.as_str();
    refuse_system(name)?;
    let map = validate(&statement.properties)?;
    let Some(map) = map else {
        return Err(Refusal::invalid("Missing mandatory option 'replication'"));
    };
    if draft.new.keyspace(name).is_some() {
        return match statement.if_not_exists {
            true => Ok(None),
            false => Err(Refusal::new(
                RefusalKind::AlreadyExists,
                format!("Cannot add existing keyspace \"{name}\""),
            )),
        };
    }
    let given = PropertyReader(&statement.properties);
    let durable_writes = given.boolean("durable_writes")?.unwrap_or(true);
    let replication = replication::read(name, map, &BTreeMap::new())?;
    draft
        .warnings
        .extend(replication::warnings(name, &replication));
    draft.put_keyspace(Keyspace {
        name: Arc::from(name),
        replication,
        durable_writes,
        tables: BTreeMap::new(),
        types: BTreeMap::new(),
    });
    Ok(told(Change::Created, Target::Keyspace, name, ""))
}

pub(super) fn alter(
    statement: &AlterKeyspace,
    draft: &mut Draft<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let name = statement.name.as_str();
    refuse_unauthorized(name, Level::Settings)?;
    refuse_system(name)?;
    let map = validate(&statement.properties)?;
    let Some(old) = draft.new.keyspace(name) else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!("Keyspace '{name}' doesn't exist"))),
        };
    };
    let mut new = Keyspace::clone(old);
    let given = PropertyReader(&statement.properties);
    if let Some(durable_writes) = given.boolean("durable_writes")? {
        new.durable_writes = durable_writes;
    }
    if let Some(map) = map.filter(|map| !map.is_empty()) {
        new.replication = replication::read(name, map, &old.replication)?;
    }
    let mut warnings = replication::warnings(name, &new.replication);
    if replication::factor(&old.replication) < replication::factor(&new.replication) {
        warnings.push(
            "When increasing replication factor you need to run a full (-full) repair to \
             distribute the data."
                .to_owned(),
        );
    }
    draft.warnings.extend(warnings);
    draft.put_keyspace(new);
    Ok(told(Change::Updated, Target::Keyspace, name, ""))
}

pub(super) fn drop(
    statement: &DropKeyspace,
    draft: &mut Draft<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let name = statement.name.as_str();
    refuse_unauthorized(name, Level::Contents)?;
    refuse_system(name)?;
    match draft.new.keyspaces.remove(name) {
        Some(_) => Ok(told(Change::Dropped, Target::Keyspace, name, "")),
        None if statement.if_exists => Ok(None),
        None => Err(Refusal::invalid(format!("Keyspace '{name}' doesn't exist"))),
    }
}

/// Refuses unknown options, and a replication without a class. An empty one is no replication at
/// all in Cassandra's eyes, and passes.
fn validate(properties: &Properties) -> Result<Option<BTreeMap<String, String>>, Refusal> {
    let given = PropertyReader(properties);
    given.refuse_unknown(&KNOWN)?;
    let map = given.map("replication")?;
    match &map {
        Some(map) if !map.is_empty() && !map.contains_key("class") => {
            Err(Refusal::configuration("Missing replication strategy class"))
        }
        _ => Ok(map),
    }
}
