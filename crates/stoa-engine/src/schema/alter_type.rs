//! `ALTER TYPE`.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_cql::ast::{AlterType, Field, Rename, TypeChange};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_types::{UserField, UserType};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use super::create_type::refuse_field;
use crate::catalog::types::references::{refers_to, replace};
use crate::catalog::types::resolve;
use crate::catalog::{Keyspace, Table, resolve_type};
use crate::refusal::Refusal;

pub(super) fn apply(
    statement: &AlterType,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    refuse_unauthorized(&keyspace, Level::Contents)?;
    refuse_system(&keyspace)?;
    let owner = draft.new.keyspace(&keyspace).cloned();
    let found = owner
        .as_ref()
        .and_then(|owner| Some((owner, owner.types.get(name)?)));
    let Some((owner, user)) = found else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(Refusal::invalid(format!(
                "Type {keyspace}.{name} doesn't exist"
            ))),
        };
    };
    let changed = match &statement.change {
        TypeChange::Alter(_) => {
            return Err(Refusal::invalid(
                "Altering field types is no longer supported",
            ));
        }
        TypeChange::Add {
            if_not_exists,
            field,
        } => match add(owner, user, field)? {
            Some(changed) => changed,
            None if *if_not_exists => return Ok(None),
            None => {
                let field = field.name.as_str();
                return Err(Refusal::invalid(format!(
                    "Cannot add field {field} to type {keyspace}.{name}: a field with name {field} \
                     already exists"
                )));
            }
        },
        TypeChange::Rename { if_exists, renames } => rename(user, renames, *if_exists)?,
    };
    draft.put_keyspace(with_type(owner, &changed));
    Ok(told(Change::Updated, Target::UserType, &keyspace, name))
}

/// The type with a new field; `None` if it has one of that name.
fn add(keyspace: &Keyspace, user: &UserType, field: &Field) -> Result<Option<UserType>, Refusal> {
    refuse_field(&field.cql_type)?;
    let name = field.name.as_str();
    if user.fields.iter().any(|it| it.name == name) {
        return Ok(None);
    }
    let data_type = resolve_type(&field.cql_type, &keyspace.name, &keyspace.types)?;
    let refuse = |why: String| {
        Err(Refusal::invalid(format!(
            "Cannot add new field {name} of type {} to user type {}.{} as {why}",
            resolve::shown(&field.cql_type),
            keyspace.name,
            user.name
        )))
    };
    if refers_to(&data_type, &user.name) {
        return refuse("it would create a circular reference".to_owned());
    }
    let in_key = |table: &&Arc<Table>| {
        let mut key = table.partition_key().iter();
        key.any(|it| refers_to(&it.data_type, &user.name))
    };
    let tables = keyspace.tables.values().filter(in_key);
    let tables: Vec<_> = tables
        .map(|it| format!("{}.{}", it.keyspace, it.name))
        .collect();
    if !tables.is_empty() {
        return refuse(format!(
            "the type is being used in partition key by the following tables: {}",
            tables.join(", ")
        ));
    }
    let mut changed = user.clone();
    changed.fields.push(UserField {
        name: name.to_owned(),
        data_type,
    });
    Ok(Some(changed))
}

fn rename(user: &UserType, renames: &[Rename], if_exists: bool) -> Result<UserType, Refusal> {
    let mut names = BTreeMap::new();
    for rename in renames {
        names.insert(rename.from.as_str(), rename.to.as_str());
    }
    let mut changed = user.clone();
    for (from, to) in names {
        let position = user.fields.iter().position(|it| it.name == from);
        match position.and_then(|it| changed.fields.get_mut(it)) {
            Some(field) => to.clone_into(&mut field.name),
            None if if_exists => {}
            None => {
                return Err(Refusal::invalid(format!(
                    "Unkown field {from} in user type {}.{}",
                    user.keyspace, user.name
                )));
            }
        }
    }
    let twice = changed.fields.iter().find(|field| {
        let same = changed.fields.iter().filter(|it| it.name == field.name);
        same.count() > 1
    });
    match twice {
        Some(field) => Err(Refusal::invalid(format!(
            "Duplicate field name {} in type {}",
            field.name, user.keyspace
        ))),
        None => Ok(changed),
    }
}

/// The keyspace with a changed type, also wherever other types and tables use it.
fn with_type(keyspace: &Keyspace, changed: &UserType) -> Keyspace {
    let mut new = keyspace.clone();
    for user in new.types.values_mut() {
        if user.name == changed.name {
            *user = Arc::new(changed.clone());
        } else if user
            .fields
            .iter()
            .any(|it| refers_to(&it.data_type, &changed.name))
        {
            let user = Arc::make_mut(user);
            for field in &mut user.fields {
                field.data_type = replace(&field.data_type, changed);
            }
        }
    }
    for table in new.tables.values_mut() {
        if table
            .columns
            .iter()
            .any(|it| refers_to(&it.data_type, &changed.name))
        {
            let mut parts = table.parts();
            for column in &mut parts.columns {
                column.data_type = replace(&column.data_type, changed);
            }
            *table = Arc::new(Table::new(parts));
        }
    }
    new
}
