//! Parts of the schema as JSON.

use serde_json::{Map, Value, json};
use stoa_types::{ClusteringOrder, UserType};

use super::FORMAT;
use crate::catalog::column::{Column, ColumnKind, ColumnMask};
use crate::catalog::keyspace::{Keyspace, Schema};
use crate::catalog::options::{CachedRows, TableOptions};
use crate::catalog::table::{Index, IndexTarget, Table, ViewDefinition};

pub(super) fn version(schema: &Schema) -> Vec<u8> {
    bytes(&json!({
        "format": FORMAT,
        "version": schema.version.to_string(),
        "next_table": schema.next_table,
    }))
}

pub(super) fn keyspace(keyspace: &Keyspace) -> Vec<u8> {
    bytes(&json!({
        "format": FORMAT,
        "replication": keyspace.replication,
        "durable_writes": keyspace.durable_writes,
    }))
}

pub(super) fn user_type(user: &UserType) -> Vec<u8> {
    let fields = user.fields.iter();
    let fields: Vec<_> = fields
        .map(|field| json!([field.name, field.data_type.to_string()]))
        .collect();
    bytes(&json!({ "format": FORMAT, "fields": fields }))
}

pub(super) fn table(table: &Table) -> Vec<u8> {
    let dropped = table.dropped.iter().map(|it| {
        json!({
            "column": column(&it.column),
            "dropped_at_micros": it.dropped_at_micros,
        })
    });
    bytes(&json!({
        "format": FORMAT,
        "id": table.id.to_string(),
        "store": table.store.0,
        "next_column": table.next_column,
        "columns": table.columns.iter().map(column).collect::<Vec<_>>(),
        "options": options(&table.options),
        "indexes": table.indexes.iter().map(|it| index(it)).collect::<Vec<_>>(),
        "dropped": dropped.collect::<Vec<_>>(),
        "view": table.view.as_ref().map(view),
    }))
}

fn column(column: &Column) -> Value {
    json!({
        "id": column.id.0,
        "name": &*column.name,
        "kind": column_kind(column.kind),
        "position": column.position,
        "type": column.data_type.to_string(),
        "is_descending": column.order == ClusteringOrder::Descending,
        "mask": column.mask.as_ref().map(mask),
    })
}

pub(super) fn column_kind(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::PartitionKey => "partition_key",
        ColumnKind::Clustering => "clustering",
        ColumnKind::Static => "static",
        ColumnKind::Regular => "regular",
    }
}

fn mask(mask: &ColumnMask) -> Value {
    let arguments = mask.arguments.iter();
    let arguments: Vec<_> = arguments
        .map(|(data_type, text)| json!([data_type.to_string(), text]))
        .collect();
    json!({
        "keyspace": &*mask.keyspace,
        "function": &*mask.function,
        "arguments": arguments,
    })
}

/// Numbers that may be no finite ones are texts, which JSON has no numbers for.
fn options(options: &TableOptions) -> Value {
    let mut all = Map::new();
    let mut set = |name: &str, value: Value| {
        all.insert(name.to_owned(), value);
    };
    set(
        "additional_write_policy",
        json!(options.additional_write_policy.0),
    );
    set("allow_auto_snapshot", json!(options.allow_auto_snapshot));
    set(
        "bloom_filter_fp_chance",
        json!(options.bloom_filter_fp_chance.to_string()),
    );
    set("cache_keys", json!(options.caching.keys));
    set(
        "cache_rows",
        match options.caching.rows_per_partition {
            CachedRows::All => json!("all"),
            CachedRows::None => json!("none"),
            CachedRows::First(count) => json!(count),
        },
    );
    set("cdc", json!(options.cdc));
    set("comment", json!(options.comment));
    set("compaction", json!(options.compaction));
    set("compression", json!(options.compression));
    set("memtable", json!(options.memtable));
    set(
        "crc_check_chance",
        json!(options.crc_check_chance.to_string()),
    );
    set("default_time_to_live", json!(options.default_time_to_live));
    set("gc_grace_seconds", json!(options.gc_grace_seconds));
    set("incremental_backups", json!(options.incremental_backups));
    set("max_index_interval", json!(options.max_index_interval));
    set(
        "memtable_flush_period_in_ms",
        json!(options.memtable_flush_period_in_ms),
    );
    set("min_index_interval", json!(options.min_index_interval));
    set("read_repair", json!(options.read_repair.to_string()));
    set("speculative_retry", json!(options.speculative_retry.0));
    Value::Object(all)
}

fn index(index: &Index) -> Value {
    json!({
        "name": &*index.name,
        "column": &*index.column,
        "target": index_target(index.target),
        "class": index.class,
        "options": index.options,
        "store": index.store.0,
    })
}

pub(super) fn index_target(target: IndexTarget) -> &'static str {
    match target {
        IndexTarget::Simple => "simple",
        IndexTarget::Keys => "keys",
        IndexTarget::Values => "values",
        IndexTarget::Entries => "entries",
        IndexTarget::Full => "full",
    }
}

fn view(view: &ViewDefinition) -> Value {
    json!({
        "base": &*view.base,
        "base_id": view.base_id.to_string(),
        "includes_all": view.includes_all,
        "where": view.where_clause,
    })
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
