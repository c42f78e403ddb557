//! The schema from its records.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use stoa_store::cell::ColumnId;
use stoa_store::table::TableId;
use stoa_types::{ClusteringOrder, DataType, UserField, UserType};

use super::fields::{Fields, damaged};
use super::{KEYSPACE, RecordError, TABLE, TYPE, VERSION};
use crate::catalog::column::{Column, ColumnKind, ColumnMask};
use crate::catalog::keyspace::{Keyspace, KeyspaceKind, Schema};
use crate::catalog::options::{CachedRows, Caching, ReadRepair, SpeculativeRetry, TableOptions};
use crate::catalog::table::{DroppedColumn, Index, IndexTarget, Table, TableParts, ViewDefinition};
use crate::catalog::types::{UserTypes, text};

/// Reads the records of a schema; `system` is a schema with the system's keyspaces alone. Without
/// any record it is the answer.
///
/// # Errors
/// The first record that is damaged or has a newer format.
pub fn decode(records: &[(Vec<u8>, Vec<u8>)], system: &Schema) -> Result<Schema, RecordError> {
    let mut schema = system.clone();
    let records = parse(records)?;
    let mut keyspaces: BTreeMap<Arc<str>, Keyspace> = BTreeMap::new();
    for (name, value) in within(&records, KEYSPACE) {
        let keyspace = decode_keyspace(name, value, system)?;
        keyspaces.insert(Arc::clone(&keyspace.name), keyspace);
    }
    for keyspace in keyspaces.values_mut() {
        keyspace.types = decode_types(&keyspace.name, &records)?;
        let prefix = format!("{TABLE}{}/", keyspace.name);
        for (record, value) in within(&records, &prefix) {
            let name: Arc<str> = Arc::from(record.strip_prefix(&prefix).unwrap_or_default());
            let table = decode_table(record, value, keyspace, &name)?;
            keyspace.tables.insert(name, Arc::new(table));
        }
    }
    for (record, _) in within(&records, TYPE).chain(within(&records, TABLE)) {
        let owner = record.split('/').nth(2).unwrap_or_default();
        if !keyspaces.contains_key(owner) {
            return Err(damaged(record, "its keyspace is missing"));
        }
    }
    let keyspaces = keyspaces.into_iter().map(|(name, it)| (name, Arc::new(it)));
    schema.keyspaces.extend(keyspaces);
    match records.get(VERSION) {
        Some(value) => {
            let fields = Fields::of_record(VERSION, value)?;
            schema.version = fields.uuid("version")?;
            schema.next_table = fields.number("next_table")?;
        }
        None if records.is_empty() => {}
        None => return Err(damaged(VERSION, "it is missing")),
    }
    Ok(schema)
}

type Records = BTreeMap<String, Value>;

fn parse(records: &[(Vec<u8>, Vec<u8>)]) -> Result<Records, RecordError> {
    let mut parsed = Records::new();
    for (name, value) in records {
        let name = String::from_utf8_lossy(name).into_owned();
        let value =
            serde_json::from_slice(value).map_err(|error| damaged(&name, error.to_string()))?;
        let is_known = [VERSION, KEYSPACE, TYPE, TABLE]
            .iter()
            .any(|it| name.starts_with(it));
        if !is_known {
            return Err(damaged(&name, "no such record is known"));
        }
        parsed.insert(name, value);
    }
    Ok(parsed)
}

/// The records whose names begin with a prefix.
fn within<'a>(records: &'a Records, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let from = records.range(prefix.to_owned()..);
    from.take_while(move |(name, _)| name.starts_with(prefix))
        .map(|(name, value)| (name.as_str(), value))
}

fn decode_keyspace(record: &str, value: &Value, system: &Schema) -> Result<Keyspace, RecordError> {
    let fields = Fields::of_record(record, value)?;
    let name: Arc<str> = Arc::from(record.strip_prefix(KEYSPACE).unwrap_or_default());
    let (tables, types) = match (KeyspaceKind::of(&name), system.keyspace(&name)) {
        (KeyspaceKind::User, _) => (BTreeMap::new(), BTreeMap::new()),
        (KeyspaceKind::Replicated, Some(it)) => (it.tables.clone(), it.types.clone()),
        _ => return Err(fields.damaged("this keyspace is never recorded")),
    };
    Ok(Keyspace {
        name,
        replication: fields.map("replication")?,
        durable_writes: fields.boolean("durable_writes")?,
        tables,
        types,
    })
}

/// The user types of a keyspace. A type may stand before those it is made of, so they are made as
/// they are needed.
fn decode_types(keyspace: &str, records: &Records) -> Result<UserTypes, RecordError> {
    let prefix = format!("{TYPE}{keyspace}/");
    let mut waiting: Vec<(&str, Fields<'_>)> = Vec::new();
    for (record, value) in within(records, &prefix) {
        waiting.push((record, Fields::of_record(record, value)?));
    }
    let mut types = UserTypes::new();
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut later = Vec::new();
        for (record, fields) in waiting {
            let pairs = fields.pairs("fields")?;
            let needs = pairs
                .iter()
                .flat_map(|(_, it)| text::names(it.unwrap_or_default()));
            if { needs }.all(|name| types.contains_key(name.as_str())) {
                let name = record.strip_prefix(&prefix).unwrap_or_default();
                let user = decode_type(keyspace, name, fields, &types)?;
                types.insert(Arc::from(name), Arc::new(user));
            } else {
                later.push((record, fields));
            }
        }
        match later.first() {
            Some((record, _)) if later.len() == before => {
                return Err(damaged(record, "a type that it is made of is missing"));
            }
            _ => waiting = later,
        }
    }
    Ok(types)
}

fn decode_type(
    keyspace: &str,
    name: &str,
    fields: Fields<'_>,
    types: &UserTypes,
) -> Result<UserType, RecordError> {
    let field = |(name, text): (&str, Option<&str>)| {
        Ok(UserField {
            name: name.to_owned(),
            data_type: decode_data_type(fields, text.unwrap_or_default(), types)?,
        })
    };
    let pairs = fields.pairs("fields")?;
    Ok(UserType {
        keyspace: keyspace.to_owned(),
        name: name.to_owned(),
        fields: pairs.into_iter().map(field).collect::<Result<_, _>>()?,
        is_frozen: false,
    })
}

fn decode_data_type(
    fields: Fields<'_>,
    text: &str,
    types: &UserTypes,
) -> Result<DataType, RecordError> {
    let find = |name: &str| types.get(name).cloned();
    text::parse(text, &find).map_err(|error| fields.damaged(error.to_string()))
}

fn decode_table(
    record: &str,
    value: &Value,
    keyspace: &Keyspace,
    name: &Arc<str>,
) -> Result<Table, RecordError> {
    let fields = Fields::of_record(record, value)?;
    let types = &keyspace.types;
    let columns = fields.objects("columns")?.into_iter();
    let columns: Vec<Column> = columns
        .map(|it| decode_column(it, types))
        .collect::<Result<_, _>>()?;
    if !columns.iter().any(|it| it.kind == ColumnKind::PartitionKey) {
        return Err(fields.damaged("there is no partition key"));
    }
    let dropped = fields.objects("dropped")?.into_iter().map(|it| {
        Ok(DroppedColumn {
            column: decode_column(it.object("column")?, types)?,
            dropped_at_micros: it.number("dropped_at_micros")?,
        })
    });
    let indexes = fields.objects("indexes")?.into_iter();
    let indexes = indexes.map(|it| decode_index(it).map(Arc::new));
    let view = fields.optional_object("view")?;
    Ok(Table::new(TableParts {
        keyspace: Arc::clone(&keyspace.name),
        name: Arc::clone(name),
        id: fields.uuid("id")?,
        store: TableId(fields.number("store")?),
        columns,
        next_column: fields.number("next_column")?,
        options: decode_options(fields.object("options")?)?,
        indexes: indexes.collect::<Result<_, _>>()?,
        dropped: dropped.collect::<Result<_, _>>()?,
        view: view.map(decode_view).transpose()?,
    }))
}

fn decode_column(fields: Fields<'_>, types: &UserTypes) -> Result<Column, RecordError> {
    let kind = match fields.text("kind")? {
        "partition_key" => ColumnKind::PartitionKey,
        "clustering" => ColumnKind::Clustering,
        "static" => ColumnKind::Static,
        "regular" => ColumnKind::Regular,
        other => return Err(fields.damaged(format!("unknown kind of column {other}"))),
    };
    let mask = fields.optional_object("mask")?;
    Ok(Column {
        id: ColumnId(fields.number("id")?),
        name: Arc::from(fields.text("name")?),
        kind,
        position: fields.number("position")?,
        data_type: decode_data_type(fields, fields.text("type")?, types)?,
        order: match fields.boolean("is_descending")? {
            true => ClusteringOrder::Descending,
            false => ClusteringOrder::Ascending,
        },
        mask: mask.map(|it| decode_mask(it, types)).transpose()?,
    })
}

fn decode_mask(fields: Fields<'_>, types: &UserTypes) -> Result<ColumnMask, RecordError> {
    let argument = |(data_type, text): (&str, Option<&str>)| {
        let data_type = decode_data_type(fields, data_type, types)?;
        Ok((data_type, text.map(str::to_owned)))
    };
    let arguments = fields.pairs("arguments")?.into_iter().map(argument);
    Ok(ColumnMask {
        keyspace: Arc::from(fields.text("keyspace")?),
        function: Arc::from(fields.text("function")?),
        arguments: arguments.collect::<Result<_, _>>()?,
    })
}

fn decode_index(fields: Fields<'_>) -> Result<Index, RecordError> {
    let target = match fields.text("target")? {
        "simple" => IndexTarget::Simple,
        "keys" => IndexTarget::Keys,
        "values" => IndexTarget::Values,
        "entries" => IndexTarget::Entries,
        "full" => IndexTarget::Full,
        other => return Err(fields.damaged(format!("unknown target of an index {other}"))),
    };
    let options = fields.pairs("options")?.into_iter();
    let options = options.map(|(name, value)| match value {
        Some(value) => Ok((name.to_owned(), value.to_owned())),
        None => Err(fields.damaged("an option of an index is null")),
    });
    Ok(Index {
        name: Arc::from(fields.text("name")?),
        column: Arc::from(fields.text("column")?),
        target,
        class: fields.optional_text("class")?.map(str::to_owned),
        options: options.collect::<Result<_, _>>()?,
        store: TableId(fields.number("store")?),
    })
}

fn decode_view(fields: Fields<'_>) -> Result<ViewDefinition, RecordError> {
    Ok(ViewDefinition {
        base: Arc::from(fields.text("base")?),
        base_id: fields.uuid("base_id")?,
        includes_all: fields.boolean("includes_all")?,
        where_clause: fields.text("where")?.to_owned(),
    })
}

fn decode_options(fields: Fields<'_>) -> Result<TableOptions, RecordError> {
    let policy = |name: &str| fields.text(name).map(|it| SpeculativeRetry(it.to_owned()));
    let rows_per_partition = match fields.text_or_number("cache_rows")? {
        Ok("all") => CachedRows::All,
        Ok("none") => CachedRows::None,
        Ok(other) => return Err(fields.damaged(format!("unknown rows to cache {other}"))),
        Err(count) => CachedRows::First(count),
    };
    Ok(TableOptions {
        additional_write_policy: policy("additional_write_policy")?,
        allow_auto_snapshot: fields.boolean("allow_auto_snapshot")?,
        bloom_filter_fp_chance: fields.double("bloom_filter_fp_chance")?,
        caching: Caching {
            keys: fields.boolean("cache_keys")?,
            rows_per_partition,
        },
        cdc: fields.boolean("cdc")?,
        comment: fields.text("comment")?.to_owned(),
        compaction: fields.map("compaction")?,
        compression: fields.map("compression")?,
        memtable: fields.text("memtable")?.to_owned(),
        crc_check_chance: fields.double("crc_check_chance")?,
        default_time_to_live: fields.number("default_time_to_live")?,
        gc_grace_seconds: fields.number("gc_grace_seconds")?,
        incremental_backups: fields.boolean("incremental_backups")?,
        max_index_interval: fields.number("max_index_interval")?,
        memtable_flush_period_in_ms: fields.number("memtable_flush_period_in_ms")?,
        min_index_interval: fields.number("min_index_interval")?,
        read_repair: match fields.text("read_repair")? {
            "BLOCKING" => ReadRepair::Blocking,
            "NONE" => ReadRepair::None,
            other => return Err(fields.damaged(format!("unknown read_repair {other}"))),
        },
        speculative_retry: policy("speculative_retry")?,
    })
}
