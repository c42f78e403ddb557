//! What schema statements do to the store and tell clients.

use std::collections::BTreeMap;

use stoa_session::answer::{Change as Verb, Target};
use stoa_store::cell::ColumnId;
use stoa_store::table::TableId;
use stoa_types::SeededIds;
use uuid::Uuid;

use super::*;
use crate::catalog::{Table, records};
use crate::refusal::RefusalKind;
use crate::system;

/// A schema and what executes statements on it.
struct Node {
    schema: Schema,
    ids: SeededIds,
    now_micros: i64,
}

impl Node {
    /// A node with a keyspace `ks`, after these statements.
    fn after(statements: &[&str]) -> Self {
        let mut node = Self {
            schema: system::initial_schema(Uuid::nil()).unwrap(),
            ids: SeededIds::new(1),
            now_micros: 1_000,
        };
        let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
        node.run(&format!(
            "CREATE KEYSPACE ks WITH replication = {replication}"
        ));
        for statement in statements {
            node.run(statement);
        }
        node
    }

    fn try_run(&mut self, text: &str) -> Result<Change, Refusal> {
        let statement = stoa_cql::parse_statement(text).unwrap();
        let context = Context {
            keyspace: Some("ks"),
            now_micros: self.now_micros,
            ids: &self.ids,
        };
        let change = apply(&statement, &self.schema, &context)?;
        self.schema = change.schema.clone();
        Ok(change)
    }

    fn run(&mut self, text: &str) -> Change {
        self.try_run(text)
            .unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    }

    fn table(&self, name: &str) -> &Table {
        self.schema.table("ks", name).unwrap()
    }

    fn column_id(&self, table: &str, column: &str) -> ColumnId {
        self.table(table).column(column).unwrap().id
    }
}

fn created(change: &Change) -> Vec<TableId> {
    change.store.create.iter().map(|(id, _)| *id).collect()
}

#[test]
fn tables_indexes_and_views_are_tables_of_the_store() {
    let mut node = Node::after(&[]);
    let table = node.run("CREATE TABLE t (k int PRIMARY KEY, v int, w int)");
    let index = node.run("CREATE INDEX i ON t (v)");
    let view = node.run(
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM t WHERE v IS NOT NULL AND k IS NOT NULL \
         PRIMARY KEY (v, k)",
    );
    assert_eq!(created(&table), [TableId(1)]);
    assert_eq!(created(&index), [TableId(2)]);
    assert_eq!(created(&view), [TableId(3)]);
    assert!(table.build.is_empty());
    let names =
        |one: &str, two: &str, three: &str| (one.to_owned(), two.to_owned(), three.to_owned());
    let (keyspace, table, name) = names("ks", "t", "i");
    assert_eq!(
        index.build,
        [Build::Index {
            keyspace,
            table,
            index: name
        }]
    );
    let (keyspace, table, name) = names("ks", "t", "m");
    assert_eq!(
        view.build,
        [Build::View {
            keyspace,
            table,
            view: name
        }]
    );

    let truncated = node.run("TRUNCATE t");
    assert_eq!(
        truncated.store.truncate,
        [TableId(1), TableId(2), TableId(3)]
    );
    assert!(truncated.answer.is_none() && truncated.store.records.is_empty());

    assert_eq!(node.run("DROP INDEX i").store.drop, [TableId(2)]);
    let dropped = node.run("DROP KEYSPACE ks");
    assert_eq!(dropped.store.drop, [TableId(1), TableId(3)]);
    let removed = dropped
        .store
        .records
        .iter()
        .filter(|(_, value)| value.is_none());
    assert_eq!(removed.count(), 3);
}

#[test]
fn numbers_of_store_tables_are_never_reused() {
    let mut node = Node::after(&["CREATE TABLE t (k int PRIMARY KEY)", "DROP TABLE t"]);
    let again = node.run("CREATE TABLE t (k int PRIMARY KEY)");
    assert_eq!(created(&again), [TableId(2)]);
}

#[test]
fn a_dropped_column_is_hidden_and_shows_newer_values_when_it_is_back() {
    let mut node = Node::after(&["CREATE TABLE t (k int PRIMARY KEY, v int, w int)"]);
    let id = node.column_id("t", "v");
    let hidden = |change: &Change| {
        let (_, options) = change.store.alter.first().unwrap();
        options.hidden_through.clone()
    };
    let dropped = node.run("ALTER TABLE t DROP v USING TIMESTAMP 77");
    assert_eq!(hidden(&dropped), BTreeMap::from([(id, i64::MAX)]));
    let added = node.run("ALTER TABLE t ADD (x int, v int)");
    assert_eq!(hidden(&added), BTreeMap::from([(id, 77)]));
    assert_eq!(node.column_id("t", "v"), id);
    assert_eq!(node.column_id("t", "x"), ColumnId(3));
    node.now_micros = 5_000;
    node.run("ALTER TABLE t DROP v");
    let times: Vec<_> = node
        .table("t")
        .dropped
        .iter()
        .map(|it| it.dropped_at_micros)
        .collect();
    assert_eq!(times, [5_000]);
}

#[test]
fn numbers_of_columns_are_not_reused_for_other_names() {
    let node = Node::after(&[
        "CREATE TABLE t (k int PRIMARY KEY, v int)",
        "ALTER TABLE t DROP v",
        "ALTER TABLE t ADD w int",
    ]);
    assert_eq!(node.column_id("t", "k"), ColumnId(0));
    assert_eq!(node.column_id("t", "w"), ColumnId(2));
}

#[test]
fn the_grace_of_a_table_is_that_of_its_indexes() {
    let mut node = Node::after(&[
        "CREATE TABLE t (k int PRIMARY KEY, v int)",
        "CREATE INDEX i ON t (v)",
    ]);
    let change = node.run("ALTER TABLE t WITH gc_grace_seconds = 7");
    let altered: Vec<_> = change
        .store
        .alter
        .iter()
        .map(|(id, options)| (*id, options.gc_grace_seconds))
        .collect();
    assert_eq!(altered, [(TableId(1), 7), (TableId(2), 7)]);
    let comment = node.run("ALTER TABLE t WITH comment = 'x'");
    assert!(comment.store.alter.is_empty() && !comment.is_empty());
}

#[test]
fn what_changes_nothing_is_no_commit() {
    let mut node = Node::after(&[
        "CREATE TABLE t (k int PRIMARY KEY, v int)",
        "CREATE TYPE u (a int)",
    ]);
    let version = node.schema.version;
    for statement in [
        "CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY)",
        "ALTER TABLE t ADD IF NOT EXISTS v text",
        "ALTER TABLE t WITH comment = ''",
        "ALTER TABLE t DROP IF EXISTS nothing",
        "CREATE TYPE IF NOT EXISTS u (b int)",
        "ALTER TYPE u ADD IF NOT EXISTS a int",
        "DROP TABLE IF EXISTS nothing",
        "DROP INDEX IF EXISTS nothing",
        "DROP FUNCTION IF EXISTS nothing",
        "ALTER KEYSPACE ks WITH durable_writes = true",
    ] {
        let change = node.run(statement);
        assert!(change.is_empty() && change.answer.is_none(), "{statement}");
        assert_eq!(change.schema.version, version, "{statement}");
    }
    node.run("ALTER TABLE t ADD w int");
    assert_ne!(node.schema.version, version);
}

#[test]
fn what_clients_are_told() {
    let mut node = Node::after(&[]);
    let cases = [
        (
            "CREATE TABLE t (k int PRIMARY KEY, v int)",
            Verb::Created,
            Target::Table,
            "t",
        ),
        (
            "CREATE TYPE u (a int)",
            Verb::Created,
            Target::UserType,
            "u",
        ),
        ("CREATE INDEX i ON t (v)", Verb::Updated, Target::Table, "t"),
        (
            "ALTER TYPE u ADD b int",
            Verb::Updated,
            Target::UserType,
            "u",
        ),
        ("DROP INDEX i", Verb::Updated, Target::Table, "t"),
        ("DROP TYPE u", Verb::Dropped, Target::UserType, "u"),
        ("DROP TABLE t", Verb::Dropped, Target::Table, "t"),
        (
            "ALTER KEYSPACE ks WITH durable_writes = false",
            Verb::Updated,
            Target::Keyspace,
            "",
        ),
        ("DROP KEYSPACE ks", Verb::Dropped, Target::Keyspace, ""),
    ];
    for (statement, change, target, name) in cases {
        let expected = SchemaChange {
            change,
            target,
            keyspace: "ks".to_owned(),
            name: name.to_owned(),
        };
        assert_eq!(node.run(statement).answer, Some(expected), "{statement}");
    }
}

#[test]
fn a_changed_type_changes_in_all_that_use_it() {
    let mut node = Node::after(&[
        "CREATE TYPE u (a int)",
        "CREATE TYPE w (x frozen<u>)",
        "CREATE TABLE t (k int PRIMARY KEY, p u, q frozen<w>, r map<int, frozen<u>>)",
        "ALTER TYPE u ADD b text",
    ]);
    node.run("ALTER TYPE u RENAME a TO z");
    let fields =
        |data_type: &stoa_types::DataType| format!("{data_type:?}").matches("\"z\"").count();
    for column in ["p", "q", "r"] {
        let data_type = &node.table("t").column(column).unwrap().data_type;
        assert_eq!(fields(data_type), 1, "{column}");
    }
    let keyspace = node.schema.keyspace("ks").unwrap();
    assert_eq!(fields(&keyspace.types["w"].fields[0].data_type), 1);
}

#[test]
fn an_altered_replication_of_the_system_is_recorded() {
    let mut node = Node::after(&[]);
    let replication = "{'class': 'SimpleStrategy', 'replication_factor': 2}";
    let change = node.run(&format!(
        "ALTER KEYSPACE system_auth WITH replication = {replication}"
    ));
    let records: Vec<_> = change
        .store
        .records
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let system = system::initial_schema(Uuid::nil()).unwrap();
    let decoded = records::decode(&records, &system).unwrap();
    assert_eq!(
        decoded.keyspace("system_auth"),
        node.schema.keyspace("system_auth")
    );
}

#[test]
fn statements_without_a_keyspace_need_one_in_use() {
    let node = Node::after(&[]);
    let context = Context {
        keyspace: None,
        now_micros: 0,
        ids: &node.ids,
    };
    for text in [
        "CREATE TABLE t (k int PRIMARY KEY)",
        "DROP TYPE u",
        "TRUNCATE t",
    ] {
        let statement = stoa_cql::parse_statement(text).unwrap();
        let refused = apply(&statement, &node.schema, &context).map(|_| ());
        assert_eq!(
            refused.map_err(|it| it.kind),
            Err(RefusalKind::Invalid),
            "{text}"
        );
    }
}

#[test]
fn other_statements_are_not_for_here() {
    let mut node = Node::after(&[]);
    for text in ["SELECT * FROM t", "USE ks", "DESCRIBE TABLES"] {
        let statement = stoa_cql::parse_statement(text).unwrap();
        assert!(!is_schema_statement(&statement));
        let refused = node.try_run(text).map(|_| ());
        assert_eq!(
            refused.map_err(|it| it.kind),
            Err(RefusalKind::Server),
            "{text}"
        );
    }
}
