//! Cassandra's native protocol, versions 4 and 5: bytes only.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod error;
pub mod frame;
pub mod prepared_id;
pub mod request;
pub mod response;
pub mod types;
pub mod version;

pub use error::{DecodeError, DecodeErrorKind, EncodeError};
pub use frame::envelope::write_envelope;
pub use frame::segment::SegmentForm;
pub use frame::{
    Compression, Direction, Envelope, Extras, Flags, FrameError, Header, Limits, Opcode, Splitter,
};
pub use request::Request;
pub use response::Response;
pub use version::Version;
