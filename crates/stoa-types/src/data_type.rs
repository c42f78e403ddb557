//! The CQL type system: what a column, a field or an element may hold.
//!
//! A type prints in two languages: [`Display`](std::fmt::Display) gives CQL
//! (`map<text, frozen<list<int>>>`), [`DataType::class_name`] gives the name of Cassandra's class
//! (`org.apache.cassandra.db.marshal.MapType(...)`), which drivers get for types that the protocol
//! has no number for.
//!
//! *Frozen* means that a value is written and replaced as a whole. A collection or user-defined
//! type that is not frozen is *multi-cell*: each element has its own timestamp. Tuples, vectors
//! and native types are always whole.
//!
//! Invariants:
//! 1. Everything inside a tuple or a frozen type is frozen; the constructors see to it. A vector
//!    keeps its elements' type as it was declared, as in Cassandra, although it is whole itself.
//!    The one exception is [`DataType::without_frozen`], the form in which answers tell types.

mod class_name;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::text::identifier;

/// A CQL type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DataType {
    /// US-ASCII text.
    Ascii,
    /// A 64-bit integer.
    BigInt,
    /// Arbitrary bytes.
    Blob,
    /// True or false.
    Boolean,
    /// A 64-bit integer that is only ever added to.
    Counter,
    /// A day.
    Date,
    /// A decimal number of any size.
    Decimal,
    /// A 64-bit float.
    Double,
    /// Months, days and nanoseconds.
    Duration,
    /// No value at all; Cassandra's internal `EmptyType`.
    Empty,
    /// A 32-bit float.
    Float,
    /// An IPv4 or IPv6 address.
    Inet,
    /// A 32-bit integer.
    Int,
    /// A 16-bit integer.
    SmallInt,
    /// UTF-8 text; `varchar` is another name for it.
    Text,
    /// A time of day.
    Time,
    /// A moment in milliseconds.
    Timestamp,
    /// A version-1 UUID.
    TimeUuid,
    /// An 8-bit integer.
    TinyInt,
    /// A UUID of any version.
    Uuid,
    /// An integer of any size.
    VarInt,
    /// Values in the order they were given.
    List {
        /// The type of the values.
        element: Box<DataType>,
        /// Whether it is written as a whole.
        is_frozen: bool,
    },
    /// Distinct values in the order of their type.
    Set {
        /// The type of the values.
        element: Box<DataType>,
        /// Whether it is written as a whole.
        is_frozen: bool,
    },
    /// Values by key, in the order of the keys.
    Map {
        /// The type of the keys.
        key: Box<DataType>,
        /// The type of the values.
        value: Box<DataType>,
        /// Whether it is written as a whole.
        is_frozen: bool,
    },
    /// A fixed row of fields without names, each of which may be null.
    Tuple(Vec<DataType>),
    /// A type made by `CREATE TYPE`.
    UserDefined(Box<UserType>),
    /// A fixed number of values, none of them null.
    Vector {
        /// The type of the values.
        element: Box<DataType>,
        /// How many there are; at least one.
        dimension: u32,
    },
    /// A type known only by its Java class; its values are bytes to us.
    Custom(String),
}

/// A type made by `CREATE TYPE`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UserType {
    /// The keyspace it lives in.
    pub keyspace: String,
    /// Its name, without quotes.
    pub name: String,
    /// Its fields in order of declaration.
    pub fields: Vec<UserField>,
    /// Whether it is written as a whole.
    pub is_frozen: bool,
}

/// A field of a [`UserType`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UserField {
    /// Its name, without quotes.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
}

/// The direction in which a clustering column sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClusteringOrder {
    /// Least value first.
    #[default]
    Ascending,
    /// Greatest value first.
    Descending,
}

/// A column of a key: its type and the direction in which it sorts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyColumn {
    /// The type.
    pub data_type: DataType,
    /// The direction; always ascending for partition keys.
    pub order: ClusteringOrder,
}

impl KeyColumn {
    /// A column that sorts least value first.
    #[must_use]
    pub fn ascending(data_type: DataType) -> Self {
        Self {
            data_type,
            order: ClusteringOrder::Ascending,
        }
    }

    /// A column that sorts greatest value first.
    #[must_use]
    pub fn descending(data_type: DataType) -> Self {
        Self {
            data_type,
            order: ClusteringOrder::Descending,
        }
    }
}

impl DataType {
    /// Native types in the order of their names, for iterating over all of them.
    pub const NATIVE: [Self; 21] = [
        Self::Ascii,
        Self::BigInt,
        Self::Blob,
        Self::Boolean,
        Self::Counter,
        Self::Date,
        Self::Decimal,
        Self::Double,
        Self::Duration,
        Self::Empty,
        Self::Float,
        Self::Inet,
        Self::Int,
        Self::SmallInt,
        Self::Text,
        Self::Time,
        Self::Timestamp,
        Self::TimeUuid,
        Self::TinyInt,
        Self::Uuid,
        Self::VarInt,
    ];

    /// A multi-cell list.
    #[must_use]
    pub fn list(element: Self) -> Self {
        Self::List {
            element: Box::new(element),
            is_frozen: false,
        }
    }

    /// A multi-cell set.
    #[must_use]
    pub fn set(element: Self) -> Self {
        Self::Set {
            element: Box::new(element),
            is_frozen: false,
        }
    }

    /// A multi-cell map.
    #[must_use]
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map {
            key: Box::new(key),
            value: Box::new(value),
            is_frozen: false,
        }
    }

    /// A tuple; its fields become frozen.
    #[must_use]
    pub fn tuple(fields: Vec<Self>) -> Self {
        Self::Tuple(fields.into_iter().map(Self::frozen).collect())
    }

    /// A vector of elements of this type.
    #[must_use]
    pub fn vector(element: Self, dimension: u32) -> Self {
        Self::Vector {
            element: Box::new(element),
            dimension,
        }
    }

    /// This type, frozen, and everything inside it too.
    #[must_use]
    pub fn frozen(self) -> Self {
        let freeze = |inner: Box<Self>| Box::new(inner.frozen());
        match self {
            Self::List { element, .. } => Self::List {
                element: freeze(element),
                is_frozen: true,
            },
            Self::Set { element, .. } => Self::Set {
                element: freeze(element),
                is_frozen: true,
            },
            Self::Map { key, value, .. } => Self::Map {
                key: freeze(key),
                value: freeze(value),
                is_frozen: true,
            },
            Self::UserDefined(mut user) => {
                user.is_frozen = true;
                for field in &mut user.fields {
                    let inner = std::mem::replace(&mut field.data_type, Self::Empty);
                    field.data_type = inner.frozen();
                }
                Self::UserDefined(user)
            }
            other => other,
        }
    }

    /// This type as the native protocol tells it, which does not say what is frozen: nothing is.
    #[must_use]
    pub fn without_frozen(self) -> Self {
        let thaw = |inner: Box<Self>| Box::new(inner.without_frozen());
        match self {
            Self::List { element, .. } => Self::list(*thaw(element)),
            Self::Set { element, .. } => Self::set(*thaw(element)),
            Self::Map { key, value, .. } => Self::map(*thaw(key), *thaw(value)),
            Self::Tuple(fields) => {
                Self::Tuple(fields.into_iter().map(Self::without_frozen).collect())
            }
            Self::Vector { element, dimension } => Self::vector(*thaw(element), dimension),
            Self::UserDefined(mut user) => {
                user.is_frozen = false;
                for field in &mut user.fields {
                    let inner = std::mem::replace(&mut field.data_type, Self::Empty);
                    field.data_type = inner.without_frozen();
                }
                Self::UserDefined(user)
            }
            other => other,
        }
    }

    /// Whether each element has a cell of its own.
    #[must_use]
    pub fn is_multi_cell(&self) -> bool {
        match self {
            Self::List { is_frozen, .. }
            | Self::Set { is_frozen, .. }
            | Self::Map { is_frozen, .. } => !is_frozen,
            Self::UserDefined(user) => !user.is_frozen,
            _ => false,
        }
    }

    /// Whether CQL and Java wrap the type in `frozen`.
    fn is_frozen_container(&self) -> bool {
        (self.is_collection() || matches!(self, Self::UserDefined(_))) && !self.is_multi_cell()
    }

    /// Whether this is a list, a set or a map.
    #[must_use]
    pub fn is_collection(&self) -> bool {
        matches!(
            self,
            Self::List { .. } | Self::Set { .. } | Self::Map { .. }
        )
    }

    /// The types directly inside this one.
    #[must_use]
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::List { element, .. }
            | Self::Set { element, .. }
            | Self::Vector { element, .. } => vec![element],
            Self::Map { key, value, .. } => vec![key, value],
            Self::Tuple(fields) => fields.iter().collect(),
            Self::UserDefined(user) => user.fields.iter().map(|field| &field.data_type).collect(),
            _ => Vec::new(),
        }
    }

    /// This type with others in the place of those directly inside it; names and frozenness stay.
    #[must_use]
    pub fn map_inner(&self, mut other: impl FnMut(&Self) -> Self) -> Self {
        let mut all = self.clone();
        match &mut all {
            Self::List { element, .. }
            | Self::Set { element, .. }
            | Self::Vector { element, .. } => **element = other(element),
            Self::Map { key, value, .. } => {
                **key = other(key);
                **value = other(value);
            }
            Self::Tuple(fields) => fields.iter_mut().for_each(|it| *it = other(it)),
            Self::UserDefined(user) => {
                for field in &mut user.fields {
                    field.data_type = other(&field.data_type);
                }
            }
            _ => {}
        }
        all
    }

    /// How many types are nested in each other: 1 for `int`, 2 for `list<int>`.
    ///
    /// Everything that walks a value recurses this deep and no deeper, whatever the bytes say.
    /// Whoever makes types from untrusted text limits this number.
    #[must_use]
    pub fn depth(&self) -> usize {
        1 + self.inner().into_iter().map(Self::depth).max().unwrap_or(0)
    }

    /// Whether this type is, or contains, a duration.
    #[must_use]
    pub fn contains_duration(&self) -> bool {
        matches!(self, Self::Duration) || self.inner().into_iter().any(Self::contains_duration)
    }

    /// Whether values of this type have an order that users may rely on. Durations and counters
    /// have none.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        !self.contains_duration() && !matches!(self, Self::Counter)
    }

    /// Whether a key column may have this type: it must have an order, and be written as a whole.
    #[must_use]
    pub fn is_allowed_in_key(&self) -> bool {
        self.is_comparable() && !self.is_multi_cell()
    }

    /// The number of bytes of every value, for types that fix it.
    ///
    /// This is Cassandra's own list, which leaves out some types that have only one length
    /// (`tinyint`, `smallint`, `date` and `time`); elements of such types carry their length in a
    /// vector. Values of most fixed types may also be empty.
    #[must_use]
    pub fn fixed_length(&self) -> Option<usize> {
        match self {
            Self::Empty => Some(0),
            Self::Boolean => Some(1),
            Self::Float | Self::Int => Some(4),
            Self::BigInt | Self::Double | Self::Timestamp => Some(8),
            Self::TimeUuid | Self::Uuid => Some(16),
            Self::Vector { element, dimension } => element
                .fixed_length()?
                .checked_mul(usize::try_from(*dimension).ok()?),
            _ => None,
        }
    }

    /// Whether zero bytes are a valid value of this type.
    #[must_use]
    pub fn allows_empty(&self) -> bool {
        !matches!(
            self,
            Self::Date
                | Self::Duration
                | Self::SmallInt
                | Self::Time
                | Self::TinyInt
                | Self::Vector { .. }
        )
    }

    /// Whether zero bytes are an ordinary value: an empty text or blob. For other types that allow
    /// them they mean "nothing", which is not null.
    #[must_use]
    pub fn is_empty_ordinary(&self) -> bool {
        matches!(
            self,
            Self::Ascii | Self::Blob | Self::Text | Self::Custom(_)
        )
    }

    /// The CQL name of a native type, or `None` for all others.
    #[must_use]
    pub fn native_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Ascii => "ascii",
            Self::BigInt => "bigint",
            Self::Blob => "blob",
            Self::Boolean => "boolean",
            Self::Counter => "counter",
            Self::Date => "date",
            Self::Decimal => "decimal",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Empty => "empty",
            Self::Float => "float",
            Self::Inet => "inet",
            Self::Int => "int",
            Self::SmallInt => "smallint",
            Self::Text => "text",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::TimeUuid => "timeuuid",
            Self::TinyInt => "tinyint",
            Self::Uuid => "uuid",
            Self::VarInt => "varint",
            _ => return None,
        })
    }

    /// The native type of a CQL name in lower case; `varchar` is `text`.
    #[must_use]
    pub fn from_native_name(name: &str) -> Option<Self> {
        if name == "varchar" {
            return Some(Self::Text);
        }
        Self::NATIVE
            .into_iter()
            .find(|native| native.native_name() == Some(name))
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_wrapped = self.is_frozen_container() || matches!(self, Self::Tuple(_));
        if is_wrapped {
            f.write_str("frozen<")?;
        }
        match self {
            Self::List { element, .. } => write!(f, "list<{element}>")?,
            Self::Set { element, .. } => write!(f, "set<{element}>")?,
            Self::Map { key, value, .. } => write!(f, "map<{key}, {value}>")?,
            Self::Tuple(fields) => {
                f.write_str("tuple<")?;
                for (position, field) in fields.iter().enumerate() {
                    write!(f, "{}{field}", if position == 0 { "" } else { ", " })?;
                }
                f.write_str(">")?;
            }
            Self::UserDefined(user) => f.write_str(&identifier::quoted(&user.name))?,
            Self::Vector { element, dimension } => write!(f, "vector<{element}, {dimension}>")?,
            Self::Custom(name) => write!(f, "'{name}'")?,
            native => f.write_str(native.native_name().unwrap_or_default())?,
        }
        if is_wrapped { f.write_str(">") } else { Ok(()) }
    }
}
