//! What kind of message an envelope holds.

use crate::frame::header::Direction;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the protocol's own words")]
pub enum Opcode {
    Error,
    Startup,
    Ready,
    Authenticate,
    Options,
    Supported,
    Query,
    Result,
    Prepare,
    Execute,
    Register,
    Event,
    Batch,
    AuthChallenge,
    AuthResponse,
    AuthSuccess,
}

impl Opcode {
    /// Every kind with its number.
    pub const NUMBERS: [(Self, u8); 16] = [
        (Self::Error, 0x00),
        (Self::Startup, 0x01),
        (Self::Ready, 0x02),
        (Self::Authenticate, 0x03),
        (Self::Options, 0x05),
        (Self::Supported, 0x06),
        (Self::Query, 0x07),
        (Self::Result, 0x08),
        (Self::Prepare, 0x09),
        (Self::Execute, 0x0a),
        (Self::Register, 0x0b),
        (Self::Event, 0x0c),
        (Self::Batch, 0x0d),
        (Self::AuthChallenge, 0x0e),
        (Self::AuthResponse, 0x0f),
        (Self::AuthSuccess, 0x10),
    ];

    /// The kind of this number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        let found = Self::NUMBERS.iter().find(|(_, known)| *known == number);
        found.map(|(opcode, _)| *opcode)
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u8 {
        let found = Self::NUMBERS.iter().find(|(known, _)| *known == self);
        found.map_or(0, |(_, number)| *number)
    }

    /// Who sends it.
    #[must_use]
    pub fn direction(self) -> Direction {
        match self {
            Self::Startup
            | Self::Options
            | Self::Query
            | Self::Prepare
            | Self::Execute
            | Self::Register
            | Self::Batch
            | Self::AuthResponse => Direction::Request,
            Self::Error
            | Self::Ready
            | Self::Authenticate
            | Self::Supported
            | Self::Result
            | Self::Event
            | Self::AuthChallenge
            | Self::AuthSuccess => Direction::Response,
        }
    }
}
