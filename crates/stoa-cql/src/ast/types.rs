//! Types as they are written; user-defined ones are not looked up.

use stoa_types::DataType;

use super::name::QualifiedName;

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CqlType {
    /// A type that every Cassandra has.
    Native(NativeType),
    /// `'org.apache.cassandra.db.marshal.SomeType'`: a Java class.
    Custom(String),
    /// `list<t>`
    List(Box<CqlType>),
    /// `set<t>`
    Set(Box<CqlType>),
    /// `map<k, v>`
    Map(Box<CqlType>, Box<CqlType>),
    /// `tuple<a, b>`
    Tuple(Vec<CqlType>),
    /// `vector<t, n>`; the dimension may be 0 or less, which is refused later.
    Vector(Box<CqlType>, i32),
    /// `frozen<t>`; the parser refuses it for types that can never be frozen.
    Frozen(Box<CqlType>),
    /// A name that is none of these.
    UserType(QualifiedName),
}

/// A type that every Cassandra has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NativeType {
    /// `ascii`
    Ascii,
    /// `bigint`
    BigInt,
    /// `blob`
    Blob,
    /// `boolean`
    Boolean,
    /// `counter`
    Counter,
    /// `date`
    Date,
    /// `decimal`
    Decimal,
    /// `double`
    Double,
    /// `duration`
    Duration,
    /// `float`
    Float,
    /// `inet`
    Inet,
    /// `int`
    Int,
    /// `smallint`
    SmallInt,
    /// `text`
    Text,
    /// `time`
    Time,
    /// `timestamp`
    Timestamp,
    /// `timeuuid`
    TimeUuid,
    /// `tinyint`
    TinyInt,
    /// `uuid`
    Uuid,
    /// `varchar`, another name for `text`
    VarChar,
    /// `varint`
    VarInt,
}

impl NativeType {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 21] = [
        Self::Ascii,
        Self::BigInt,
        Self::Blob,
        Self::Boolean,
        Self::Counter,
        Self::Date,
        Self::Decimal,
        Self::Double,
        Self::Duration,
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
        Self::VarChar,
        Self::VarInt,
    ];

    /// Its name in CQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ascii",
            Self::BigInt => "bigint",
            Self::Blob => "blob",
            Self::Boolean => "boolean",
            Self::Counter => "counter",
            Self::Date => "date",
            Self::Decimal => "decimal",
            Self::Double => "double",
            Self::Duration => "duration",
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
            Self::VarChar => "varchar",
            Self::VarInt => "varint",
        }
    }

    /// The type of its values; `varchar` is `text` there.
    #[must_use]
    pub const fn data_type(self) -> DataType {
        match self {
            Self::Ascii => DataType::Ascii,
            Self::BigInt => DataType::BigInt,
            Self::Blob => DataType::Blob,
            Self::Boolean => DataType::Boolean,
            Self::Counter => DataType::Counter,
            Self::Date => DataType::Date,
            Self::Decimal => DataType::Decimal,
            Self::Double => DataType::Double,
            Self::Duration => DataType::Duration,
            Self::Float => DataType::Float,
            Self::Inet => DataType::Inet,
            Self::Int => DataType::Int,
            Self::SmallInt => DataType::SmallInt,
            Self::Text | Self::VarChar => DataType::Text,
            Self::Time => DataType::Time,
            Self::Timestamp => DataType::Timestamp,
            Self::TimeUuid => DataType::TimeUuid,
            Self::TinyInt => DataType::TinyInt,
            Self::Uuid => DataType::Uuid,
            Self::VarInt => DataType::VarInt,
        }
    }
}
