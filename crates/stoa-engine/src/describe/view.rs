//! `CREATE MATERIALIZED VIEW` of a view that is there.

use stoa_types::text::identifier::quoted;

use super::Element;
use super::table::{options, primary_key};
use super::text::qualified;
use crate::catalog::{Table, ViewDefinition};

/// The view; `None` if it is a table.
pub(super) fn element(view: &Table, with_internals: bool) -> Option<Element> {
    let definition = view.view.as_ref()?;
    Some(Element {
        keyspace: view.keyspace.to_string(),
        kind: "materialized_view",
        name: view.name.to_string(),
        statement: statement(view, definition, with_internals),
    })
}

fn statement(view: &Table, definition: &ViewDefinition, with_internals: bool) -> String {
    let selected = match definition.includes_all {
        true => "*".to_owned(),
        false => {
            let names: Vec<_> = view.columns.iter().map(|it| quoted(&it.name)).collect();
            names.join(", ")
        }
    };
    format!(
        "CREATE MATERIALIZED VIEW {} AS\n    SELECT {selected}\n    FROM {}\n    WHERE {}\n    {}\n \
         WITH {};",
        qualified(&view.keyspace, &view.name),
        qualified(&view.keyspace, &definition.base),
        definition.where_clause,
        primary_key(view),
        options(view, with_internals),
    )
}
