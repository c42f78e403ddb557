//! Random statements about the schema.

use std::collections::HashSet;

use stoa_cql::ast::{
    AlterKeyspace, AlterTable, AlterType, AlterView, ClusteringColumn, ColumnDefinition,
    ColumnMask, CreateAggregate, CreateFunction, CreateIndex, CreateKeyspace, CreateTable,
    CreateTrigger, CreateType, CreateView, Describe, DescribeTarget, DropFunction, DropKeyspace,
    DropObject, DropTrigger, Field, IndexTarget, IndexTargetKind, Literal, OnNullInput,
    OrderDirection, PrimaryKey, Properties, Property, PropertyValue, Rename, Statement,
    TableChange, TypeChange,
};

use super::select::selection;
use super::term::{cql_type, literal, relation, term};
use super::{column, name, qualified, text};
use crate::choices::Choices;

pub(crate) fn statement(choices: &mut Choices) -> Statement {
    match choices.below(24) {
        0 => Statement::Use(name(choices)),
        1 => Statement::Truncate(qualified(choices)),
        2 => Statement::CreateKeyspace(CreateKeyspace {
            name: name(choices),
            if_not_exists: choices.yes(),
            properties: properties(1, choices),
        }),
        3 => Statement::AlterKeyspace(AlterKeyspace {
            name: name(choices),
            if_exists: choices.yes(),
            properties: properties(1, choices),
        }),
        4 => Statement::DropKeyspace(DropKeyspace {
            name: name(choices),
            if_exists: choices.yes(),
        }),
        5 | 6 => Statement::CreateTable(create_table(choices)),
        7 | 8 => Statement::AlterTable(AlterTable {
            name: qualified(choices),
            if_exists: choices.yes(),
            change: table_change(choices),
        }),
        9 => Statement::DropTable(drop_object(choices)),
        10 => Statement::CreateType(CreateType {
            name: qualified(choices),
            if_not_exists: choices.yes(),
            fields: choices.list(1, field),
        }),
        11 => Statement::AlterType(AlterType {
            name: qualified(choices),
            if_exists: choices.yes(),
            change: type_change(choices),
        }),
        12 => Statement::DropType(drop_object(choices)),
        13 | 14 => Statement::CreateIndex(create_index(choices)),
        15 => Statement::DropIndex(drop_object(choices)),
        16 => Statement::CreateView(create_view(choices)),
        17 => Statement::AlterView(AlterView {
            name: qualified(choices),
            if_exists: choices.yes(),
            properties: properties(1, choices),
        }),
        18 => Statement::DropView(drop_object(choices)),
        19 | 20 => function_statement(choices),
        21 => trigger_statement(choices),
        _ => Statement::Describe(Describe {
            target: describe_target(choices),
            with_internals: choices.yes(),
        }),
    }
}

fn drop_object(choices: &mut Choices) -> DropObject {
    DropObject {
        name: qualified(choices),
        if_exists: choices.yes(),
    }
}

/// Properties with different names.
fn properties(least: usize, choices: &mut Choices) -> Properties {
    let mut properties = choices.list(least, |choices| Property {
        name: name(choices),
        value: match choices.below(3) {
            0 => PropertyValue::Literal(literal(choices)),
            1 => PropertyValue::Word(choices.one_of(&["ALL", "ttl", "Text"]).into()),
            _ => PropertyValue::Map(property_map(choices)),
        },
    });
    let mut seen = HashSet::new();
    properties.retain(|property| seen.insert(property.name.clone()));
    Properties(properties)
}

/// Entries with different keys.
pub(crate) fn property_map(choices: &mut Choices) -> Vec<(Literal, Literal)> {
    let mut entries = choices.list(0, |choices| (literal(choices), literal(choices)));
    let mut seen = HashSet::new();
    entries.retain(|(key, _)| seen.insert(key.text.clone()));
    entries
}

fn column_definition(choices: &mut Choices) -> ColumnDefinition {
    ColumnDefinition {
        name: name(choices),
        cql_type: cql_type(choices),
        is_static: choices.yes(),
        mask: choices.maybe(mask),
        is_primary_key: false,
    }
}

fn mask(choices: &mut Choices) -> ColumnMask {
    if choices.yes() {
        return ColumnMask::Default;
    }
    ColumnMask::Function {
        name: qualified(choices),
        arguments: choices.list(0, term),
    }
}

fn primary_key(choices: &mut Choices) -> PrimaryKey {
    PrimaryKey {
        partition: choices.list(1, name),
        clustering: choices.list(0, name),
    }
}

fn clustering_column(choices: &mut Choices) -> ClusteringColumn {
    ClusteringColumn {
        name: name(choices),
        direction: choices.one_of(&[OrderDirection::Ascending, OrderDirection::Descending]),
    }
}

fn create_table(choices: &mut Choices) -> CreateTable {
    CreateTable {
        name: qualified(choices),
        if_not_exists: choices.yes(),
        columns: choices.list(1, |choices| ColumnDefinition {
            is_primary_key: choices.yes(),
            ..column_definition(choices)
        }),
        primary_keys: choices.list(0, primary_key),
        clustering_order: choices.list(0, clustering_column),
        is_compact_storage: choices.yes(),
        properties: properties(0, choices),
    }
}

fn rename(choices: &mut Choices) -> Rename {
    Rename {
        from: name(choices),
        to: name(choices),
    }
}

fn table_change(choices: &mut Choices) -> TableChange {
    match choices.below(7) {
        0 => TableChange::AlterType {
            column: column(choices),
            cql_type: cql_type(choices),
        },
        1 => TableChange::Mask {
            if_exists: choices.yes(),
            column: column(choices),
            mask: choices.maybe(mask),
        },
        2 => TableChange::Add {
            if_not_exists: choices.yes(),
            columns: choices.list(1, column_definition),
        },
        3 => TableChange::Drop {
            if_exists: choices.yes(),
            columns: choices.list(1, name),
            timestamp_micros: choices.maybe(|_| -5),
        },
        4 => TableChange::Rename {
            if_exists: choices.yes(),
            renames: choices.list(1, rename),
        },
        5 => TableChange::DropCompactStorage,
        _ => TableChange::Properties(properties(1, choices)),
    }
}

fn field(choices: &mut Choices) -> Field {
    Field {
        name: name(choices),
        cql_type: cql_type(choices),
    }
}

fn type_change(choices: &mut Choices) -> TypeChange {
    match choices.below(3) {
        0 => TypeChange::Alter(field(choices)),
        1 => TypeChange::Add {
            if_not_exists: choices.yes(),
            field: field(choices),
        },
        _ => TypeChange::Rename {
            if_exists: choices.yes(),
            renames: choices.list(1, rename),
        },
    }
}

fn create_index(choices: &mut Choices) -> CreateIndex {
    CreateIndex {
        name: choices.maybe(name),
        is_custom: choices.yes(),
        if_not_exists: choices.yes(),
        table: qualified(choices),
        targets: choices.list(0, |choices| IndexTarget {
            column: column(choices),
            kind: choices.one_of(&[
                IndexTargetKind::Simple,
                IndexTargetKind::Values,
                IndexTargetKind::Keys,
                IndexTargetKind::Entries,
                IndexTargetKind::Full,
            ]),
        }),
        using: choices.maybe(text),
        properties: properties(0, choices),
    }
}

fn create_view(choices: &mut Choices) -> CreateView {
    CreateView {
        name: qualified(choices),
        if_not_exists: choices.yes(),
        selection: selection(choices),
        from: qualified(choices),
        relations: choices.list(0, relation),
        primary_key: primary_key(choices),
        clustering_order: choices.list(0, clustering_column),
        properties: properties(0, choices),
    }
}

fn function_statement(choices: &mut Choices) -> Statement {
    match choices.below(4) {
        0 => Statement::CreateFunction(CreateFunction {
            or_replace: choices.yes(),
            if_not_exists: choices.yes(),
            name: qualified(choices),
            arguments: choices.list(0, field),
            on_null_input: choices.one_of(&[OnNullInput::Called, OnNullInput::ReturnsNull]),
            returns: cql_type(choices),
            language: "java".into(),
            body: text(choices),
        }),
        1 => Statement::CreateAggregate(CreateAggregate {
            or_replace: choices.yes(),
            if_not_exists: choices.yes(),
            name: qualified(choices),
            arguments: choices.list(0, cql_type),
            state_function: name(choices),
            state_type: cql_type(choices),
            final_function: choices.maybe(name),
            initial_state: choices.maybe(term),
        }),
        2 => Statement::DropFunction(drop_function(choices)),
        _ => Statement::DropAggregate(drop_function(choices)),
    }
}

fn drop_function(choices: &mut Choices) -> DropFunction {
    DropFunction {
        if_exists: choices.yes(),
        name: qualified(choices),
        arguments: choices.maybe(|choices| choices.list(0, cql_type)),
    }
}

fn trigger_statement(choices: &mut Choices) -> Statement {
    if choices.yes() {
        return Statement::DropTrigger(DropTrigger {
            name: name(choices),
            if_exists: choices.yes(),
            table: qualified(choices),
        });
    }
    Statement::CreateTrigger(CreateTrigger {
        name: name(choices),
        if_not_exists: choices.yes(),
        table: qualified(choices),
        using: text(choices),
    })
}

fn describe_target(choices: &mut Choices) -> DescribeTarget {
    match choices.below(17) {
        0 => DescribeTarget::Cluster,
        1 => DescribeTarget::Schema,
        2 => DescribeTarget::FullSchema,
        3 => DescribeTarget::Keyspaces,
        4 => DescribeTarget::Keyspace(choices.maybe(name)),
        5 => DescribeTarget::OnlyKeyspace(choices.maybe(name)),
        6 => DescribeTarget::Tables,
        7 => DescribeTarget::Table(qualified(choices)),
        8 => DescribeTarget::Index(qualified(choices)),
        9 => DescribeTarget::View(qualified(choices)),
        10 => DescribeTarget::Types,
        11 => DescribeTarget::Type(qualified(choices)),
        12 => DescribeTarget::Functions,
        13 => DescribeTarget::Function(qualified(choices)),
        14 => DescribeTarget::Aggregates,
        15 => DescribeTarget::Aggregate(qualified(choices)),
        _ => DescribeTarget::Any(qualified(choices)),
    }
}
