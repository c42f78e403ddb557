//! `[option]`: the type of a column or variable.
//!
//! ```text
//! option   short id, then for   0x00 custom  string: the name of a Java class
//!                               0x20 list    option         0x22 set   option
//!                               0x21 map     option key, option value
//!                               0x30 UDT     string keyspace, string name, short n,
//!                                            n (string name, option)
//!                               0x31 tuple   short n, n options
//! ```
//!
//! Types that the protocol has no number for are told by their class: `empty`, vectors, and in
//! version 4 `duration`. Read back, a vector is a [`DataType::Custom`] of that name. What is frozen
//! is not told.
//!
//! Invariants:
//! 1. Reading recurses at most [`DEEPEST`] times.

use stoa_types::DataType;
use stoa_types::data_type::{UserField, UserType};

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

/// How many types may be nested in each other.
pub const DEEPEST: usize = 100;

const PART: &str = "a type";
const CUSTOM: u16 = 0x00;
const LIST: u16 = 0x20;
const MAP: u16 = 0x21;
const SET: u16 = 0x22;
const USER_DEFINED: u16 = 0x30;
const TUPLE: u16 = 0x31;

/// Types that are a number and nothing else.
static SIMPLE: [(u16, DataType); 20] = [
    (0x01, DataType::Ascii),
    (0x02, DataType::BigInt),
    (0x03, DataType::Blob),
    (0x04, DataType::Boolean),
    (0x05, DataType::Counter),
    (0x06, DataType::Decimal),
    (0x07, DataType::Double),
    (0x08, DataType::Float),
    (0x09, DataType::Int),
    (0x0b, DataType::Timestamp),
    (0x0c, DataType::Uuid),
    (0x0d, DataType::Text),
    (0x0e, DataType::VarInt),
    (0x0f, DataType::TimeUuid),
    (0x10, DataType::Inet),
    (0x11, DataType::Date),
    (0x12, DataType::Time),
    (0x13, DataType::SmallInt),
    (0x14, DataType::TinyInt),
    (0x15, DataType::Duration),
];
/// The old number of `text`, which is read and not written.
const OLD_TEXT: u16 = 0x0a;

/// Types that are told by their class.
static BY_CLASS: [DataType; 2] = [DataType::Duration, DataType::Empty];

/// Reads a type.
///
/// # Errors
/// When the body ends before it does, or a number stands for no type.
pub fn read(reader: &mut Reader<'_>) -> Result<DataType, DecodeError> {
    read_within(reader, DEEPEST)
}

fn read_within(reader: &mut Reader<'_>, depth: usize) -> Result<DataType, DecodeError> {
    let before = reader.clone();
    let Some(inside) = depth.checked_sub(1) else {
        return Err(before.error(PART, DecodeErrorKind::TooDeep(DEEPEST)));
    };
    let number = reader.short_int(PART)?;
    match number {
        CUSTOM => Ok(of_class(&reader.string("the class of a type")?)),
        LIST => read_within(reader, inside).map(DataType::list),
        SET => read_within(reader, inside).map(DataType::set),
        MAP => {
            let key = read_within(reader, inside)?;
            Ok(DataType::map(key, read_within(reader, inside)?))
        }
        USER_DEFINED => read_user_type(reader, inside),
        TUPLE => {
            let count = reader.count("the fields of a tuple", 2)?;
            let fields = reader.many(count, |reader| read_within(reader, inside))?;
            Ok(DataType::Tuple(fields))
        }
        OLD_TEXT => Ok(DataType::Text),
        _ => {
            let found = SIMPLE.iter().find(|(known, _)| *known == number);
            let unknown = || before.error(PART, DecodeErrorKind::Unknown(number.into()));
            found.map(|(_, found)| found.clone()).ok_or_else(unknown)
        }
    }
}

fn of_class(name: &str) -> DataType {
    let known = BY_CLASS.iter().find(|known| known.class_name() == name);
    let custom = || DataType::Custom(name.to_owned());
    known.cloned().unwrap_or_else(custom)
}

fn read_user_type(reader: &mut Reader<'_>, depth: usize) -> Result<DataType, DecodeError> {
    let keyspace = reader.string("the keyspace of a type")?.into_owned();
    let name = reader.string("the name of a type")?.into_owned();
    let count = reader.count("the fields of a type", 4)?;
    let fields = reader.many(count, |reader| {
        Ok(UserField {
            name: reader.string("the name of a field")?.into_owned(),
            data_type: read_within(reader, depth)?,
        })
    })?;
    Ok(DataType::UserDefined(Box::new(UserType {
        keyspace,
        name,
        fields,
        is_frozen: false,
    })))
}

/// Appends a type.
///
/// # Errors
/// When a name is too long, or there are too many fields.
pub fn write(out: &mut Vec<u8>, version: Version, all: &DataType) -> Result<(), EncodeError> {
    let number = |out: &mut Vec<u8>, number: u16| out.extend_from_slice(&number.to_be_bytes());
    match all {
        DataType::List { element, .. } => {
            number(out, LIST);
            write(out, version, element)
        }
        DataType::Set { element, .. } => {
            number(out, SET);
            write(out, version, element)
        }
        DataType::Map { key, value, .. } => {
            number(out, MAP);
            write(out, version, key)?;
            write(out, version, value)
        }
        DataType::UserDefined(user) => {
            number(out, USER_DEFINED);
            writer::string(out, "the keyspace of a type", &user.keyspace)?;
            writer::string(out, "the name of a type", &user.name)?;
            writer::count(out, "the fields of a type", user.fields.len())?;
            user.fields.iter().try_for_each(|field| {
                writer::string(out, "the name of a field", &field.name)?;
                write(out, version, &field.data_type)
            })
        }
        DataType::Tuple(fields) => {
            number(out, TUPLE);
            writer::count(out, "the fields of a tuple", fields.len())?;
            fields.iter().try_for_each(|it| write(out, version, it))
        }
        simple => {
            let is_told = |known: &DataType| {
                known == simple && (version > Version::V4 || *known != DataType::Duration)
            };
            if let Some((id, _)) = SIMPLE.iter().find(|(_, known)| is_told(known)) {
                number(out, *id);
                return Ok(());
            }
            number(out, CUSTOM);
            writer::string(out, "the class of a type", &simple.class_name())
        }
    }
}
