//! How a statement is to be executed, and with which values.
//!
//! ```text
//! consistency   v4: byte flags, v5: int flags   then, each if its flag is set:
//!   0x001  short n, n values;  with 0x040 each after its name as string
//!   0x004  int page size                 0x008  bytes paging state
//!   0x010  consistency, serial           0x020  long timestamp in microseconds
//!   0x080  string keyspace (v5)          0x100  int now in seconds (v5)
//! 0x002 says that the result needs no metadata
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::types::reader::{Named, Reader};
use crate::types::value::LEAST_BYTES;
use crate::types::{BoundValue, Consistency, writer};
use crate::version::Version;

/// The values of a statement's variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bindings<'a> {
    /// In the order of the variables.
    Positional(Vec<BoundValue<'a>>),
    /// By the names of the variables.
    Named(Named<'a, BoundValue<'a>>),
}

/// How a statement is to be executed, and with which values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters<'a> {
    /// How many replicas must answer.
    pub consistency: Consistency,
    /// The values of the variables.
    pub bindings: Bindings<'a>,
    /// Whether the client knows the columns of the result.
    pub skips_metadata: bool,
    /// How many rows a page has; below 1 there are no pages.
    pub page_size: Option<i32>,
    /// Where the page begins.
    pub paging_state: Option<Cow<'a, [u8]>>,
    /// What it is to be executed at.
    pub moment: Moment<'a>,
}

/// The part of the parameters that batches have, too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment<'a> {
    /// How many replicas must agree on a condition.
    pub serial_consistency: Option<Consistency>,
    /// The timestamp of what is written, in microseconds.
    pub timestamp_micros: Option<i64>,
    /// The keyspace to execute it in, instead of the connection's; version 5.
    pub keyspace: Option<Cow<'a, str>>,
    /// What the time is, for what expires; version 5.
    pub now_in_seconds: Option<i32>,
}

pub(crate) const VALUES: u32 = 0x001;
const SKIPS_METADATA: u32 = 0x002;
const PAGE_SIZE: u32 = 0x004;
const PAGING_STATE: u32 = 0x008;
const SERIAL_CONSISTENCY: u32 = 0x010;
const TIMESTAMP: u32 = 0x020;
const NAMES: u32 = 0x040;
const KEYSPACE: u32 = 0x080;
const NOW_IN_SECONDS: u32 = 0x100;

const PAGING_STATE_PART: &str = "the paging state";
const KEYSPACE_PART: &str = "the keyspace";
const NOW_PART: &str = "now in seconds";
const SERIAL_PART: &str = "the serial consistency";

impl Default for Parameters<'_> {
    /// At consistency ONE, without values or pages.
    fn default() -> Self {
        Self {
            consistency: Consistency::One,
            bindings: Bindings::default(),
            skips_metadata: false,
            page_size: None,
            paging_state: None,
            moment: Moment::default(),
        }
    }
}

impl Default for Bindings<'_> {
    /// No value.
    fn default() -> Self {
        Self::Positional(Vec::new())
    }
}

impl Bindings<'_> {
    fn flags(&self) -> u32 {
        match self {
            Self::Positional(values) if values.is_empty() => 0,
            Self::Positional(_) => VALUES,
            Self::Named(_) => VALUES | NAMES,
        }
    }
}

impl<'a> Parameters<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let consistency = Consistency::read(reader, "the consistency")?;
        let flags = read_flags(reader, version)?;
        Ok(Self {
            consistency,
            bindings: read_bindings(reader, flags)?,
            skips_metadata: flags & SKIPS_METADATA != 0,
            page_size: when(flags, PAGE_SIZE, || reader.int("the page size"))?,
            paging_state: when(flags, PAGING_STATE, || reader.bytes(PAGING_STATE_PART))?.flatten(),
            moment: Moment::read(reader, flags)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = self.bindings.flags()
            | flag(self.skips_metadata, SKIPS_METADATA)
            | flag(self.page_size.is_some(), PAGE_SIZE)
            | flag(self.paging_state.is_some(), PAGING_STATE)
            | self.moment.flags();
        self.consistency.write(out);
        write_flags(out, version, flags)?;
        self.bindings.write(out)?;
        if let Some(page_size) = self.page_size {
            out.extend_from_slice(&page_size.to_be_bytes());
        }
        if let Some(state) = &self.paging_state {
            writer::bytes(out, PAGING_STATE_PART, Some(state))?;
        }
        self.moment.write(out)
    }
}

impl Bindings<'_> {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Positional(values) if values.is_empty() => Ok(()),
            Self::Positional(values) => {
                writer::count(out, "the values", values.len())?;
                values.iter().try_for_each(|value| value.write(out))
            }
            Self::Named(values) => {
                writer::named(out, "the values", values, |out, value| value.write(out))
            }
        }
    }
}

fn read_bindings<'a>(reader: &mut Reader<'a>, flags: u32) -> Result<Bindings<'a>, DecodeError> {
    if flags & VALUES == 0 {
        return Ok(Bindings::default());
    }
    if flags & NAMES == 0 {
        let count = reader.count("the values", LEAST_BYTES)?;
        return Ok(Bindings::Positional(reader.many(count, BoundValue::read)?));
    }
    let count = reader.count("the values", 2 + LEAST_BYTES)?;
    let values = reader.many(count, |reader| {
        Ok((
            reader.string("the name of a value")?,
            BoundValue::read(reader)?,
        ))
    })?;
    Ok(Bindings::Named(values))
}

impl<'a> Moment<'a> {
    pub(crate) fn flags(&self) -> u32 {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        flag(self.serial_consistency.is_some(), SERIAL_CONSISTENCY)
            | flag(self.timestamp_micros.is_some(), TIMESTAMP)
            | flag(self.keyspace.is_some(), KEYSPACE)
            | flag(self.now_in_seconds.is_some(), NOW_IN_SECONDS)
    }

    pub(crate) fn read(reader: &mut Reader<'a>, flags: u32) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let serial = when(flags, SERIAL_CONSISTENCY, || {
            Consistency::read(reader, SERIAL_PART)
        })?;
        if let Some(level) = serial
            && !level.is_serial()
        {
            let kind = DecodeErrorKind::UnknownWord(format!("{level:?}"));
            return Err(before.error(SERIAL_PART, kind));
        }
        Ok(Self {
            serial_consistency: serial,
            timestamp_micros: when(flags, TIMESTAMP, || read_timestamp(reader))?,
            keyspace: when(flags, KEYSPACE, || reader.string(KEYSPACE_PART))?,
            now_in_seconds: when(flags, NOW_IN_SECONDS, || reader.int(NOW_PART))?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if let Some(level) = self.serial_consistency {
            level.write(out);
        }
        if let Some(micros) = self.timestamp_micros {
            out.extend_from_slice(&micros.to_be_bytes());
        }
        if let Some(keyspace) = &self.keyspace {
            writer::string(out, KEYSPACE_PART, keyspace)?;
        }
        if let Some(seconds) = self.now_in_seconds {
            out.extend_from_slice(&seconds.to_be_bytes());
        }
        Ok(())
    }
}

/// A timestamp, of which the least number is none: Cassandra keeps it for itself.
fn read_timestamp(reader: &mut Reader<'_>) -> Result<i64, DecodeError> {
    let before = reader.clone();
    match reader.long("the timestamp")? {
        i64::MIN => Err(before.error("the timestamp", DecodeErrorKind::OutOfRange(i64::MIN))),
        micros => Ok(micros),
    }
}

fn when<T>(
    flags: u32,
    flag: u32,
    read: impl FnOnce() -> Result<T, DecodeError>,
) -> Result<Option<T>, DecodeError> {
    if flags & flag == 0 {
        return Ok(None);
    }
    read().map(Some)
}

/// The flags, of which version 4 has a byte.
pub(crate) fn read_flags(reader: &mut Reader<'_>, version: Version) -> Result<u32, DecodeError> {
    match version {
        Version::V4 => Ok(u32::from(reader.byte("the flags")?) & !KEYSPACE),
        Version::V5 => Ok(reader.int("the flags")?.cast_unsigned()),
    }
}

pub(crate) fn write_flags(
    out: &mut Vec<u8>,
    version: Version,
    flags: u32,
) -> Result<(), EncodeError> {
    match version {
        Version::V4 if flags & KEYSPACE != 0 => Err(EncodeError::NotInVersion4(KEYSPACE_PART)),
        Version::V4 => {
            let byte = u8::try_from(flags).map_err(|_| EncodeError::NotInVersion4(NOW_PART))?;
            out.push(byte);
            Ok(())
        }
        Version::V5 => {
            out.extend_from_slice(&flags.to_be_bytes());
            Ok(())
        }
    }
}
