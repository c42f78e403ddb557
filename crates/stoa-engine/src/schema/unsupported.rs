//! Statements that are always refused: functions, aggregates, triggers, roles and permissions.
//!
//! They are refused with the class of error that Cassandra has for them in its default
//! configuration: user-defined functions are off, classes of triggers are not there, and who is
//! not logged in may not manage roles. `IF EXISTS` passes, because nothing of that kind exists.

use stoa_cql::ast::{QualifiedName, RoleOption, Statement};

use super::Context;
use super::authority::refuse_system;
use crate::catalog::replication::DATA_CENTRE;
use crate::catalog::{Schema, Table};
use crate::refusal::{Refusal, RefusalKind};

/// Refuses the statement, unless it asks to drop what may not exist.
pub(super) fn refuse(
    statement: &Statement,
    schema: &Schema,
    context: &Context<'_>,
) -> Result<(), Refusal> {
    match statement {
        Statement::CreateFunction(it) => {
            refuse_system(context.keyspace_of(&it.name)?)?;
            Err(functions_disabled())
        }
        Statement::CreateAggregate(it) => {
            refuse_system(context.keyspace_of(&it.name)?)?;
            Err(functions_disabled())
        }
        Statement::DropFunction(it) => drop(&it.name, it.if_exists, "Function", context),
        Statement::DropAggregate(it) => drop(&it.name, it.if_exists, "Aggregate", context),
        Statement::CreateTrigger(it) => {
            table(&it.table, schema, context)?;
            Err(Refusal::invalid(format!(
                "Trigger class '{}' couldn't be loaded",
                it.using
            )))
        }
        Statement::DropTrigger(it) => {
            refuse_system(context.keyspace_of(&it.table)?)?;
            match it.if_exists {
                true => Ok(()),
                false => Err(Refusal::invalid(format!(
                    "Trigger '{}' on '{}' doesn't exist",
                    it.name.as_str(),
                    it.table.name.as_str()
                ))),
            }
        }
        Statement::CreateRole(it) => Err(role(&it.options)),
        Statement::AlterRole(it) if it.options.is_empty() => Err(nothing_to_alter()),
        Statement::AlterRole(it) => Err(role(&it.options)),
        Statement::CreateUser(it) => Err(user(it.password.is_some())),
        Statement::AlterUser(it) if it.password.is_none() && it.is_superuser.is_none() => {
            Err(nothing_to_alter())
        }
        Statement::AlterUser(it) => Err(user(it.password.is_some())),
        Statement::DropRole(_)
        | Statement::DropUser(_)
        | Statement::Grant(_)
        | Statement::Revoke(_)
        | Statement::GrantRole(_)
        | Statement::RevokeRole(_)
        | Statement::ListPermissions(_)
        | Statement::ListRoles(_)
        | Statement::ListUsers
        | Statement::AddIdentity(_)
        | Statement::DropIdentity(_) => Err(anonymous()),
        _ => Err(Refusal::server("not a schema statement")),
    }
}

fn functions_disabled() -> Refusal {
    Refusal::invalid(
        "User-defined functions are disabled in cassandra.yaml - set \
         user_defined_functions_enabled=true to enable",
    )
}

fn drop(
    name: &QualifiedName,
    if_exists: bool,
    kind: &str,
    context: &Context<'_>,
) -> Result<(), Refusal> {
    let keyspace = context.keyspace_of(name)?;
    refuse_system(keyspace)?;
    match if_exists {
        true => Ok(()),
        false => Err(Refusal::invalid(format!(
            "{kind} '{keyspace}.{}' doesn't exist",
            name.name.as_str()
        ))),
    }
}

/// The table of a trigger, which must be there and be no view.
fn table<'s>(
    name: &QualifiedName,
    schema: &'s Schema,
    context: &Context<'_>,
) -> Result<&'s Table, Refusal> {
    let keyspace = context.keyspace_of(name)?;
    refuse_system(keyspace)?;
    let Some(owner) = schema.keyspace(keyspace) else {
        return Err(Refusal::invalid(format!(
            "Keyspace '{keyspace}' doesn't exist"
        )));
    };
    let name = name.name.as_str();
    match owner.tables.get(name) {
        None => Err(Refusal::invalid(format!("Table '{name}' doesn't exist"))),
        Some(table) if table.is_view() => Err(Refusal::invalid(
            "Cannot CREATE TRIGGER for a materialized view",
        )),
        Some(table) => Ok(table),
    }
}

/// Passwords and options need an authenticator that knows them, places must exist; for the rest one
/// must be somebody.
fn role(options: &[RoleOption]) -> Refusal {
    let problem = options.iter().find_map(|option| match option {
        RoleOption::Password(_) => Some("CassandraRoleManager doesn't support PASSWORD"),
        RoleOption::HashedPassword(_) => {
            Some("CassandraRoleManager doesn't support HASHED_PASSWORD")
        }
        RoleOption::Options(_) => Some("CassandraRoleManager doesn't support OPTIONS"),
        RoleOption::Datacenters(names) if names.iter().any(|it| **it != *DATA_CENTRE) => {
            Some("Invalid value(s) for DATACENTERS, All values must be valid datacenters")
        }
        RoleOption::Cidrs(_) => Some("Invalid CIDR group(s). Available CIDR Groups are: []"),
        _ => None,
    });
    problem.map_or_else(anonymous, Refusal::invalid)
}

fn nothing_to_alter() -> Refusal {
    Refusal::invalid("ALTER [ROLE|USER] can't be empty")
}

fn user(has_password: bool) -> Refusal {
    match has_password {
        true => Refusal::invalid("CassandraRoleManager doesn't support PASSWORD"),
        false => anonymous(),
    }
}

fn anonymous() -> Refusal {
    Refusal::new(
        RefusalKind::Unauthorized,
        "You have to be logged in and not anonymous to perform this request",
    )
}
