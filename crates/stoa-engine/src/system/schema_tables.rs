//! The keyspace `system_schema`: the schema as rows, the system's own keyspaces included.
//!
//! Some columns are there for old drivers only, and some are null where Cassandra leaves out what
//! has its default: see `SchemaKeyspace.java`.

use std::collections::BTreeMap;

use stoa_types::{ClusteringOrder, Timestamp, UserType, Value};

use super::Row;
use super::row::{row, text, text_list, text_map};
use crate::catalog::{
    Column, ColumnKind, ColumnMask, DroppedColumn, Index, Keyspace, KeyspaceKind, Schema, Table,
    TableOptions, ViewDefinition,
};

pub(super) fn rows(schema: &Schema, table: &Table) -> Vec<Row> {
    let keyspaces = schema.keyspaces.values();
    let stored = keyspaces.filter(|it| it.kind() != KeyspaceKind::Virtual);
    let stored: Vec<&Keyspace> = stored.map(|it| &**it).collect();
    let tables = || stored.iter().flat_map(|it| it.tables.values());
    match &*table.name {
        "keyspaces" => stored.iter().map(|it| keyspace(table, it)).collect(),
        "tables" => {
            let plain = tables().filter(|it| !it.is_view());
            plain.map(|it| plain_table(table, it)).collect()
        }
        "views" => {
            let views = tables().filter_map(|it| Some((it, it.view.as_ref()?)));
            views
                .map(|(it, definition)| view(table, it, definition))
                .collect()
        }
        "columns" => {
            let columns = tables().flat_map(|it| it.columns.iter().map(move |at| (it, at)));
            columns
                .map(|(owner, it)| column(table, owner, it))
                .collect()
        }
        "column_masks" => {
            let columns = tables().flat_map(|it| it.columns.iter().map(move |at| (it, at)));
            let masked = columns.filter_map(|(owner, it)| Some((owner, it, it.mask.as_ref()?)));
            masked
                .map(|(owner, it, at)| mask(table, owner, it, at))
                .collect()
        }
        "dropped_columns" => {
            let dropped = tables().flat_map(|it| it.dropped.iter().map(move |at| (it, at)));
            dropped
                .map(|(owner, it)| dropped_column(table, owner, it))
                .collect()
        }
        "indexes" => {
            let indexes = tables().flat_map(|it| it.indexes.iter().map(move |at| (it, at)));
            indexes.map(|(owner, it)| index(table, owner, it)).collect()
        }
        "types" => {
            let types = stored.iter().flat_map(|it| it.types.values());
            types.map(|it| user_type(table, it)).collect()
        }
        _ => Vec::new(),
    }
}

fn keyspace(table: &Table, keyspace: &Keyspace) -> Row {
    row(
        table,
        &[
            ("keyspace_name", text(&*keyspace.name)),
            ("durable_writes", Value::Boolean(keyspace.durable_writes)),
            ("replication", text_map(&keyspace.replication)),
        ],
    )
}

fn plain_table(table: &Table, described: &Table) -> Row {
    let mut flags = vec![text("compound")];
    if described.is_counter() {
        flags.push(text("counter"));
    }
    let mut values = options(&described.options);
    values.extend([
        ("keyspace_name", text(&*described.keyspace)),
        ("table_name", text(&*described.name)),
        ("flags", Value::Set(flags)),
        ("id", Value::Uuid(described.id)),
    ]);
    row(table, &values)
}

fn view(table: &Table, described: &Table, definition: &ViewDefinition) -> Row {
    let mut values = options(&described.options);
    values.extend([
        ("keyspace_name", text(&*described.keyspace)),
        ("view_name", text(&*described.name)),
        ("base_table_id", Value::Uuid(definition.base_id)),
        ("base_table_name", text(&*definition.base)),
        ("id", Value::Uuid(described.id)),
        (
            "include_all_columns",
            Value::Boolean(definition.includes_all),
        ),
        ("where_clause", text(&definition.where_clause)),
    ]);
    row(table, &values)
}

/// Options as columns. Whether changes are captured, and the memtable, are told only by servers
/// with settings that we have not; two others are told only when they are false.
fn options(options: &TableOptions) -> Vec<(&'static str, Value)> {
    let only_false = |value: bool| match value {
        true => Value::Null,
        false => Value::Boolean(false),
    };
    vec![
        (
            "additional_write_policy",
            text(&options.additional_write_policy.0),
        ),
        (
            "allow_auto_snapshot",
            only_false(options.allow_auto_snapshot),
        ),
        (
            "bloom_filter_fp_chance",
            Value::Double(options.bloom_filter_fp_chance),
        ),
        ("caching", text_map(&options.caching.as_map())),
        ("comment", text(&options.comment)),
        ("compaction", text_map(&options.compaction)),
        ("compression", text_map(&options.compression)),
        ("crc_check_chance", Value::Double(options.crc_check_chance)),
        ("dclocal_read_repair_chance", Value::Double(0.0)),
        (
            "default_time_to_live",
            Value::Int(options.default_time_to_live),
        ),
        ("extensions", Value::Map(Vec::new())),
        ("gc_grace_seconds", Value::Int(options.gc_grace_seconds)),
        (
            "incremental_backups",
            only_false(options.incremental_backups),
        ),
        ("max_index_interval", Value::Int(options.max_index_interval)),
        (
            "memtable_flush_period_in_ms",
            Value::Int(options.memtable_flush_period_in_ms),
        ),
        ("min_index_interval", Value::Int(options.min_index_interval)),
        ("read_repair", text(options.read_repair.to_string())),
        ("read_repair_chance", Value::Double(0.0)),
        ("speculative_retry", text(&options.speculative_retry.0)),
    ]
}

/// A column of a table; also for the keyspace `system_virtual_schema`, which has the same columns.
pub(super) fn column(table: &Table, owner: &Table, column: &Column) -> Row {
    let order = match (column.kind, column.order) {
        (ColumnKind::Clustering, ClusteringOrder::Ascending) => "asc",
        (ColumnKind::Clustering, ClusteringOrder::Descending) => "desc",
        _ => "none",
    };
    let position = match column.is_key() {
        true => i32::try_from(column.position).unwrap_or(i32::MAX),
        false => -1,
    };
    row(
        table,
        &[
            ("keyspace_name", text(&*owner.keyspace)),
            ("table_name", text(&*owner.name)),
            ("column_name", text(&*column.name)),
            ("clustering_order", text(order)),
            (
                "column_name_bytes",
                Value::Blob(column.name.as_bytes().to_vec()),
            ),
            ("kind", text(kind(column.kind))),
            ("position", Value::Int(position)),
            ("type", text(column.data_type.to_string())),
        ],
    )
}

fn kind(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::PartitionKey => "partition_key",
        ColumnKind::Clustering => "clustering",
        ColumnKind::Static => "static",
        ColumnKind::Regular => "regular",
    }
}

fn mask(table: &Table, owner: &Table, column: &Column, mask: &ColumnMask) -> Row {
    let types = mask.arguments.iter().map(|(it, _)| text(it.to_string()));
    let values = mask
        .arguments
        .iter()
        .map(|(_, it)| it.as_deref().unwrap_or_default());
    let nulls = mask
        .arguments
        .iter()
        .map(|(_, it)| Value::Boolean(it.is_none()));
    row(
        table,
        &[
            ("keyspace_name", text(&*owner.keyspace)),
            ("table_name", text(&*owner.name)),
            ("column_name", text(&*column.name)),
            ("function_argument_nulls", Value::List(nulls.collect())),
            ("function_argument_types", Value::List(types.collect())),
            ("function_argument_values", text_list(values)),
            ("function_keyspace", text(&*mask.keyspace)),
            ("function_name", text(&*mask.function)),
        ],
    )
}

fn dropped_column(table: &Table, owner: &Table, dropped: &DroppedColumn) -> Row {
    let millis = dropped.dropped_at_micros / 1000;
    row(
        table,
        &[
            ("keyspace_name", text(&*owner.keyspace)),
            ("table_name", text(&*owner.name)),
            ("column_name", text(&*dropped.column.name)),
            ("dropped_time", Value::Timestamp(Timestamp(millis))),
            ("kind", text(kind(dropped.column.kind))),
            ("type", text(dropped.column.data_type.to_string())),
        ],
    )
}

fn index(table: &Table, owner: &Table, index: &Index) -> Row {
    let mut options: BTreeMap<String, String> = index.options.iter().cloned().collect();
    options.insert("target".to_owned(), index.target_text());
    let kind = match &index.class {
        Some(class) => {
            options.insert("class_name".to_owned(), class.clone());
            "CUSTOM"
        }
        None => "COMPOSITES",
    };
    row(
        table,
        &[
            ("keyspace_name", text(&*owner.keyspace)),
            ("table_name", text(&*owner.name)),
            ("index_name", text(&*index.name)),
            ("kind", text(kind)),
            ("options", text_map(&options)),
        ],
    )
}

fn user_type(table: &Table, user: &UserType) -> Row {
    let names = user.fields.iter().map(|it| it.name.as_str());
    let types = user.fields.iter().map(|it| text(it.data_type.to_string()));
    row(
        table,
        &[
            ("keyspace_name", text(&user.keyspace)),
            ("type_name", text(&user.name)),
            ("field_names", text_list(names)),
            ("field_types", Value::List(types.collect())),
        ],
    )
}
