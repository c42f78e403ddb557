//! BATCH: executes several writes as one.
//!
//! ```text
//! byte kind   short n   n times: byte 0, long string text   or: byte 1, short bytes id
//!                                then short m, m values
//! consistency   v4: byte flags, v5: int flags   serial consistency, timestamp, keyspace, now as in
//!                                               the parameters of a statement
//! ```
//!
//! Values cannot have names: the protocol puts the flag after them, where it comes too late
//! (CASSANDRA-10246).

use std::borrow::Cow;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::request::parameters::{Moment, read_flags, write_flags};
use crate::types::reader::Reader;
use crate::types::value::LEAST_BYTES;
use crate::types::{BoundValue, Consistency, writer};
use crate::version::Version;

/// Executes several writes as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<'a> {
    /// What is promised about the whole.
    pub kind: BatchKind,
    /// The writes in their order.
    pub statements: Vec<BatchStatement<'a>>,
    /// How many replicas must answer.
    pub consistency: Consistency,
    /// What they are to be executed at.
    pub moment: Moment<'a>,
}

/// What is promised about a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchKind {
    /// All of it happens, or nothing.
    Logged,
    /// A part of it may happen alone.
    Unlogged,
    /// Changes of counters.
    Counter,
}

/// One write of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchStatement<'a> {
    /// What is executed.
    pub text: BatchText<'a>,
    /// The values of its variables.
    pub values: Vec<BoundValue<'a>>,
}

/// What is executed in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchText<'a> {
    /// CQL.
    Text(Cow<'a, str>),
    /// What was prepared under this id.
    Prepared(Cow<'a, [u8]>),
}

const KIND: &str = "the kind of a batch";
const STATEMENTS: &str = "the statements of a batch";
const HOW: &str = "whether a statement is prepared";
const TEXT: &str = "the text of a statement";
const ID: &str = "the id of a statement";
const VALUES: &str = "the values of a statement";
/// A kind, an empty text and no value.
const LEAST_STATEMENT_BYTES: usize = 5;

impl BatchKind {
    const ALL: [Self; 3] = [Self::Logged, Self::Unlogged, Self::Counter];
}

impl<'a> Batch<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let kind = reader.byte(KIND)?;
        let found = BatchKind::ALL.get(usize::from(kind)).copied();
        let unknown = || before.error(KIND, DecodeErrorKind::Unknown(kind.into()));
        let kind = found.ok_or_else(unknown)?;
        let count = reader.count(STATEMENTS, LEAST_STATEMENT_BYTES)?;
        let statements = reader.many(count, BatchStatement::read)?;
        let consistency = Consistency::read(reader, "the consistency")?;
        let flags = read_flags(reader, version)?;
        Ok(Self {
            kind,
            statements,
            consistency,
            moment: Moment::read(reader, flags)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        out.push(match self.kind {
            BatchKind::Logged => 0,
            BatchKind::Unlogged => 1,
            BatchKind::Counter => 2,
        });
        writer::count(out, STATEMENTS, self.statements.len())?;
        for statement in &self.statements {
            statement.write(out)?;
        }
        self.consistency.write(out);
        write_flags(out, version, self.moment.flags())?;
        self.moment.write(out)
    }
}

impl<'a> BatchStatement<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let text = match reader.byte(HOW)? {
            0 => BatchText::Text(reader.long_string(TEXT)?),
            1 => BatchText::Prepared(reader.short_bytes(ID)?),
            other => return Err(before.error(HOW, DecodeErrorKind::Unknown(other.into()))),
        };
        let count = reader.count(VALUES, LEAST_BYTES)?;
        let values = reader.many(count, BoundValue::read)?;
        Ok(Self { text, values })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match &self.text {
            BatchText::Text(text) => {
                out.push(0);
                writer::long_string(out, TEXT, text)?;
            }
            BatchText::Prepared(id) => {
                out.push(1);
                writer::short_bytes(out, ID, id)?;
            }
        }
        writer::count(out, VALUES, self.values.len())?;
        self.values.iter().try_for_each(|value| value.write(out))
    }
}
