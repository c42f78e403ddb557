//! Records come back as the schema they were made of, or are refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use stoa_store::cell::ColumnId;
use stoa_store::table::TableId;
use stoa_types::{ClusteringOrder, DataType, UserField, UserType};
use uuid::Uuid;

use super::*;
use crate::catalog::column::{Column, ColumnKind, ColumnMask};
use crate::catalog::options::{CachedRows, TableOptions};
use crate::catalog::replication;
use crate::catalog::table::{DroppedColumn, Index, IndexTarget, Table, TableParts, ViewDefinition};

fn empty() -> Schema {
    Schema {
        version: Uuid::from_u128(1),
        next_table: 1,
        keyspaces: BTreeMap::new(),
    }
}

fn user(name: &str, fields: &[(&str, DataType)]) -> Arc<UserType> {
    let field = |(name, data_type): &(&str, DataType)| UserField {
        name: (*name).to_owned(),
        data_type: data_type.clone(),
    };
    Arc::new(UserType {
        keyspace: "ks".to_owned(),
        name: name.to_owned(),
        fields: fields.iter().map(field).collect(),
        is_frozen: false,
    })
}

fn column(id: u32, name: &str, kind: ColumnKind, position: usize, data_type: DataType) -> Column {
    Column {
        id: ColumnId(id),
        name: Arc::from(name),
        kind,
        position,
        data_type,
        order: ClusteringOrder::Ascending,
        mask: None,
    }
}

/// A table with something of everything, and a view of it.
fn rich_tables(outer_type: &DataType) -> [Table; 2] {
    let mut masked = column(5, "m", ColumnKind::Regular, 0, DataType::Text);
    masked.mask = Some(ColumnMask {
        keyspace: Arc::from("system"),
        function: Arc::from("mask_inner"),
        arguments: vec![(DataType::Int, Some("1".to_owned())), (DataType::Int, None)],
    });
    let mut descending = column(
        1,
        "C",
        ColumnKind::Clustering,
        0,
        outer_type.clone().frozen(),
    );
    descending.order = ClusteringOrder::Descending;
    let vector = DataType::vector(DataType::Float, 3);
    let tuple = DataType::tuple(vec![DataType::Int]);
    let table = Table::new(TableParts {
        keyspace: Arc::from("ks"),
        name: Arc::from("t"),
        id: Uuid::from_u128(7),
        store: TableId(u64::MAX),
        columns: vec![
            column(0, "k", ColumnKind::PartitionKey, 0, DataType::Int),
            descending,
            column(2, "s", ColumnKind::Static, 0, vector),
            column(4, "u", ColumnKind::Regular, 0, outer_type.clone()),
            masked,
        ],
        next_column: 9,
        options: rich_options(),
        indexes: vec![Arc::new(Index {
            name: Arc::from("i"),
            column: Arc::from("m"),
            target: IndexTarget::Simple,
            class: Some("sai".to_owned()),
            options: vec![("case_sensitive".to_owned(), "false".to_owned())],
            store: TableId(3),
        })],
        dropped: vec![DroppedColumn {
            column: column(3, "old", ColumnKind::Regular, 0, tuple),
            dropped_at_micros: i64::MIN,
        }],
        view: None,
    });
    let mut parts = table.parts();
    parts.name = Arc::from("v");
    parts.view = Some(ViewDefinition {
        base: Arc::from("t"),
        base_id: Uuid::from_u128(7),
        includes_all: true,
        where_clause: "k IS NOT NULL".to_owned(),
    });
    [table, Table::new(parts)]
}

fn rich_options() -> TableOptions {
    let mut options = TableOptions {
        comment: "it's \"é\" \u{1}".to_owned(),
        bloom_filter_fp_chance: 1e-4,
        ..TableOptions::default()
    };
    options.caching.rows_per_partition = CachedRows::First(7);
    options
}

/// A schema with something of everything.
fn rich() -> Schema {
    let inner = user("Z \"in\" / ner", &[("a", DataType::Int)]);
    let inner_type = DataType::UserDefined(Box::new(UserType::clone(&inner)));
    let list = DataType::list(inner_type).frozen();
    let outer = user("a", &[("x", list), ("Y y", DataType::Text)]);
    let outer_type = DataType::UserDefined(Box::new(UserType::clone(&outer)));
    let tables = rich_tables(&outer_type);
    let keyspace = Keyspace {
        name: Arc::from("ks"),
        replication: replication::simple(1),
        durable_writes: false,
        tables: tables.map(|it| (Arc::clone(&it.name), Arc::new(it))).into(),
        types: [inner, outer]
            .map(|it| (Arc::from(it.name.as_str()), it))
            .into(),
    };
    Schema {
        version: Uuid::from_u128(9),
        next_table: 17,
        keyspaces: [(Arc::from("ks"), Arc::new(keyspace))].into(),
    }
}

fn records(schema: &Schema) -> Vec<(Vec<u8>, Vec<u8>)> {
    let changes = changed(&empty(), schema).into_iter();
    changes
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn assert_same(one: &Schema, other: &Schema) {
    assert_eq!(one.version, other.version);
    assert_eq!(one.next_table, other.next_table);
    assert_eq!(one.keyspaces, other.keyspaces);
}

#[test]
fn a_schema_survives_the_round_trip() {
    let schema = rich();
    assert_same(&decode(&records(&schema), &empty()).unwrap(), &schema);
    assert_same(&decode(&[], &schema).unwrap(), &schema);
}

#[test]
fn only_what_differs_is_written() {
    let old = rich();
    let mut new = old.clone();
    let mut keyspace = Keyspace::clone(&old.keyspaces["ks"]);
    keyspace.tables.remove("v");
    new.keyspaces.insert(Arc::from("ks"), Arc::new(keyspace));
    let names: Vec<_> = changed(&old, &new)
        .into_iter()
        .map(|(name, value)| (String::from_utf8(name).unwrap(), value.is_some()))
        .collect();
    assert_eq!(
        names,
        [
            ("catalog/table/ks/v".to_owned(), false),
            ("catalog/version".to_owned(), true)
        ]
    );
}

#[test]
fn newer_formats_are_told() {
    let mut records = records(&rich());
    for (_, value) in &mut records {
        let text = String::from_utf8(value.clone()).unwrap();
        *value = text.replace("\"format\":1", "\"format\":2").into_bytes();
    }
    let error = decode(&records, &empty()).unwrap_err();
    assert!(
        matches!(error, RecordError::NewerFormat { format: 2, .. }),
        "{error}"
    );
}

#[test]
fn what_is_missing_is_told() {
    let all = records(&rich());
    for missing in 0..all.len() {
        let mut some = all.clone();
        let (name, _) = some.remove(missing);
        // A table may be missing without notice, its type, keyspace or version may not.
        let is_table = name.starts_with(TABLE.as_bytes());
        assert_eq!(decode(&some, &empty()).is_ok(), is_table, "{name:?}");
    }
}

proptest! {
    #[test]
    fn damaged_records_are_errors_and_never_panics(
        which in 0_usize..6,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut records = records(&rich());
        let count = records.len();
        let value = &mut records[which % count].1;
        let place = at.index(value.len());
        match cut {
            true => value.truncate(place),
            false => value[place] = byte,
        }
        // Some damage gives another schema; the store's checksums see that. None may panic.
        let _ = decode(&records, &empty());
    }
}
