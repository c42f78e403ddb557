//! Permissions: granted, revoked and listed.

use super::Parser;
use super::failure::Parsed;
use super::object_name;
use crate::ast::{
    Grant, GrantRole, ListPermissions, ListRoles, Permission, Permissions, Resource, Revoke,
    RevokeRole, Statement,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn grant(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::Grant)?;
        if self.is_role_before(Keyword::To) {
            let role = self.role_name()?;
            self.expect_keyword(Keyword::To)?;
            let grantee = self.role_name()?;
            return Ok(Statement::GrantRole(GrantRole { role, grantee }));
        }
        let (permissions, resource) = self.permissions_on_resource()?;
        self.expect_keyword(Keyword::To)?;
        let role = self.role_name()?;
        self.check_applicable(&permissions, &resource)?;
        Ok(Statement::Grant(Grant {
            permissions,
            resource,
            role,
        }))
    }

    pub(super) fn revoke(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::Revoke)?;
        if self.is_role_before(Keyword::From) {
            let role = self.role_name()?;
            self.expect_keyword(Keyword::From)?;
            let revokee = self.role_name()?;
            return Ok(Statement::RevokeRole(RevokeRole { role, revokee }));
        }
        let (permissions, resource) = self.permissions_on_resource()?;
        self.expect_keyword(Keyword::From)?;
        let role = self.role_name()?;
        self.check_applicable(&permissions, &resource)?;
        Ok(Statement::Revoke(Revoke {
            permissions,
            resource,
            role,
        }))
    }

    /// Whether a role stands here and not a permission, though it may be called like one.
    fn is_role_before(&self, keyword: Keyword) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::All | Keyword::Unmask | Keyword::SelectMasked) => {
                self.peek_at(1) == TokenKind::Keyword(keyword)
            }
            TokenKind::String | TokenKind::DollarString | TokenKind::QuestionMark => true,
            _ => self.is_name_at(0),
        }
    }

    fn permissions_on_resource(&mut self) -> Parsed<(Permissions, Resource)> {
        let permissions = self.permissions()?;
        self.expect_keyword(Keyword::On)?;
        let resource = self.resource()?;
        Ok((permissions, resource))
    }

    pub(super) fn list_statement(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::List)?;
        if self.take_keyword(Keyword::Users) {
            return Ok(Statement::ListUsers);
        }
        if self.take_keyword(Keyword::Roles) {
            let role = self.optional_of_role()?;
            let is_not_recursive = self.take_keyword(Keyword::Norecursive);
            return Ok(Statement::ListRoles(ListRoles {
                role,
                is_not_recursive,
            }));
        }
        let permissions = self.permissions()?;
        let resource = if self.take_keyword(Keyword::On) {
            Some(self.resource()?)
        } else {
            None
        };
        let role = self.optional_of_role()?;
        let is_not_recursive = self.take_keyword(Keyword::Norecursive);
        Ok(Statement::ListPermissions(ListPermissions {
            permissions,
            resource,
            role,
            is_not_recursive,
        }))
    }

    fn optional_of_role(&mut self) -> Parsed<Option<crate::ast::Name>> {
        if !self.take_keyword(Keyword::Of) {
            return Ok(None);
        }
        self.role_name().map(Some)
    }

    fn permissions(&mut self) -> Parsed<Permissions> {
        if self.take_keyword(Keyword::All) {
            self.take_keyword(Keyword::Permissions);
            return Ok(Permissions::All);
        }
        self.list(Self::permission).map(Permissions::List)
    }

    fn permission(&mut self) -> Parsed<Permission> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.unexpected();
        };
        let permission = match keyword {
            Keyword::Create => Permission::Create,
            Keyword::Alter => Permission::Alter,
            Keyword::Drop => Permission::Drop,
            Keyword::Select => Permission::Select,
            Keyword::Modify => Permission::Modify,
            Keyword::Authorize => Permission::Authorize,
            Keyword::Describe => Permission::Describe,
            Keyword::Execute => Permission::Execute,
            Keyword::Unmask => Permission::Unmask,
            Keyword::SelectMasked => Permission::SelectMasked,
            _ => return self.unexpected(),
        };
        self.advance();
        self.take_keyword(Keyword::Permission);
        Ok(permission)
    }

    fn resource(&mut self) -> Parsed<Resource> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.table_name().map(Resource::Table);
        };
        let next = self.peek_at(1);
        let is_string = matches!(next, TokenKind::String | TokenKind::DollarString);
        match keyword {
            Keyword::All => self.all_of_something(),
            Keyword::Keyspace => {
                self.advance();
                self.keyspace_name().map(Resource::Keyspace)
            }
            Keyword::Table => {
                self.advance();
                self.table_name().map(Resource::Table)
            }
            // A table may be called like one of these.
            Keyword::Role if self.is_name_at(1) || is_string || next == TokenKind::QuestionMark => {
                self.advance();
                self.role_name().map(Resource::Role)
            }
            Keyword::Function if self.is_name_at(1) || self.is_function_name_at(1) => {
                self.advance();
                let name = self.function_name()?;
                let arguments = self.argument_types()?;
                Ok(Resource::Function { name, arguments })
            }
            Keyword::Mbean if is_string => {
                self.advance();
                self.object_name(ObjectNameForm::Single)
                    .map(Resource::Mbean)
            }
            Keyword::Mbeans if is_string => {
                self.advance();
                self.object_name(ObjectNameForm::Pattern)
                    .map(Resource::Mbeans)
            }
            _ => self.table_name().map(Resource::Table),
        }
    }

    fn all_of_something(&mut self) -> Parsed<Resource> {
        let TokenKind::Keyword(what) = self.peek_at(1) else {
            return self.table_name().map(Resource::Table);
        };
        let in_keyspace = self.peek_at(2) == TokenKind::Keyword(Keyword::In);
        let resource = match what {
            Keyword::Keyspaces => Resource::AllKeyspaces,
            Keyword::Roles => Resource::AllRoles,
            Keyword::Mbeans => Resource::AllMbeans,
            Keyword::Functions if !in_keyspace => Resource::AllFunctions,
            Keyword::Functions | Keyword::Tables => {
                self.advance();
                self.advance();
                self.expect_keyword(Keyword::In)?;
                self.expect_keyword(Keyword::Keyspace)?;
                let keyspace = self.keyspace_name()?;
                return Ok(match what {
                    Keyword::Tables => Resource::AllTables(keyspace),
                    _ => Resource::AllFunctionsIn(keyspace),
                });
            }
            _ => return self.table_name().map(Resource::Table),
        };
        self.advance();
        self.advance();
        Ok(resource)
    }

    fn object_name(&mut self, form: ObjectNameForm) -> Parsed<Box<str>> {
        let name = self.string_literal()?;
        if name.is_empty() {
            return self.refuse("Empty JMX object name supplied");
        }
        if *name == *"*:*" {
            return self.refuse("Please use ALL MBEANS instead of wildcard pattern");
        }
        match (object_name::is_pattern(&name), form) {
            (None, _) => self.refuse(format!("{name} is not a valid JMX object name")),
            (Some(false), ObjectNameForm::Pattern) => self.refuse(format!(
                "Plural form used, but non-pattern JMX object name specified ({name})"
            )),
            (Some(_), _) => Ok(name),
        }
    }

    /// At least one permission must make sense for the resource.
    fn check_applicable(&self, permissions: &Permissions, resource: &Resource) -> Parsed<()> {
        let Permissions::List(permissions) = permissions else {
            return Ok(());
        };
        let (kind, applicable) = applicable(resource);
        if permissions
            .iter()
            .any(|permission| applicable.contains(permission))
        {
            return Ok(());
        }
        self.refuse(format!(
            "Resource type {kind} does not support any of the requested permissions"
        ))
    }
}

/// Whether `MBEAN` or `MBEANS` was said.
#[derive(Clone, Copy)]
enum ObjectNameForm {
    Single,
    Pattern,
}

/// What Cassandra calls a resource, and which permissions there are on it.
fn applicable(resource: &Resource) -> (&'static str, &'static [Permission]) {
    use Permission::{
        Alter, Authorize, Create, Describe, Drop, Execute, Modify, Select, SelectMasked, Unmask,
    };
    match resource {
        Resource::Table(_) => (
            "DataResource",
            &[Alter, Drop, Select, Modify, Authorize, Unmask, SelectMasked],
        ),
        Resource::AllKeyspaces | Resource::Keyspace(_) | Resource::AllTables(_) => (
            "DataResource",
            &[
                Create,
                Alter,
                Drop,
                Select,
                Modify,
                Authorize,
                Unmask,
                SelectMasked,
            ],
        ),
        Resource::AllRoles => ("RoleResource", &[Create, Alter, Drop, Authorize, Describe]),
        Resource::Role(_) => ("RoleResource", &[Alter, Drop, Authorize, Describe]),
        Resource::AllFunctions | Resource::AllFunctionsIn(_) => (
            "FunctionResource",
            &[Create, Alter, Drop, Authorize, Execute],
        ),
        Resource::Function { .. } => ("FunctionResource", &[Alter, Drop, Authorize, Execute]),
        Resource::AllMbeans | Resource::Mbean(_) | Resource::Mbeans(_) => (
            "JMXResource",
            &[Authorize, Describe, Execute, Modify, Select],
        ),
    }
}
