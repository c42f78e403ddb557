//! `CREATE INDEX`, `CREATE CUSTOM INDEX`.
//!
//! There are two kinds of indexes: Cassandra's own, and the storage-attached one, which is a custom
//! index. `USING 'legacy_local_table'` says the first, `USING 'sai'` the second.

use std::collections::HashSet;
use std::sync::Arc;

use stoa_cql::ast::{self, CreateIndex, IndexTargetKind};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_store::table::TableId;
use stoa_types::DataType;

use super::alter_table::undefined_column;
use super::authority::{Level, is_word, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use super::create_table::refers_to_duration;
use super::{Build, Context, storage_attached};
use crate::catalog::options::properties::PropertyReader;
use crate::catalog::{Column, ColumnKind, Index, IndexTarget, Keyspace, Table};
use crate::refusal::Refusal;

/// The class of Cassandra's own indexes, and the one that is taken where none is given.
const LEGACY: &str = "legacy_local_table";
const SASI: &str = "org.apache.cassandra.index.sasi.SASIIndex";
/// The longest name of a column with a custom index.
const COLUMN_NAME_LENGTH: usize = 48;

pub(super) fn apply(
    statement: &CreateIndex,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.table)?.to_owned();
    let table_name = statement.table.name.as_str();
    refuse_unauthorized(&keyspace, Level::Contents)?;
    refuse_system(&keyspace)?;
    let class = class_of(statement);
    let options = read_options(statement, class.as_deref())?;
    let owner = draft.keyspace(&keyspace)?;
    let Some(table) = owner.tables.get(table_name) else {
        return Err(Refusal::invalid(format!(
            "Table '{table_name}' doesn't exist"
        )));
    };
    let given = statement.name.as_ref().map(ast::Name::as_str);
    if let Some(name) = given.filter(|it| owner.index(it).is_some()) {
        return match statement.if_not_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!("Index '{name}' already exists"))),
        };
    }
    refuse_table(table)?;
    let targets = resolve_targets(statement, table, class.as_deref())?;
    let name = match given {
        Some(name) => name.to_owned(),
        None => free_name(owner, table_name, &targets),
    };
    if let Some(same) = same_index(table, class.as_deref(), &targets, &options) {
        return match statement.if_not_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Index {name} is a duplicate of existing index {same}"
            ))),
        };
    }
    if !is_word(&name) {
        return Err(Refusal::configuration(format!("Illegal index name {name}")));
    }
    if let Some(class) = &class {
        storage_attached::validate(class, table, &targets, &options)?;
    }
    let Some(target) = targets.first() else {
        return Err(Refusal::invalid("Missing target column"));
    };
    let index = Index {
        name: Arc::from(name.as_str()),
        column: Arc::clone(&target.column.name),
        target: target.target,
        class,
        options,
        store: TableId(draft.new.next_table),
    };
    let mut parts = table.parts();
    parts.indexes.push(Arc::new(index));
    parts
        .indexes
        .sort_by(|left, right| left.name.cmp(&right.name));
    put(Table::new(parts), &name, draft);
    Ok(told(Change::Updated, Target::Table, &keyspace, table_name))
}

/// Puts the table with its new index in place.
fn put(table: Table, index: &str, draft: &mut Draft<'_>) {
    draft.next_store();
    draft.warnings.extend(storage_attached::warnings(&table));
    draft.build(Build::Index {
        keyspace: table.keyspace.to_string(),
        table: table.name.to_string(),
        index: index.to_owned(),
    });
    draft.put_table(table);
}

/// An index that differs in nothing but its name.
fn same_index<'t>(
    table: &'t Table,
    class: Option<&str>,
    targets: &[ResolvedTarget<'_>],
    options: &[(String, String)],
) -> Option<&'t str> {
    let first = targets.first()?;
    let is_same = |it: &&Arc<Index>| {
        it.class.as_deref() == class
            && it.column == first.column.name
            && it.target == first.target
            && it.options == options
    };
    table.indexes.iter().find(is_same).map(|it| &*it.name)
}

/// What is indexed, with its column.
pub(super) struct ResolvedTarget<'t> {
    pub(super) column: &'t Column,
    pub(super) target: IndexTarget,
}

/// The class of a custom index; `None` for Cassandra's own.
fn class_of(statement: &CreateIndex) -> Option<String> {
    let class = statement.using.as_deref().unwrap_or(LEGACY);
    let is_own = !statement.is_custom && class.eq_ignore_ascii_case(LEGACY);
    (!is_own).then(|| class.to_owned())
}

fn read_options(
    statement: &CreateIndex,
    class: Option<&str>,
) -> Result<Vec<(String, String)>, Refusal> {
    let given = PropertyReader(&statement.properties);
    given.refuse_unknown(&["options"])?;
    if class.is_none() && !statement.properties.is_empty() {
        return Err(Refusal::invalid(
            "Cannot specify options for a non-CUSTOM index",
        ));
    }
    let options = given.map("options")?.unwrap_or_default();
    for reserved in ["class_name", "target"] {
        if options.contains_key(reserved) {
            return Err(Refusal::invalid(format!(
                "Cannot specify {reserved} as a CUSTOM option"
            )));
        }
    }
    match class == Some(SASI) {
        true => Err(Refusal::invalid(
            "SASI indexes are disabled. Enable in cassandra.yaml to use.",
        )),
        false => Ok(options.into_iter().collect()),
    }
}

fn refuse_table(table: &Table) -> Result<(), Refusal> {
    if table.is_counter() {
        return Err(Refusal::invalid(
            "Secondary indexes on counter tables aren't supported",
        ));
    }
    match table.is_view() {
        true => Err(Refusal::invalid(
            "Secondary indexes on materialized views aren't supported",
        )),
        false => Ok(()),
    }
}

fn resolve_targets<'t>(
    statement: &CreateIndex,
    table: &'t Table,
    class: Option<&str>,
) -> Result<Vec<ResolvedTarget<'t>>, Refusal> {
    let targets = statement.targets.iter().map(|it| resolve(it, table));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    if targets.is_empty() && class.is_none() {
        return Err(Refusal::invalid(
            "Only CUSTOM indexes can be created without specifying a target column",
        ));
    }
    if targets.len() > 1 && class.is_none() {
        return Err(Refusal::invalid(
            "Only CUSTOM indexes support multiple columns",
        ));
    }
    let mut seen = HashSet::new();
    for target in &targets {
        if !seen.insert(&target.column.name) {
            return Err(Refusal::invalid(format!(
                "Duplicate column '{}' in index target list",
                target.column.name
            )));
        }
    }
    for target in &targets {
        if class.is_some() {
            refuse_name_of_custom(&target.column.name)?;
        }
        refuse_target(target, table)?;
    }
    Ok(targets)
}

/// What is indexed of a collection that is named alone are its values.
fn resolve<'t>(target: &ast::IndexTarget, table: &'t Table) -> Result<ResolvedTarget<'t>, Refusal> {
    let name = target.column.as_str();
    let column = table
        .column(name)
        .ok_or_else(|| undefined_column(table, name))?;
    let target = match target.kind {
        IndexTargetKind::Simple if column.data_type.is_collection() => IndexTarget::Values,
        IndexTargetKind::Simple => IndexTarget::Simple,
        IndexTargetKind::Values => IndexTarget::Values,
        IndexTargetKind::Keys => IndexTarget::Keys,
        IndexTargetKind::Entries => IndexTarget::Entries,
        IndexTargetKind::Full => IndexTarget::Full,
    };
    Ok(ResolvedTarget { column, target })
}

fn refuse_name_of_custom(name: &str) -> Result<(), Refusal> {
    if !is_word(name) {
        return Err(Refusal::invalid(format!(
            "Column '{name}' contains non-alphanumeric-underscore characters"
        )));
    }
    match name.len() > COLUMN_NAME_LENGTH {
        true => Err(Refusal::invalid(format!(
            "Column '{name}' is longer than the permissible name length of {COLUMN_NAME_LENGTH} \
             characters"
        ))),
        false => Ok(()),
    }
}

fn refuse_target(target: &ResolvedTarget<'_>, table: &Table) -> Result<(), Refusal> {
    let ResolvedTarget { column, target } = target;
    let (name, data_type) = (&column.name, &column.data_type);
    if refers_to_duration(data_type) {
        return Err(Refusal::invalid(format!(
            "Secondary indexes are not supported on {}",
            match data_type {
                DataType::UserDefined(_) => "UDTs containing durations",
                DataType::Tuple(_) => "tuples containing durations",
                _ if data_type.is_collection() => "collections containing durations",
                _ => "duration columns",
            }
        )));
    }
    if column.kind == ColumnKind::PartitionKey && table.partition_key().len() == 1 {
        return Err(Refusal::invalid(format!(
            "Cannot create secondary index on the only partition key column {name}"
        )));
    }
    let word = target_word(*target);
    let is_frozen_collection = data_type.is_collection() && !data_type.is_multi_cell();
    let is_map = matches!(
        data_type,
        DataType::Map {
            is_frozen: false,
            ..
        }
    );
    let problem = match target {
        IndexTarget::Full if is_frozen_collection => None,
        IndexTarget::Full => {
            Some("full() indexes can only be created on frozen collections".to_owned())
        }
        _ if is_frozen_collection => Some(format!(
            "Cannot create {word}() index on frozen column {name}. Frozen collections are immutable \
             and must be fully indexed by using the 'full({name})' modifier"
        )),
        IndexTarget::Simple if data_type.is_multi_cell() => Some(format!(
            "Cannot create index on non-frozen UDT column {name}"
        )),
        IndexTarget::Simple => None,
        _ if !data_type.is_collection() => Some(format!(
            "Cannot create {word}() index on {name}. Non-collection columns only support simple \
             indexes"
        )),
        IndexTarget::Keys | IndexTarget::Entries if !is_map => Some(format!(
            "Cannot create index on {word} of column {name} with non-map type"
        )),
        IndexTarget::Keys | IndexTarget::Entries | IndexTarget::Values => None,
    };
    problem.map_or(Ok(()), |problem| Err(Refusal::invalid(problem)))
}

fn target_word(target: IndexTarget) -> &'static str {
    match target {
        IndexTarget::Simple => "",
        IndexTarget::Keys => "keys",
        IndexTarget::Values => "values",
        IndexTarget::Entries => "entries",
        IndexTarget::Full => "full",
    }
}

/// A name after table and column, with a number if it is taken.
fn free_name(keyspace: &Keyspace, table: &str, targets: &[ResolvedTarget<'_>]) -> String {
    let base = match targets {
        [target] => format!("{table}_{}_idx", target.column.name),
        _ => format!("{table}_idx"),
    };
    let is_inside = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    let base: String = base.chars().filter(is_inside).collect();
    let mut name = base.clone();
    let mut number = 0_u64;
    while keyspace.index(&name).is_some() {
        number += 1;
        name = format!("{base}_{number}");
    }
    name
}
