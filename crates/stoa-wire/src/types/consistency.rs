//! `[consistency]`: how many replicas must answer, as a number.

use crate::error::{DecodeError, DecodeErrorKind};
use crate::types::reader::Reader;

/// How many replicas must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the levels are Cassandra's own words")]
pub enum Consistency {
    Any,
    One,
    Two,
    Three,
    Quorum,
    All,
    LocalQuorum,
    EachQuorum,
    Serial,
    LocalSerial,
    LocalOne,
    NodeLocal,
}

impl Consistency {
    /// Every level; its number is its place.
    pub const ALL: [Self; 12] = [
        Self::Any,
        Self::One,
        Self::Two,
        Self::Three,
        Self::Quorum,
        Self::All,
        Self::LocalQuorum,
        Self::EachQuorum,
        Self::Serial,
        Self::LocalSerial,
        Self::LocalOne,
        Self::NodeLocal,
    ];

    /// Whether it is a level of conditional writes alone.
    #[must_use]
    pub fn is_serial(self) -> bool {
        matches!(self, Self::Serial | Self::LocalSerial)
    }

    pub(crate) fn read(reader: &mut Reader<'_>, part: &'static str) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let number = reader.short_int(part)?;
        let level = Self::ALL.get(usize::from(number));
        let unknown = || before.error(part, DecodeErrorKind::Unknown(number.into()));
        level.copied().ok_or_else(unknown)
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let place = Self::ALL.iter().position(|level| *level == self);
        let number = place.and_then(|place| u16::try_from(place).ok());
        out.extend_from_slice(&number.unwrap_or_default().to_be_bytes());
    }
}
