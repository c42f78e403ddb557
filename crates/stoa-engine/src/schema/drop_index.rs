//! `DROP INDEX`.

use stoa_cql::ast::DropObject;
use stoa_session::answer::{Change, SchemaChange, Target};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::catalog::Table;
use crate::refusal::Refusal;

pub(super) fn apply(
    statement: &DropObject,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    let owner = draft.new.keyspace(&keyspace);
    let found = owner.and_then(|it| it.index(name));
    if found.is_some() {
        refuse_unauthorized(&keyspace, Level::Contents)?;
    }
    refuse_system(&keyspace)?;
    let Some((table, _)) = found else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Index '{keyspace}.{name}' doesn't exist'"
            ))),
        };
    };
    let mut parts = table.parts();
    parts.indexes.retain(|it| *it.name != *name);
    let table = Table::new(parts);
    let answer = told(Change::Updated, Target::Table, &keyspace, &table.name);
    draft.put_table(table);
    Ok(answer)
}
