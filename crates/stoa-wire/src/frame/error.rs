//! Why bytes are no envelope.
//!
//! What is wrong with one envelope alone leaves the next one readable
//! ([`FrameError::stream`] is known then, and the peer is told on that stream); everything else
//! ends the connection, since nobody knows where the next envelope begins.

use crate::frame::header::Direction;
use crate::version::Version;

/// Why bytes are no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A version that is not spoken here. Drivers look for the words "unsupported protocol version".
    #[error("Invalid or unsupported protocol version ({number}); supported versions are ({supported})", supported = supported())]
    UnsupportedVersion {
        /// The number that was found.
        number: u8,
        /// The stream, if the header is as usual.
        stream: i16,
    },
    /// Another version than the connection began with.
    #[error(
        "Invalid message version. Got {found} but previous messages on this connection had version {expected}"
    )]
    OtherVersion {
        /// The version that was found.
        found: Version,
        /// The version that the connection has.
        expected: Version,
        /// The stream of the envelope.
        stream: i16,
    },
    /// A response where a request was expected, or the other way.
    #[error("Wrong protocol direction (expected {expected}, got {found})")]
    WrongDirection {
        /// What was found.
        found: Direction,
        /// What was expected.
        expected: Direction,
        /// The stream of the envelope.
        stream: i16,
    },
    /// A number of no kind of message, or of one that the other side sends.
    #[error("Unknown opcode {number}")]
    UnknownOpcode {
        /// The number.
        number: u8,
        /// The stream of the envelope.
        stream: i16,
    },
    /// A length below zero.
    #[error("Invalid value for envelope header body length field: {length}")]
    NegativeLength {
        /// The length that was found.
        length: i32,
        /// The stream of the envelope.
        stream: i16,
    },
    /// A body that is larger than allowed.
    #[error("Request is too big: length {length} exceeds maximum allowed length {limit}")]
    TooLarge {
        /// How many bytes it says it has.
        length: usize,
        /// How many are allowed.
        limit: usize,
        /// The stream of the envelope.
        stream: i16,
    },
    /// Compressed, although no compression was agreed on.
    #[error("Received a compressed message, but no compression was agreed on")]
    NoCompression {
        /// The stream of the envelope.
        stream: i16,
    },
    /// A body that cannot be decompressed.
    #[error("Cannot decompress the body: {reason}")]
    Body {
        /// Why.
        reason: CompressionError,
        /// The stream of the envelope.
        stream: i16,
    },
    /// A segment's header has another checksum.
    #[error("Received corrupt header: its checksum is {found:06x}, not {expected:06x}")]
    HeaderChecksum {
        /// The checksum that was sent.
        found: u32,
        /// The checksum of what was sent.
        expected: u32,
    },
    /// A segment's payload has another checksum.
    #[error("Received corrupt payload: its checksum is {found:08x}, not {expected:08x}")]
    PayloadChecksum {
        /// The checksum that was sent.
        found: u32,
        /// The checksum of what was sent.
        expected: u32,
    },
    /// A segment's payload cannot be decompressed.
    #[error("Cannot decompress a segment: {0}")]
    Segment(CompressionError),
    /// A segment that should hold whole envelopes ends within one.
    #[error("A self-contained segment ends within an envelope")]
    CutEnvelope,
    /// A segment of whole envelopes stands between the parts of another.
    #[error("A self-contained segment stands between the parts of a large envelope")]
    Interleaved,
    /// The last part of a large envelope is followed by something else.
    #[error("{0} bytes follow the last part of a large envelope")]
    AfterLastPart(usize),
}

/// Why bytes cannot be compressed or decompressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompressionError {
    /// They are shorter than the length before them.
    #[error("its length is cut short")]
    CutLength,
    /// They claim to be larger than allowed.
    #[error("{claimed} bytes claimed, {limit} allowed")]
    TooLarge {
        /// How many they claim.
        claimed: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// So few compressed bytes cannot become so many.
    #[error("{compressed} bytes cannot become the {claimed} claimed")]
    Impossible {
        /// How many bytes there are.
        compressed: usize,
        /// How many they claim.
        claimed: usize,
    },
    /// They are broken.
    #[error("{0}")]
    Broken(String),
    /// They became another number of bytes than they claimed.
    #[error("{claimed} bytes claimed, {actual} found")]
    OtherLength {
        /// How many they claimed.
        claimed: usize,
        /// How many there are.
        actual: usize,
    },
}

impl FrameError {
    /// The stream that the error concerns; none if nothing after it can be read.
    #[must_use]
    pub fn stream(&self) -> Option<i16> {
        match self {
            Self::UnknownOpcode { stream, .. }
            | Self::NoCompression { stream }
            | Self::Body { stream, .. } => Some(*stream),
            _ => None,
        }
    }

    /// The stream on which the peer is told, even if the connection ends then.
    #[must_use]
    pub fn reply_stream(&self) -> i16 {
        match self {
            Self::UnsupportedVersion { stream, .. }
            | Self::OtherVersion { stream, .. }
            | Self::WrongDirection { stream, .. }
            | Self::NegativeLength { stream, .. }
            | Self::TooLarge { stream, .. } => *stream,
            other => other.stream().unwrap_or(0),
        }
    }
}

fn supported() -> String {
    Version::ALL.map(|version| version.to_string()).join(", ")
}
