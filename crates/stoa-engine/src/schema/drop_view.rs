//! `DROP MATERIALIZED VIEW`.

use stoa_cql::ast::DropObject;
use stoa_session::answer::{Change, SchemaChange, Target};

use super::Context;
use super::alter_view::missing;
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
    let view = draft.new.table(&keyspace, name).filter(|it| it.is_view());
    if view.is_some() {
        refuse_unauthorized(&keyspace, Level::Contents)?;
    }
    refuse_system(&keyspace)?;
    if view.is_none() {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(missing(&keyspace, name)),
        };
    }
    draft.edit_keyspace(&keyspace, |it| {
        it.tables.remove(name);
    });
    Ok(told(Change::Dropped, Target::Table, &keyspace, name))
}
