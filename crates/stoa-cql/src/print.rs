//! Trees back to text.
//!
//! Everything in [`ast`](crate::ast) displays as CQL. What is printed parses to an equal tree,
//! provided the tree could have come from a text: the parser never makes a tuple without fields,
//! for example, and there is no text for one. Names are quoted only where they must be, which
//! depends on where they stand.

mod describe;
mod function;
mod name;
mod property;
mod relation;
mod role;
mod schema;
mod select;
mod table;
mod term;
mod types;
mod write;

use std::fmt::{self, Display, Formatter};

use crate::ast::Statement;

impl Display for Statement {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Select(select) => select.fmt(formatter),
            Self::Insert(insert) => insert.fmt(formatter),
            Self::InsertJson(insert) => insert.fmt(formatter),
            Self::Update(update) => update.fmt(formatter),
            Self::Delete(delete) => delete.fmt(formatter),
            Self::Batch(batch) => batch.fmt(formatter),
            Self::Use(keyspace) => write!(formatter, "USE {keyspace}"),
            Self::Truncate(table) => write!(formatter, "TRUNCATE TABLE {table}"),
            Self::CreateKeyspace(create) => create.fmt(formatter),
            Self::AlterKeyspace(alter) => alter.fmt(formatter),
            Self::DropKeyspace(drop) => drop.fmt(formatter),
            Self::CreateTable(create) => create.fmt(formatter),
            Self::AlterTable(alter) => alter.fmt(formatter),
            Self::DropTable(drop) => write!(formatter, "DROP TABLE {drop}"),
            Self::CreateType(create) => create.fmt(formatter),
            Self::AlterType(alter) => alter.fmt(formatter),
            Self::DropType(drop) => {
                let if_exists = IfExists(drop.if_exists);
                let name = name::TypeName(&drop.name);
                write!(formatter, "DROP TYPE {if_exists}{name}")
            }
            Self::CreateIndex(create) => create.fmt(formatter),
            Self::DropIndex(drop) => write!(formatter, "DROP INDEX {drop}"),
            Self::CreateView(create) => create.fmt(formatter),
            Self::AlterView(alter) => alter.fmt(formatter),
            Self::DropView(drop) => write!(formatter, "DROP MATERIALIZED VIEW {drop}"),
            Self::CreateFunction(create) => create.fmt(formatter),
            Self::DropFunction(drop) => write!(formatter, "DROP FUNCTION {drop}"),
            Self::CreateAggregate(create) => create.fmt(formatter),
            Self::DropAggregate(drop) => write!(formatter, "DROP AGGREGATE {drop}"),
            Self::CreateTrigger(create) => create.fmt(formatter),
            Self::DropTrigger(drop) => drop.fmt(formatter),
            Self::CreateRole(create) => create.fmt(formatter),
            Self::AlterRole(alter) => alter.fmt(formatter),
            Self::DropRole(drop) => drop.fmt(formatter),
            Self::CreateUser(create) => create.fmt(formatter),
            Self::AlterUser(alter) => alter.fmt(formatter),
            Self::DropUser(drop) => drop.fmt(formatter),
            Self::Grant(grant) => grant.fmt(formatter),
            Self::Revoke(revoke) => revoke.fmt(formatter),
            Self::GrantRole(grant) => grant.fmt(formatter),
            Self::RevokeRole(revoke) => revoke.fmt(formatter),
            Self::ListPermissions(list) => list.fmt(formatter),
            Self::ListRoles(list) => list.fmt(formatter),
            Self::ListUsers => formatter.write_str("LIST USERS"),
            Self::AddIdentity(add) => add.fmt(formatter),
            Self::DropIdentity(drop) => drop.fmt(formatter),
            Self::Describe(describe) => describe.fmt(formatter),
        }
    }
}

/// Items with something between them.
struct Joined<'a, T>(&'a [T], &'static str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(items, separator) = self;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                formatter.write_str(separator)?;
            }
            item.fmt(formatter)?;
        }
        Ok(())
    }
}

/// Items with commas between them.
fn list<T: Display>(items: &[T]) -> Joined<'_, T> {
    Joined(items, ", ")
}

/// Items with `AND` between them.
fn conjunction<T: Display>(items: &[T]) -> Joined<'_, T> {
    Joined(items, " AND ")
}

/// Pairs with colons in them and commas between them.
struct Entries<'a, K, V>(&'a [(K, V)]);

impl<K: Display, V: Display> Display for Entries<'_, K, V> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.0.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(formatter, "{separator}{key}: {value}")?;
        }
        Ok(())
    }
}

/// `IF NOT EXISTS `, if so.
struct IfNotExists(bool);

impl Display for IfNotExists {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0 { "IF NOT EXISTS " } else { "" })
    }
}

/// `IF EXISTS `, if so.
struct IfExists(bool);

impl Display for IfExists {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0 { "IF EXISTS " } else { "" })
    }
}

/// A string literal.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "'{}'", self.0.replace('\'', "''"))
    }
}

/// Something with words before it, if it is there.
struct Clause<'a, T>(&'static str, Option<&'a T>);

impl<T: Display> Display for Clause<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(there) => write!(formatter, "{}{there}", self.0),
            None => Ok(()),
        }
    }
}

/// Several things with words before them, if there are any.
struct ListClause<'a, T>(&'static str, Joined<'a, T>);

impl<T: Display> Display for ListClause<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(words, items) = self;
        if items.0.is_empty() {
            return Ok(());
        }
        write!(formatter, "{words}{items}")
    }
}
