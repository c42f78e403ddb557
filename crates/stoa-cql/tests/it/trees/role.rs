//! Random statements about roles and permissions.

use stoa_cql::ast::{
    AddIdentity, AlterRole, AlterUser, CreateRole, CreateUser, DropIdentity, DropRole, DropUser,
    Grant, GrantRole, ListPermissions, ListRoles, Name, Permission, Permissions, Resource, Revoke,
    RevokeRole, RoleOption, Statement, UserPassword,
};

use super::schema::property_map;
use super::term::cql_type;
use super::{name, qualified, text};
use crate::choices::Choices;

pub(crate) fn statement(choices: &mut Choices) -> Statement {
    match choices.below(15) {
        0 => Statement::CreateRole(CreateRole {
            name: role(choices),
            if_not_exists: choices.yes(),
            options: options(choices),
        }),
        1 => Statement::AlterRole(AlterRole {
            name: role(choices),
            if_exists: choices.yes(),
            options: options(choices),
        }),
        2 => Statement::DropRole(DropRole {
            name: role(choices),
            if_exists: choices.yes(),
        }),
        3 => Statement::CreateUser(CreateUser {
            name: text(choices),
            if_not_exists: choices.yes(),
            password: choices.maybe(password),
            is_superuser: choices.maybe(Choices::yes),
        }),
        4 => Statement::AlterUser(AlterUser {
            name: text(choices),
            if_exists: choices.yes(),
            password: choices.maybe(password),
            is_superuser: choices.maybe(Choices::yes),
        }),
        5 => Statement::DropUser(DropUser {
            name: text(choices),
            if_exists: choices.yes(),
        }),
        6 | 7 => Statement::Grant(Grant {
            permissions: permissions(choices),
            resource: resource(choices),
            role: role(choices),
        }),
        8 => Statement::Revoke(Revoke {
            permissions: permissions(choices),
            resource: resource(choices),
            role: role(choices),
        }),
        9 => Statement::GrantRole(GrantRole {
            role: role(choices),
            grantee: role(choices),
        }),
        10 => Statement::RevokeRole(RevokeRole {
            role: role(choices),
            revokee: role(choices),
        }),
        11 => Statement::ListPermissions(ListPermissions {
            permissions: permissions(choices),
            resource: choices.maybe(resource),
            role: choices.maybe(role),
            is_not_recursive: choices.yes(),
        }),
        12 => Statement::ListRoles(ListRoles {
            role: choices.maybe(role),
            is_not_recursive: choices.yes(),
        }),
        13 => Statement::ListUsers,
        _ => identity_statement(choices),
    }
}

fn identity_statement(choices: &mut Choices) -> Statement {
    if choices.yes() {
        return Statement::DropIdentity(DropIdentity {
            identity: text(choices),
            if_exists: choices.yes(),
        });
    }
    Statement::AddIdentity(AddIdentity {
        identity: text(choices),
        if_not_exists: choices.yes(),
        role: text(choices),
    })
}

/// The name of a role, which may be any text.
fn role(choices: &mut Choices) -> Name {
    match choices.below(3) {
        0 => Name::exact(&text(choices)),
        _ => name(choices),
    }
}

fn password(choices: &mut Choices) -> UserPassword {
    match choices.yes() {
        true => UserPassword::Plain(text(choices)),
        false => UserPassword::Hashed(text(choices)),
    }
}

/// Options of which none contradicts another.
fn options(choices: &mut Choices) -> Vec<RoleOption> {
    let mut options = Vec::new();
    options.extend(choices.maybe(|choices| match choices.yes() {
        true => RoleOption::Password(text(choices)),
        false => RoleOption::HashedPassword(text(choices)),
    }));
    options.extend(choices.maybe(|choices| RoleOption::Options(property_map(choices))));
    options.extend(choices.maybe(|choices| RoleOption::Superuser(choices.yes())));
    options.extend(choices.maybe(|choices| RoleOption::Login(choices.yes())));
    options.extend(choices.maybe(|choices| match choices.yes() {
        true => RoleOption::AllDatacenters,
        false => RoleOption::Datacenters(choices.list(1, text)),
    }));
    options.extend(choices.maybe(|choices| match choices.yes() {
        true => RoleOption::AllCidrs,
        false => RoleOption::Cidrs(choices.list(1, text)),
    }));
    options
}

/// Always with one that applies to every resource.
fn permissions(choices: &mut Choices) -> Permissions {
    if choices.yes() {
        return Permissions::All;
    }
    let mut permissions = choices.list(0, |choices| {
        choices.one_of(&[
            Permission::Create,
            Permission::Alter,
            Permission::Drop,
            Permission::Select,
            Permission::Modify,
            Permission::Describe,
            Permission::Execute,
            Permission::Unmask,
            Permission::SelectMasked,
        ])
    });
    permissions.push(Permission::Authorize);
    Permissions::List(permissions)
}

fn resource(choices: &mut Choices) -> Resource {
    match choices.below(12) {
        0 => Resource::AllKeyspaces,
        1 => Resource::Keyspace(name(choices)),
        2 => Resource::Table(qualified(choices)),
        3 => Resource::AllTables(name(choices)),
        4 => Resource::AllRoles,
        5 => Resource::Role(role(choices)),
        6 => Resource::AllFunctions,
        7 => Resource::AllFunctionsIn(name(choices)),
        8 => Resource::Function {
            name: qualified(choices),
            arguments: choices.list(0, cql_type),
        },
        9 => Resource::AllMbeans,
        10 => Resource::Mbean("a:b=c".into()),
        _ => Resource::Mbeans("a:*".into()),
    }
}
