//! `CREATE TYPE`.

use std::collections::HashSet;
use std::sync::Arc;

use stoa_cql::ast::{CqlType, CreateType};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_types::{UserField, UserType};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::catalog::resolve_type;
use crate::catalog::types::resolve;
use crate::refusal::Refusal;

pub(super) fn apply(
    statement: &CreateType,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    refuse_unauthorized(&keyspace, Level::Contents)?;
    refuse_system(&keyspace)?;
    let owner = draft.keyspace(&keyspace)?;
    if owner.types.contains_key(name) {
        return match statement.if_not_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "A user type with name '{name}' already exists"
            ))),
        };
    }
    let mut seen = HashSet::new();
    for field in &statement.fields {
        if !seen.insert(field.name.as_str()) {
            return Err(Refusal::invalid(format!(
                "Duplicate field name '{}' in type '{name}'",
                field.name.as_str()
            )));
        }
    }
    for field in &statement.fields {
        refuse_field(&field.cql_type)?;
    }
    let fields = statement.fields.iter().map(|field| {
        Ok(UserField {
            name: field.name.as_str().to_owned(),
            data_type: resolve_type(&field.cql_type, &keyspace, &owner.types)?,
        })
    });
    let user = UserType {
        keyspace: keyspace.clone(),
        name: name.to_owned(),
        fields: fields.collect::<Result<_, Refusal>>()?,
        is_frozen: false,
    };
    draft.edit_keyspace(&keyspace, |it| {
        it.types.insert(Arc::from(name), Arc::new(user));
    });
    Ok(told(Change::Created, Target::UserType, &keyspace, name))
}

/// Refuses what no field may be. An unknown type counts as a user type that is not frozen.
pub(super) fn refuse_field(written: &CqlType) -> Result<(), Refusal> {
    if resolve::is_counter(written) {
        return Err(Refusal::invalid("A user type cannot contain counters"));
    }
    match resolve::is_thawed_user_type(written) {
        true => Err(Refusal::invalid(
            "A user type cannot contain non-frozen UDTs",
        )),
        false => Ok(()),
    }
}
