//! Roles, users, permissions and identities.

use std::fmt::{self, Display, Formatter};

use super::name::{FunctionName, RoleName};
use super::{Clause, Entries, IfExists, IfNotExists, ListClause, Quoted, conjunction, list};
use crate::ast::{
    AddIdentity, AlterRole, AlterUser, CreateRole, CreateUser, DropIdentity, DropRole, DropUser,
    Grant, GrantRole, ListPermissions, ListRoles, Permission, Permissions, Resource, Revoke,
    RevokeRole, RoleOption, UserPassword,
};

impl Display for CreateRole {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = IfNotExists(self.if_not_exists);
        let options = ListClause(" WITH ", conjunction(&self.options));
        let name = RoleName(&self.name);
        write!(formatter, "CREATE ROLE {if_not_exists}{name}{options}")
    }
}

impl Display for AlterRole {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let options = ListClause(" WITH ", conjunction(&self.options));
        let name = RoleName(&self.name);
        write!(formatter, "ALTER ROLE {if_exists}{name}{options}")
    }
}

impl Display for DropRole {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "DROP ROLE {if_exists}{}", RoleName(&self.name))
    }
}

impl Display for RoleOption {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password(password) => write!(formatter, "PASSWORD = {}", Quoted(password)),
            Self::HashedPassword(hash) => {
                write!(formatter, "HASHED PASSWORD = {}", Quoted(hash))
            }
            Self::Options(options) => write!(formatter, "OPTIONS = {{{}}}", Entries(options)),
            Self::Superuser(is_superuser) => write!(formatter, "SUPERUSER = {is_superuser}"),
            Self::Login(can_login) => write!(formatter, "LOGIN = {can_login}"),
            Self::AllDatacenters => formatter.write_str("ACCESS TO ALL DATACENTERS"),
            Self::Datacenters(names) => {
                write!(formatter, "ACCESS TO DATACENTERS {{{}}}", Strings(names))
            }
            Self::AllCidrs => formatter.write_str("ACCESS FROM ALL CIDRS"),
            Self::Cidrs(names) => write!(formatter, "ACCESS FROM CIDRS {{{}}}", Strings(names)),
        }
    }
}

/// String literals with commas between them.
struct Strings<'a>(&'a [Box<str>]);

impl Display for Strings<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (index, string) in self.0.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(formatter, "{separator}{}", Quoted(string))?;
        }
        Ok(())
    }
}

impl Display for CreateUser {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = IfNotExists(self.if_not_exists);
        write!(
            formatter,
            "CREATE USER {if_not_exists}{}",
            Quoted(&self.name)
        )?;
        write_user(self.password.as_ref(), self.is_superuser, formatter)
    }
}

impl Display for AlterUser {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "ALTER USER {if_exists}{}", Quoted(&self.name))?;
        write_user(self.password.as_ref(), self.is_superuser, formatter)
    }
}

fn write_user(
    password: Option<&UserPassword>,
    is_superuser: Option<bool>,
    formatter: &mut Formatter<'_>,
) -> fmt::Result {
    match password {
        Some(UserPassword::Plain(password)) => {
            write!(formatter, " WITH PASSWORD {}", Quoted(password))?;
        }
        Some(UserPassword::Hashed(hash)) => {
            write!(formatter, " WITH HASHED PASSWORD {}", Quoted(hash))?;
        }
        None => {}
    }
    formatter.write_str(match is_superuser {
        Some(true) => " SUPERUSER",
        Some(false) => " NOSUPERUSER",
        None => "",
    })
}

impl Display for DropUser {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "DROP USER {if_exists}{}", Quoted(&self.name))
    }
}

impl Display for Grant {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (permissions, resource) = (&self.permissions, &self.resource);
        let role = RoleName(&self.role);
        write!(formatter, "GRANT {permissions} ON {resource} TO {role}")
    }
}

impl Display for Revoke {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (permissions, resource) = (&self.permissions, &self.resource);
        let role = RoleName(&self.role);
        write!(formatter, "REVOKE {permissions} ON {resource} FROM {role}")
    }
}

impl Display for GrantRole {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (role, grantee) = (RoleName(&self.role), RoleName(&self.grantee));
        write!(formatter, "GRANT {role} TO {grantee}")
    }
}

impl Display for RevokeRole {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (role, revokee) = (RoleName(&self.role), RoleName(&self.revokee));
        write!(formatter, "REVOKE {role} FROM {revokee}")
    }
}

impl Display for ListPermissions {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let role = self.role.as_ref().map(RoleName);
        write!(
            formatter,
            "LIST {}{}{}{}",
            self.permissions,
            Clause(" ON ", self.resource.as_ref()),
            Clause(" OF ", role.as_ref()),
            Norecursive(self.is_not_recursive),
        )
    }
}

impl Display for ListRoles {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let role = self.role.as_ref().map(RoleName);
        let of = Clause(" OF ", role.as_ref());
        let norecursive = Norecursive(self.is_not_recursive);
        write!(formatter, "LIST ROLES{of}{norecursive}")
    }
}

/// ` NORECURSIVE`, if so.
struct Norecursive(bool);

impl Display for Norecursive {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0 { " NORECURSIVE" } else { "" })
    }
}

impl Display for Permissions {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("ALL PERMISSIONS"),
            Self::List(permissions) => list(permissions).fmt(formatter),
        }
    }
}

impl Display for Permission {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Create => "CREATE",
            Self::Alter => "ALTER",
            Self::Drop => "DROP",
            Self::Select => "SELECT",
            Self::Modify => "MODIFY",
            Self::Authorize => "AUTHORIZE",
            Self::Describe => "DESCRIBE",
            Self::Execute => "EXECUTE",
            Self::Unmask => "UNMASK",
            Self::SelectMasked => "SELECT_MASKED",
        })
    }
}

impl Display for Resource {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllKeyspaces => formatter.write_str("ALL KEYSPACES"),
            Self::Keyspace(keyspace) => write!(formatter, "KEYSPACE {keyspace}"),
            Self::Table(table) => write!(formatter, "TABLE {table}"),
            Self::AllTables(keyspace) => {
                write!(formatter, "ALL TABLES IN KEYSPACE {keyspace}")
            }
            Self::AllRoles => formatter.write_str("ALL ROLES"),
            Self::Role(role) => write!(formatter, "ROLE {}", RoleName(role)),
            Self::AllFunctions => formatter.write_str("ALL FUNCTIONS"),
            Self::AllFunctionsIn(keyspace) => {
                write!(formatter, "ALL FUNCTIONS IN KEYSPACE {keyspace}")
            }
            Self::Function { name, arguments } => {
                let name = FunctionName(name);
                write!(formatter, "FUNCTION {name}({})", list(arguments))
            }
            Self::AllMbeans => formatter.write_str("ALL MBEANS"),
            Self::Mbean(name) => write!(formatter, "MBEAN {}", Quoted(name)),
            Self::Mbeans(pattern) => write!(formatter, "MBEANS {}", Quoted(pattern)),
        }
    }
}

impl Display for AddIdentity {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = IfNotExists(self.if_not_exists);
        let (identity, role) = (Quoted(&self.identity), Quoted(&self.role));
        write!(
            formatter,
            "ADD IDENTITY {if_not_exists}{identity} TO ROLE {role}"
        )
    }
}

impl Display for DropIdentity {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let identity = Quoted(&self.identity);
        write!(formatter, "DROP IDENTITY {if_exists}{identity}")
    }
}
