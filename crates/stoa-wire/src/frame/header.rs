//! The header of an envelope.
//!
//! ```text
//! byte version (0x80 in responses)   byte flags   short stream   byte opcode   int length of the body
//! ```

use std::fmt;

use crate::frame::error::FrameError;
use crate::frame::flags::Flags;
use crate::frame::limits::Limits;
use crate::frame::opcode::Opcode;
use crate::version::Version;

/// How many bytes a header has.
pub const HEADER_BYTES: usize = 9;
const RESPONSE_BIT: u8 = 0x80;

/// Who sends an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server.
    Request,
    /// From server to client.
    Response,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "REQUEST",
            Self::Response => "RESPONSE",
        })
    }
}

/// What stands before the body of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The version of the protocol.
    pub version: Version,
    /// What the envelope says about itself.
    pub flags: Flags,
    /// Which request it is, or which it answers; below 0 for events.
    pub stream: i16,
    /// What kind of message it is; it tells the direction, too.
    pub opcode: Opcode,
}

/// A header whose opcode has not been looked up, with the length of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawHeader {
    pub(crate) version: Version,
    pub(crate) flags: Flags,
    pub(crate) stream: i16,
    pub(crate) opcode: u8,
    pub(crate) body_bytes: usize,
}

impl RawHeader {
    /// Reads a header as far as one must to find the next; `None` if it is not all there.
    pub(crate) fn read(
        bytes: &[u8],
        expected: Direction,
        limits: &Limits,
    ) -> Result<Option<Self>, FrameError> {
        // A version of long ago has a shorter header, which may be all that comes.
        if let Some(first) = bytes.first()
            && first & !RESPONSE_BIT < 3
        {
            let number = first & !RESPONSE_BIT;
            return Err(FrameError::UnsupportedVersion { number, stream: 0 });
        }
        let Some(&[first, flags, high, low, opcode, a, b, c, d]) =
            bytes.first_chunk::<HEADER_BYTES>()
        else {
            return Ok(None);
        };
        let stream = i16::from_be_bytes([high, low]);
        let number = first & !RESPONSE_BIT;
        let Some(version) = Version::of_number(number) else {
            return Err(FrameError::UnsupportedVersion { number, stream });
        };
        let found = match first & RESPONSE_BIT {
            0 => Direction::Request,
            _ => Direction::Response,
        };
        if found != expected {
            return Err(FrameError::WrongDirection {
                found,
                expected,
                stream,
            });
        }
        let length = i32::from_be_bytes([a, b, c, d]);
        let Ok(body_bytes) = usize::try_from(length) else {
            return Err(FrameError::NegativeLength { length, stream });
        };
        if body_bytes > limits.body_bytes {
            return Err(FrameError::TooLarge {
                length: body_bytes,
                limit: limits.body_bytes,
                stream,
            });
        }
        Ok(Some(Self {
            version,
            flags: Flags::of_bits(flags),
            stream,
            opcode,
            body_bytes,
        }))
    }

    /// With the opcode looked up, which must be one of this direction.
    pub(crate) fn known(self, expected: Direction) -> Result<Header, FrameError> {
        let opcode = Opcode::of_number(self.opcode).filter(|it| it.direction() == expected);
        let Some(opcode) = opcode else {
            return Err(FrameError::UnknownOpcode {
                number: self.opcode,
                stream: self.stream,
            });
        };
        Ok(Header {
            version: self.version,
            flags: self.flags,
            stream: self.stream,
            opcode,
        })
    }
}

impl Header {
    /// Appends the header of a body of this length.
    pub(crate) fn write(&self, out: &mut Vec<u8>, body_bytes: i32) {
        let direction = match self.opcode.direction() {
            Direction::Request => 0,
            Direction::Response => RESPONSE_BIT,
        };
        out.push(self.version.number() | direction);
        out.push(self.flags.bits());
        out.extend_from_slice(&self.stream.to_be_bytes());
        out.push(self.opcode.number());
        out.extend_from_slice(&body_bytes.to_be_bytes());
    }
}
