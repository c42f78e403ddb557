//! What a descending clustering column is not: to Cassandra its type is another one, of which there
//! is no cast to the type it is declared with, and which is no collection.

use stoa_cql::ast::{self, Selector};

use crate::catalog::{Column, Table};
use crate::refusal::Refusal;

/// Whether a selector is a column that sorts descending.
pub(super) fn is_reversed(selector: &Selector, table: &Table) -> bool {
    let Selector::Column(name) = selector else {
        return false;
    };
    let column = table.column(name.as_str());
    column.is_some_and(Column::is_descending)
}

/// Refuses a descending column where a function wants a collection.
pub(super) fn check_collections(
    name: &ast::QualifiedName,
    arguments: &[Selector],
    table: &Table,
) -> Result<(), Refusal> {
    let wants_collection = ["collection_", "map_"];
    let called = name.name.as_str();
    if !wants_collection.iter().any(|it| called.starts_with(it)) {
        return Ok(());
    }
    for argument in arguments {
        let Selector::Column(column) = argument else {
            continue;
        };
        let column = table.column(column.as_str());
        if let Some(column) = column.filter(|it| it.is_descending()) {
            return Err(Refusal::invalid(format!(
                "Function system.{called} requires a collection argument, but found argument {} of type {}",
                column.name, column.data_type
            )));
        }
    }
    Ok(())
}
