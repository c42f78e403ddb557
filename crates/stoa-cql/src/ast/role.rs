//! Roles, users, permissions and identities.

use super::name::{Name, QualifiedName};
use super::term::Literal;
use super::types::CqlType;

/// `CREATE ROLE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateRole {
    /// Its name.
    pub name: Name,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `WITH`; no password, login or superuser option stands there twice.
    pub options: Vec<RoleOption>,
}

/// `ALTER ROLE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterRole {
    /// Its name.
    pub name: Name,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `WITH`; no password, login or superuser option stands there twice.
    pub options: Vec<RoleOption>,
}

/// `DROP ROLE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropRole {
    /// Its name.
    pub name: Name,
    /// `IF EXISTS`
    pub if_exists: bool,
}

/// One option of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleOption {
    /// `PASSWORD = '...'`
    Password(Box<str>),
    /// `HASHED PASSWORD = '...'`
    HashedPassword(Box<str>),
    /// `OPTIONS = {...}`; no key stands there twice.
    Options(Vec<(Literal, Literal)>),
    /// `SUPERUSER = true`
    Superuser(bool),
    /// `LOGIN = true`
    Login(bool),
    /// `ACCESS TO ALL DATACENTERS`
    AllDatacenters,
    /// `ACCESS TO DATACENTERS {'a', 'b'}`
    Datacenters(Vec<Box<str>>),
    /// `ACCESS FROM ALL CIDRS`
    AllCidrs,
    /// `ACCESS FROM CIDRS {'a', 'b'}`
    Cidrs(Vec<Box<str>>),
}

/// `CREATE USER`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateUser {
    /// Its name, not folded.
    pub name: Box<str>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `WITH PASSWORD`
    pub password: Option<UserPassword>,
    /// `SUPERUSER` or `NOSUPERUSER`
    pub is_superuser: Option<bool>,
}

/// `ALTER USER`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterUser {
    /// Its name, not folded.
    pub name: Box<str>,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `WITH PASSWORD`
    pub password: Option<UserPassword>,
    /// `SUPERUSER` or `NOSUPERUSER`
    pub is_superuser: Option<bool>,
}

/// The password of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserPassword {
    /// `PASSWORD '...'`
    Plain(Box<str>),
    /// `HASHED PASSWORD '...'`
    Hashed(Box<str>),
}

/// `DROP USER`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropUser {
    /// Its name, not folded.
    pub name: Box<str>,
    /// `IF EXISTS`
    pub if_exists: bool,
}

/// `GRANT permissions ON resource TO role`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What is granted; at least one of them applies to the resource.
    pub permissions: Permissions,
    /// On what.
    pub resource: Resource,
    /// To whom.
    pub role: Name,
}

/// `REVOKE permissions ON resource FROM role`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoke {
    /// What is revoked; at least one of them applies to the resource.
    pub permissions: Permissions,
    /// On what.
    pub resource: Resource,
    /// From whom.
    pub role: Name,
}

/// `GRANT role TO role`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRole {
    /// What is granted.
    pub role: Name,
    /// To whom.
    pub grantee: Name,
}

/// `REVOKE role FROM role`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokeRole {
    /// What is revoked.
    pub role: Name,
    /// From whom.
    pub revokee: Name,
}

/// `LIST permissions`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPermissions {
    /// Which.
    pub permissions: Permissions,
    /// `ON`
    pub resource: Option<Resource>,
    /// `OF`
    pub role: Option<Name>,
    /// `NORECURSIVE`
    pub is_not_recursive: bool,
}

/// `LIST ROLES`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRoles {
    /// `OF`
    pub role: Option<Name>,
    /// `NORECURSIVE`
    pub is_not_recursive: bool,
}

/// Some permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permissions {
    /// `ALL PERMISSIONS`
    All,
    /// `SELECT, MODIFY`; never empty.
    List(Vec<Permission>),
}

/// What a role may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// `CREATE`
    Create,
    /// `ALTER`
    Alter,
    /// `DROP`
    Drop,
    /// `SELECT`
    Select,
    /// `MODIFY`
    Modify,
    /// `AUTHORIZE`
    Authorize,
    /// `DESCRIBE`
    Describe,
    /// `EXECUTE`
    Execute,
    /// `UNMASK`
    Unmask,
    /// `SELECT_MASKED`
    SelectMasked,
}

/// On what a permission is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// `ALL KEYSPACES`
    AllKeyspaces,
    /// `KEYSPACE ks`
    Keyspace(Name),
    /// `TABLE t`, or a bare name
    Table(QualifiedName),
    /// `ALL TABLES IN KEYSPACE ks`
    AllTables(Name),
    /// `ALL ROLES`
    AllRoles,
    /// `ROLE r`
    Role(Name),
    /// `ALL FUNCTIONS`
    AllFunctions,
    /// `ALL FUNCTIONS IN KEYSPACE ks`
    AllFunctionsIn(Name),
    /// `FUNCTION f(t)`
    Function {
        /// Its name.
        name: QualifiedName,
        /// Its arguments.
        arguments: Vec<CqlType>,
    },
    /// `ALL MBEANS`
    AllMbeans,
    /// `MBEAN 'name'`
    Mbean(Box<str>),
    /// `MBEANS 'pattern'`
    Mbeans(Box<str>),
}

/// `ADD IDENTITY`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddIdentity {
    /// The identity, not folded.
    pub identity: Box<str>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The role, not folded.
    pub role: Box<str>,
}

/// `DROP IDENTITY`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropIdentity {
    /// The identity, not folded.
    pub identity: Box<str>,
    /// `IF EXISTS`
    pub if_exists: bool,
}
