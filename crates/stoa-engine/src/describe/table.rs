//! `CREATE TABLE` of a table that is there.
//!
//! Columns come in the order in which Cassandra stores them: within the static and within the
//! regular ones those of several cells come last.

use stoa_types::ClusteringOrder;
use stoa_types::text::identifier::quoted;

use super::Element;
use super::text::{map, qualified, string};
use crate::catalog::options::java;
use crate::catalog::{Column, ColumnMask, KeyspaceKind, Table, TableOptions};

pub(super) fn element(table: &Table, with_internals: bool) -> Element {
    Element {
        keyspace: table.keyspace.to_string(),
        kind: "table",
        name: table.name.to_string(),
        statement: statement(table, with_internals),
    }
}

fn statement(table: &Table, with_internals: bool) -> String {
    let name = qualified(&table.keyspace, &table.name);
    let is_virtual = KeyspaceKind::of(&table.keyspace) == KeyspaceKind::Virtual;
    let create = match is_virtual {
        true => format!(
            "/*\nWarning: Table {name} is a virtual table and cannot be recreated with \
             CQL.\nStructure, for reference:\nVIRTUAL"
        ),
        false => "CREATE".to_owned(),
    };
    let body = body(table, with_internals);
    let options = options(table, with_internals);
    let end = if is_virtual { "\n*/" } else { "" };
    let mut text = format!("{create} TABLE {name} (\n{body}\n) WITH {options};{end}");
    if with_internals {
        text.push_str(&drops(table));
    }
    text
}

/// What stands in parentheses: columns, and the key unless it is one column.
fn body(table: &Table, with_internals: bool) -> String {
    let is_simple = table.partition_key().len() == 1 && table.clustering().is_empty();
    let was_dropped = |column: &Column| {
        let mut dropped = table.dropped.iter();
        dropped.any(|it| it.column.name == column.name)
    };
    let mut lines = Vec::new();
    for column in in_order_of_storage(table) {
        // A column that was added again stands below as it was, is dropped and added again.
        if with_internals && was_dropped(column) {
            continue;
        }
        let mut line = definition(column);
        if is_simple && column.is_key() {
            line.push_str(" PRIMARY KEY");
        }
        lines.push(line);
    }
    if with_internals {
        let dropped = table.dropped.iter();
        lines.extend(dropped.map(|it| definition(&it.column)));
    }
    if !is_simple {
        lines.push(primary_key(table));
    }
    let lines: Vec<_> = lines.iter().map(|line| format!("    {line}")).collect();
    lines.join(",\n")
}

fn in_order_of_storage(table: &Table) -> Vec<&Column> {
    let mut columns: Vec<_> = table.columns.iter().collect();
    columns.sort_by_key(|it| (it.kind, it.data_type.is_multi_cell()));
    columns
}

fn definition(column: &Column) -> String {
    let mut line = format!("{} {}", quoted(&column.name), column.data_type);
    if column.is_static() {
        line.push_str(" static");
    }
    if let Some(mask) = &column.mask {
        line.push_str(&masked(mask));
    }
    line
}

fn masked(mask: &ColumnMask) -> String {
    let arguments = mask.arguments.iter().map(|(data_type, text)| match text {
        None => "null".to_owned(),
        Some(text) if matches!(data_type.native_name(), Some("text" | "ascii")) => string(text),
        Some(text) => text.clone(),
    });
    let arguments: Vec<_> = arguments.collect();
    format!(
        " MASKED WITH {}.{}({})",
        mask.keyspace,
        mask.function,
        arguments.join(", ")
    )
}

/// `PRIMARY KEY ((a, b), c)`
pub(super) fn primary_key(table: &Table) -> String {
    let names = |columns: &[Column]| {
        let names: Vec<_> = columns.iter().map(|it| quoted(&it.name)).collect();
        names.join(", ")
    };
    let partition = match table.partition_key().len() {
        1 => names(table.partition_key()),
        _ => format!("({})", names(table.partition_key())),
    };
    match table.clustering() {
        [] => format!("PRIMARY KEY ({partition})"),
        clustering => format!("PRIMARY KEY ({partition}, {})", names(clustering)),
    }
}

/// What stands after `WITH`.
pub(super) fn options(table: &Table, with_internals: bool) -> String {
    let mut lines = Vec::new();
    if with_internals {
        lines.push(format!("ID = {}", table.id));
    }
    let order: Vec<_> = table.clustering().iter().map(name_and_order).collect();
    if !order.is_empty() {
        lines.push(format!("CLUSTERING ORDER BY ({})", order.join(", ")));
    }
    match KeyspaceKind::of(&table.keyspace) {
        KeyspaceKind::Virtual => {
            lines.push(format!("comment = {}", string(&table.options.comment)));
        }
        _ => lines.extend(all_options(&table.options, table.is_view())),
    }
    lines.join("\n    AND ")
}

fn name_and_order(column: &Column) -> String {
    let order = match column.order {
        ClusteringOrder::Ascending => "ASC",
        ClusteringOrder::Descending => "DESC",
    };
    format!("{} {order}", quoted(&column.name))
}

fn all_options(options: &TableOptions, is_view: bool) -> Vec<String> {
    let mut lines = vec![
        format!(
            "additional_write_policy = {}",
            string(&options.additional_write_policy.0)
        ),
        format!("allow_auto_snapshot = {}", options.allow_auto_snapshot),
        format!(
            "bloom_filter_fp_chance = {}",
            java::double(options.bloom_filter_fp_chance)
        ),
        format!("caching = {}", map(&options.caching.as_map())),
        format!("cdc = {}", options.cdc),
        format!("comment = {}", string(&options.comment)),
        format!("compaction = {}", map(&options.compaction)),
        format!("compression = {}", map(&options.compression)),
        format!("memtable = {}", string(&options.memtable)),
        format!(
            "crc_check_chance = {}",
            java::double(options.crc_check_chance)
        ),
    ];
    if !is_view {
        lines.push(format!(
            "default_time_to_live = {}",
            options.default_time_to_live
        ));
    }
    lines.extend([
        "extensions = {}".to_owned(),
        format!("gc_grace_seconds = {}", options.gc_grace_seconds),
        format!("incremental_backups = {}", options.incremental_backups),
        format!("max_index_interval = {}", options.max_index_interval),
        format!(
            "memtable_flush_period_in_ms = {}",
            options.memtable_flush_period_in_ms
        ),
        format!("min_index_interval = {}", options.min_index_interval),
        format!("read_repair = '{}'", options.read_repair),
        format!(
            "speculative_retry = {}",
            string(&options.speculative_retry.0)
        ),
    ]);
    lines
}

/// The statements that drop what was dropped, and add what was added again.
fn drops(table: &Table) -> String {
    let name = qualified(&table.keyspace, &table.name);
    let mut text = String::new();
    for dropped in &table.dropped {
        text.push_str(&format!(
            "\nALTER TABLE {name} DROP {} USING TIMESTAMP {};",
            quoted(&dropped.column.name),
            dropped.dropped_at_micros
        ));
        if let Some(column) = table.column(&dropped.column.name) {
            text.push_str(&format!("\nALTER TABLE {name} ADD {};", definition(column)));
        }
    }
    text
}
