//! `ALTER TABLE`.

mod add;
mod drop;
mod rename;

use std::sync::Arc;

use stoa_cql::ast::{AlterTable, Name, Properties, TableChange};
use stoa_session::answer::{Change, SchemaChange, Target};

use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use super::{Context, mask, storage_attached};
use crate::catalog::options::TableOptions;
use crate::catalog::{Keyspace, Table};
use crate::refusal::Refusal;
use add::Add;
use drop::DropColumns;

pub(super) fn apply(
    statement: &AlterTable,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    refuse_unauthorized(&keyspace, Level::Contents)?;
    match &statement.change {
        TableChange::Properties(properties) => {
            TableOptions::read_new(properties)?;
        }
        TableChange::Mask { mask: Some(_), .. } => return Err(mask::disabled()),
        _ => {}
    }
    refuse_system(&keyspace)?;
    let Some(table) = draft.new.table(&keyspace, name).cloned() else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Table '{keyspace}.{name}' doesn't exist"
            ))),
        };
    };
    if table.is_view() {
        return Err(Refusal::invalid(
            "Cannot use ALTER TABLE on a materialized view; use ALTER MATERIALIZED VIEW instead",
        ));
    }
    let owner = Arc::clone(draft.keyspace(&keyspace)?);
    let changed = changed(&statement.change, &owner, &table, context)?;
    if is_validated(&statement.change) {
        let warnings = changed.iter().flat_map(storage_attached::warnings);
        draft.warnings.extend(warnings);
    }
    for table in changed {
        draft.put_table(table);
    }
    Ok(told(Change::Updated, Target::Table, &keyspace, name))
}

/// The table as it will be, and its views where they change with it.
fn changed(
    change: &TableChange,
    keyspace: &Keyspace,
    table: &Table,
    context: &Context<'_>,
) -> Result<Vec<Table>, Refusal> {
    match change {
        TableChange::AlterType { .. } => Err(Refusal::invalid(
            "Altering column types is no longer supported",
        )),
        TableChange::Mask {
            if_exists, column, ..
        } => unmask(keyspace, table, column, *if_exists),
        TableChange::Add {
            if_not_exists,
            columns,
        } => {
            let add = Add {
                keyspace,
                table,
                if_not_exists: *if_not_exists,
            };
            add.apply(columns)
        }
        TableChange::Drop {
            if_exists,
            columns,
            timestamp_micros,
        } => {
            let drop = DropColumns {
                keyspace,
                table,
                if_exists: *if_exists,
                at_micros: timestamp_micros.unwrap_or(context.now_micros),
            };
            Ok(vec![drop.apply(columns)?])
        }
        TableChange::Rename { renames, .. } => rename::rename(keyspace, table, renames),
        TableChange::DropCompactStorage => Err(Refusal::invalid(
            "DROP COMPACT STORAGE is disabled. Enable in cassandra.yaml to use.",
        )),
        TableChange::Properties(properties) => Ok(vec![with_options(keyspace, table, properties)?]),
    }
}

/// Whether Cassandra validates the whole table again, with the warnings that it has.
fn is_validated(change: &TableChange) -> bool {
    matches!(change, TableChange::Add { .. } | TableChange::Mask { .. })
}

fn with_options(
    keyspace: &Keyspace,
    table: &Table,
    properties: &Properties,
) -> Result<Table, Refusal> {
    TableOptions::refuse_wrong(properties)?;
    let options = table.options.altered(properties)?;
    if table.is_counter() && options.default_time_to_live > 0 {
        return Err(Refusal::invalid(
            "Cannot set default_time_to_live on a table with counters",
        ));
    }
    if options.gc_grace_seconds == 0 && keyspace.views_of(&table.name).next().is_some() {
        return Err(Refusal::invalid(
            "Cannot alter gc_grace_seconds of the base table of a materialized view to 0, since \
             this value is used to TTL undelivered updates. Setting gc_grace_seconds too low might \
             cause undelivered updates to expire before being replayed.",
        ));
    }
    let mut parts = table.parts();
    parts.options = options;
    Ok(Table::new(parts))
}

/// Removes a mask from a column, and from the views that show it.
fn unmask(
    keyspace: &Keyspace,
    table: &Table,
    column: &Name,
    if_exists: bool,
) -> Result<Vec<Table>, Refusal> {
    let name = column.as_str();
    if table.column(name).is_none() && !if_exists {
        return Err(Refusal::invalid(format!(
            "Column with name '{name}' doesn't exist on table '{}'",
            table.name
        )));
    }
    let views = keyspace.views_of(&table.name).map(|it| it.parts());
    let all = std::iter::once(table.parts()).chain(views);
    let unmasked = all.map(|mut parts| {
        for column in parts.columns.iter_mut().filter(|it| *it.name == *name) {
            column.mask = None;
        }
        Table::new(parts)
    });
    Ok(unmasked.collect())
}

/// The indexes on a column.
fn indexes_on<'t>(table: &'t Table, column: &str) -> Vec<&'t str> {
    let indexes = table.indexes.iter().filter(|it| *it.column == *column);
    indexes.map(|it| &*it.name).collect()
}

/// What Cassandra says of a column that is not there.
pub(super) fn undefined_column(table: &Table, name: &str) -> Refusal {
    Refusal::invalid(format!(
        "Undefined column name {name} in table {}.{}",
        table.keyspace, table.name
    ))
}
