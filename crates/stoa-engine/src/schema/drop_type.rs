//! `DROP TYPE`.

use stoa_cql::ast::DropObject;
use stoa_session::answer::{Change, SchemaChange, Target};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::catalog::Keyspace;
use crate::catalog::types::references::refers_to;
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
    let owner = draft.new.keyspace(&keyspace);
    let Some(owner) = owner.filter(|it| it.types.contains_key(name)) else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Type '{keyspace}.{name}' doesn't exist"
            ))),
        };
    };
    refuse_in_use(owner, name)?;
    draft.edit_keyspace(&keyspace, |it| {
        it.types.remove(name);
    });
    Ok(told(Change::Dropped, Target::UserType, &keyspace, name))
}

fn refuse_in_use(keyspace: &Keyspace, name: &str) -> Result<(), Refusal> {
    let types = keyspace.types.values().filter(|user| {
        let mut fields = user.fields.iter();
        fields.any(|it| refers_to(&it.data_type, name))
    });
    let types: Vec<_> = types.map(|it| it.name.as_str()).collect();
    let tables = keyspace.tables.values().filter(|table| {
        let mut columns = table.columns.iter();
        columns.any(|it| refers_to(&it.data_type, name))
    });
    let tables: Vec<_> = tables.map(|it| &*it.name).collect();
    let (kind, users) = match (types.is_empty(), tables.is_empty()) {
        (true, true) => return Ok(()),
        (false, _) => ("user types", types),
        (true, false) => ("tables", tables),
    };
    Err(Refusal::invalid(format!(
        "Cannot drop user type '{}.{name}' as it is still used by {kind} {}",
        keyspace.name,
        users.join(", ")
    )))
}
