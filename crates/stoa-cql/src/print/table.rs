//! Tables.

use std::fmt::{self, Display, Formatter};

use super::{Clause, IfExists, IfNotExists, conjunction, list, name};
use crate::ast::{
    AlterTable, ClusteringColumn, ColumnDefinition, ColumnMask, CreateTable, OrderDirection,
    PrimaryKey, Properties, Rename, TableChange,
};

impl Display for CreateTable {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let columns = list(&self.columns);
        let primary_keys = list(&self.primary_keys);
        let are_both = !self.columns.is_empty() && !self.primary_keys.is_empty();
        let comma = if are_both { ", " } else { "" };
        let with = WithClause {
            properties: &self.properties,
            clustering_order: &self.clustering_order,
            is_compact_storage: self.is_compact_storage,
        };
        write!(
            formatter,
            "CREATE TABLE {}{} ({columns}{comma}{primary_keys}){with}",
            IfNotExists(self.if_not_exists),
            self.name,
        )
    }
}

/// ` WITH ...`, if there is anything.
pub(super) struct WithClause<'a> {
    pub(super) properties: &'a Properties,
    pub(super) clustering_order: &'a [ClusteringColumn],
    pub(super) is_compact_storage: bool,
}

impl Display for WithClause<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut word = " WITH ";
        if self.is_compact_storage {
            write!(formatter, "{word}COMPACT STORAGE")?;
            word = " AND ";
        }
        if !self.clustering_order.is_empty() {
            let order = list(self.clustering_order);
            write!(formatter, "{word}CLUSTERING ORDER BY ({order})")?;
            word = " AND ";
        }
        if !self.properties.is_empty() {
            write!(formatter, "{word}{}", self.properties)?;
        }
        Ok(())
    }
}

impl Display for ColumnDefinition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.cql_type)?;
        if self.is_static {
            formatter.write_str(" STATIC")?;
        }
        Clause(" ", self.mask.as_ref()).fmt(formatter)?;
        if self.is_primary_key {
            formatter.write_str(" PRIMARY KEY")?;
        }
        Ok(())
    }
}

impl Display for ColumnMask {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("MASKED WITH DEFAULT"),
            Self::Function { name, arguments } => {
                let name = name::FunctionName(name);
                write!(formatter, "MASKED WITH {name}({})", list(arguments))
            }
        }
    }
}

impl Display for PrimaryKey {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "PRIMARY KEY (({})", list(&self.partition))?;
        for column in &self.clustering {
            write!(formatter, ", {column}")?;
        }
        formatter.write_str(")")
    }
}

impl Display for ClusteringColumn {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            OrderDirection::Ascending => "ASC",
            OrderDirection::Descending => "DESC",
        };
        write!(formatter, "{} {direction}", self.name)
    }
}

impl Display for AlterTable {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let (name, change) = (&self.name, &self.change);
        write!(formatter, "ALTER TABLE {if_exists}{name} {change}")
    }
}

impl Display for TableChange {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlterType { column, cql_type } => {
                write!(formatter, "ALTER {column} TYPE {cql_type}")
            }
            Self::Mask {
                if_exists,
                column,
                mask,
            } => {
                write!(formatter, "ALTER {}{column} ", IfExists(*if_exists))?;
                match mask {
                    Some(mask) => mask.fmt(formatter),
                    None => formatter.write_str("DROP MASKED"),
                }
            }
            Self::Add {
                if_not_exists,
                columns,
            } => {
                let if_not_exists = IfNotExists(*if_not_exists);
                write!(formatter, "ADD {if_not_exists}({})", list(columns))
            }
            Self::Drop {
                if_exists,
                columns,
                timestamp_micros,
            } => {
                let if_exists = IfExists(*if_exists);
                let using = Clause(" USING TIMESTAMP ", timestamp_micros.as_ref());
                write!(formatter, "DROP {if_exists}({}){using}", list(columns))
            }
            Self::Rename { if_exists, renames } => {
                let if_exists = IfExists(*if_exists);
                write!(formatter, "RENAME {if_exists}{}", conjunction(renames))
            }
            Self::DropCompactStorage => formatter.write_str("DROP COMPACT STORAGE"),
            Self::Properties(properties) => write!(formatter, "WITH {properties}"),
        }
    }
}

impl Display for Rename {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} TO {}", self.from, self.to)
    }
}
