//! `DROP TABLE`.

use stoa_cql::ast::DropObject;
use stoa_session::answer::{Change, SchemaChange, Target};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::refusal::Refusal;

pub(super) fn apply(
    statement: &DropObject,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    refuse_unauthorized(&keyspace, Level::Contents)?;
    refuse_system(&keyspace)?;
    let Some(table) = draft.new.table(&keyspace, name) else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Table '{keyspace}.{name}' doesn't exist"
            ))),
        };
    };
    if table.is_view() {
        return Err(Refusal::invalid(
            "Cannot use DROP TABLE on a materialized view. Please use DROP MATERIALIZED VIEW \
             instead.",
        ));
    }
    let owner = draft.keyspace(&keyspace)?;
    let views: Vec<_> = owner.views_of(name).map(|it| &*it.name).collect();
    if !views.is_empty() {
        return Err(Refusal::invalid(format!(
            "Cannot drop a table when materialized views still depend on it ({})",
            views.join(", ")
        )));
    }
    draft.edit_keyspace(&keyspace, |it| {
        it.tables.remove(name);
    });
    Ok(told(Change::Dropped, Target::Table, &keyspace, name))
}
