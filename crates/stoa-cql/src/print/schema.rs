//! Keyspaces, types, indexes and views.

use std::fmt::{self, Display, Formatter};

use super::table::WithClause;
use super::{Clause, IfExists, IfNotExists, ListClause, Quoted, conjunction, list, name};
use crate::ast::{
    AlterKeyspace, AlterType, AlterView, CreateIndex, CreateKeyspace, CreateType, CreateView,
    DropKeyspace, DropObject, Field, IndexTarget, IndexTargetKind, TypeChange,
};

impl Display for CreateKeyspace {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = IfNotExists(self.if_not_exists);
        let (name, properties) = (&self.name, &self.properties);
        write!(
            formatter,
            "CREATE KEYSPACE {if_not_exists}{name} WITH {properties}"
        )
    }
}

impl Display for AlterKeyspace {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let (name, properties) = (&self.name, &self.properties);
        write!(
            formatter,
            "ALTER KEYSPACE {if_exists}{name} WITH {properties}"
        )
    }
}

impl Display for DropKeyspace {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "DROP KEYSPACE {if_exists}{}", self.name)
    }
}

/// Without `DROP` and the kind.
impl Display for DropObject {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "{if_exists}{}", self.name)
    }
}

impl Display for CreateType {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = IfNotExists(self.if_not_exists);
        let (name, fields) = (name::TypeName(&self.name), list(&self.fields));
        write!(formatter, "CREATE TYPE {if_not_exists}{name} ({fields})")
    }
}

impl Display for Field {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.cql_type)
    }
}

impl Display for AlterType {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let name = name::TypeName(&self.name);
        write!(formatter, "ALTER TYPE {if_exists}{name} ")?;
        match &self.change {
            TypeChange::Alter(field) => {
                write!(formatter, "ALTER {} TYPE {}", field.name, field.cql_type)
            }
            TypeChange::Add {
                if_not_exists,
                field,
            } => write!(formatter, "ADD {}{field}", IfNotExists(*if_not_exists)),
            TypeChange::Rename { if_exists, renames } => {
                let if_exists = IfExists(*if_exists);
                write!(formatter, "RENAME {if_exists}{}", conjunction(renames))
            }
        }
    }
}

impl Display for CreateIndex {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let custom = if self.is_custom { "CUSTOM " } else { "" };
        let if_not_exists = IfNotExists(self.if_not_exists);
        write!(formatter, "CREATE {custom}INDEX {if_not_exists}")?;
        if let Some(name) = &self.name {
            write!(formatter, "{name} ")?;
        }
        let using = self.using.as_deref().map(Quoted);
        write!(
            formatter,
            "ON {} ({}){}{}",
            self.table,
            list(&self.targets),
            Clause(" USING ", using.as_ref()),
            ListClause(" WITH ", conjunction(&self.properties.0)),
        )
    }
}

impl Display for IndexTarget {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let column = &self.column;
        match self.kind {
            IndexTargetKind::Simple => column.fmt(formatter),
            IndexTargetKind::Values => write!(formatter, "values({column})"),
            IndexTargetKind::Keys => write!(formatter, "keys({column})"),
            IndexTargetKind::Entries => write!(formatter, "entries({column})"),
            IndexTargetKind::Full => write!(formatter, "full({column})"),
        }
    }
}

impl Display for CreateView {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let with = WithClause {
            properties: &self.properties,
            clustering_order: &self.clustering_order,
            is_compact_storage: false,
        };
        write!(
            formatter,
            "CREATE MATERIALIZED VIEW {}{} AS SELECT {} FROM {}{} {}{with}",
            IfNotExists(self.if_not_exists),
            self.name,
            self.selection,
            self.from,
            ListClause(" WHERE ", conjunction(&self.relations)),
            self.primary_key,
        )
    }
}

impl Display for AlterView {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let (name, properties) = (&self.name, &self.properties);
        write!(
            formatter,
            "ALTER MATERIALIZED VIEW {if_exists}{name} WITH {properties}"
        )
    }
}
