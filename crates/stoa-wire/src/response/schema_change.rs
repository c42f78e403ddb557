//! A change of the schema, as RESULT and EVENT tell it.
//!
//! ```text
//! string change   string target   string keyspace   TABLE, TYPE: string name
//!                                                   FUNCTION, AGGREGATE: string name, string list types
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::write_type::{read_word, write_word};
use crate::types::writer;

/// A change of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange<'a> {
    /// What was done.
    pub change: Change,
    /// The keyspace that is, or that holds, the target.
    pub keyspace: Cow<'a, str>,
    /// What it was done to.
    pub target: SchemaTarget<'a>,
}

/// What was done to a part of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was made.
    Created,
    /// It was altered.
    Updated,
    /// It was removed.
    Dropped,
}

/// A part of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaTarget<'a> {
    /// The keyspace itself.
    Keyspace,
    /// A table or a view, by name.
    Table(Cow<'a, str>),
    /// A user-defined type, by name.
    UserType(Cow<'a, str>),
    /// A function, by name and the types of its arguments.
    Function(Cow<'a, str>, Vec<Cow<'a, str>>),
    /// An aggregate, by name and the types of its arguments.
    Aggregate(Cow<'a, str>, Vec<Cow<'a, str>>),
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Keyspace,
    Table,
    UserType,
    Function,
    Aggregate,
}

const KINDS: [(Kind, &str); 5] = [
    (Kind::Keyspace, "KEYSPACE"),
    (Kind::Table, "TABLE"),
    (Kind::UserType, "TYPE"),
    (Kind::Function, "FUNCTION"),
    (Kind::Aggregate, "AGGREGATE"),
];
const CHANGE: &str = "the kind of a schema change";
const TARGET: &str = "the target of a schema change";
const KEYSPACE: &str = "the keyspace of a schema change";
const NAME: &str = "the name in a schema change";
const TYPES: &str = "the argument types in a schema change";

impl Change {
    const WORDS: [(Self, &'static str); 3] = [
        (Self::Created, "CREATED"),
        (Self::Updated, "UPDATED"),
        (Self::Dropped, "DROPPED"),
    ];
}

impl<'a> SchemaChange<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let change = read_word(reader, CHANGE, &Change::WORDS)?;
        let kind = read_word(reader, TARGET, &KINDS)?;
        let keyspace = reader.string(KEYSPACE)?;
        let target = match kind {
            Kind::Keyspace => SchemaTarget::Keyspace,
            Kind::Table => SchemaTarget::Table(reader.string(NAME)?),
            Kind::UserType => SchemaTarget::UserType(reader.string(NAME)?),
            Kind::Function => {
                SchemaTarget::Function(reader.string(NAME)?, reader.string_list(TYPES)?)
            }
            Kind::Aggregate => {
                SchemaTarget::Aggregate(reader.string(NAME)?, reader.string_list(TYPES)?)
            }
        };
        Ok(Self {
            change,
            keyspace,
            target,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_word(out, CHANGE, &Change::WORDS, self.change)?;
        let (kind, name, types) = match &self.target {
            SchemaTarget::Keyspace => (Kind::Keyspace, None, None),
            SchemaTarget::Table(name) => (Kind::Table, Some(name), None),
            SchemaTarget::UserType(name) => (Kind::UserType, Some(name), None),
            SchemaTarget::Function(name, types) => (Kind::Function, Some(name), Some(types)),
            SchemaTarget::Aggregate(name, types) => (Kind::Aggregate, Some(name), Some(types)),
        };
        write_word(out, TARGET, &KINDS, kind)?;
        writer::string(out, KEYSPACE, &self.keyspace)?;
        if let Some(name) = name {
            writer::string(out, NAME, name)?;
        }
        match types {
            Some(types) => writer::string_list(out, TYPES, types),
            None => Ok(()),
        }
    }
}
