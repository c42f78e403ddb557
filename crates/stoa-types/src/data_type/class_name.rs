//! The names that types have as Java classes of Cassandra.
//!
//! A class name is the package, the class, and in parentheses the names of inner types. Frozen
//! collections and user-defined types are wrapped in `FrozenType`, but only the outermost: inside,
//! everything is frozen anyway. User-defined types give their names and fields in hexadecimal.

use super::{ClusteringOrder, DataType, KeyColumn, UserType};

pub(super) const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

impl KeyColumn {
    /// The class name, wrapped in `ReversedType` if the column sorts greatest value first.
    #[must_use]
    pub fn class_name(&self) -> String {
        let base = self.data_type.class_name();
        match self.order {
            ClusteringOrder::Ascending => base,
            ClusteringOrder::Descending => format!("{PACKAGE}ReversedType({base})"),
        }
    }
}

impl DataType {
    /// The name of Cassandra's class, with its package and parameters.
    #[must_use]
    pub fn class_name(&self) -> String {
        let mut out = String::new();
        self.write_class_name(Freezing::Shown, &mut out);
        out
    }

    fn write_class_name(&self, freezing: Freezing, out: &mut String) {
        let wraps = freezing == Freezing::Shown && self.is_frozen_container();
        let inside = if self.is_multi_cell() {
            freezing
        } else {
            Freezing::Hidden
        };
        if wraps {
            out.push_str(PACKAGE);
            out.push_str("FrozenType(");
        }
        match self {
            Self::Custom(name) => out.push_str(name),
            Self::UserDefined(user) => {
                out.push_str(PACKAGE);
                out.push_str("UserType");
                user.write_parameters(inside, out);
            }
            Self::Vector { element, dimension } => {
                out.push_str(PACKAGE);
                out.push_str("VectorType(");
                element.write_class_name(freezing, out);
                out.push_str(&format!(" , {dimension})"));
            }
            _ => {
                out.push_str(PACKAGE);
                out.push_str(self.simple_class_name());
                for (position, inner) in self.inner().into_iter().enumerate() {
                    out.push(if position == 0 { '(' } else { ',' });
                    inner.write_class_name(inside, out);
                }
                if !self.inner().is_empty() {
                    out.push(')');
                }
            }
        }
        if wraps {
            out.push(')');
        }
    }

    fn simple_class_name(&self) -> &'static str {
        match self {
            Self::Ascii => "AsciiType",
            Self::BigInt => "LongType",
            Self::Blob | Self::Custom(_) => "BytesType",
            Self::Boolean => "BooleanType",
            Self::Counter => "CounterColumnType",
            Self::Date => "SimpleDateType",
            Self::Decimal => "DecimalType",
            Self::Double => "DoubleType",
            Self::Duration => "DurationType",
            Self::Empty => "EmptyType",
            Self::Float => "FloatType",
            Self::Inet => "InetAddressType",
            Self::Int => "Int32Type",
            Self::SmallInt => "ShortType",
            Self::Text => "UTF8Type",
            Self::Time => "TimeType",
            Self::Timestamp => "TimestampType",
            Self::TimeUuid => "TimeUUIDType",
            Self::TinyInt => "ByteType",
            Self::Uuid => "UUIDType",
            Self::VarInt => "IntegerType",
            Self::List { .. } => "ListType",
            Self::Set { .. } => "SetType",
            Self::Map { .. } => "MapType",
            Self::Tuple(_) => "TupleType",
            Self::UserDefined(_) => "UserType",
            Self::Vector { .. } => "VectorType",
        }
    }
}

/// Whether a class name says which parts of it are frozen. Inside a frozen type all parts are, and
/// Cassandra does not repeat it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freezing {
    Shown,
    Hidden,
}

impl UserType {
    /// `(keyspace,name,field:type,...)` with all names but the keyspace's in hexadecimal.
    fn write_parameters(&self, freezing: Freezing, out: &mut String) {
        let hex = |name: &str| {
            name.bytes()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        out.push_str(&format!("({},{}", self.keyspace, hex(&self.name)));
        for field in &self.fields {
            out.push_str(&format!(",{}:", hex(&field.name)));
            field.data_type.write_class_name(freezing, out);
        }
        out.push(')');
    }
}
