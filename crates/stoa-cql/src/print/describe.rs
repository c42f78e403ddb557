//! `DESCRIBE`.

use std::fmt::{self, Display, Formatter};

use super::Clause;
use super::name::{FunctionName, NoKeyword, TypeName};
use crate::ast::{Describe, DescribeTarget};

impl Display for Describe {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "DESCRIBE {}", self.target)?;
        if self.with_internals {
            formatter.write_str(" WITH INTERNALS")?;
        }
        Ok(())
    }
}

impl Display for DescribeTarget {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => formatter.write_str("CLUSTER"),
            Self::Schema => formatter.write_str("SCHEMA"),
            Self::FullSchema => formatter.write_str("FULL SCHEMA"),
            Self::Keyspaces => formatter.write_str("KEYSPACES"),
            Self::Keyspace(name) => write!(formatter, "KEYSPACE{}", Clause(" ", name.as_ref())),
            Self::OnlyKeyspace(name) => {
                write!(formatter, "ONLY KEYSPACE{}", Clause(" ", name.as_ref()))
            }
            Self::Tables => formatter.write_str("TABLES"),
            Self::Table(name) => write!(formatter, "TABLE {name}"),
            Self::Index(name) => write!(formatter, "INDEX {name}"),
            Self::View(name) => write!(formatter, "MATERIALIZED VIEW {name}"),
            Self::Types => formatter.write_str("TYPES"),
            Self::Type(name) => write!(formatter, "TYPE {}", TypeName(name)),
            Self::Functions => formatter.write_str("FUNCTIONS"),
            Self::Function(name) => write!(formatter, "FUNCTION {}", FunctionName(name)),
            Self::Aggregates => formatter.write_str("AGGREGATES"),
            Self::Aggregate(name) => write!(formatter, "AGGREGATE {}", FunctionName(name)),
            Self::Any(name) => {
                if let Some(keyspace) = &name.keyspace {
                    write!(formatter, "{}.", NoKeyword(keyspace))?;
                }
                NoKeyword(&name.name).fmt(formatter)
            }
        }
    }
}
