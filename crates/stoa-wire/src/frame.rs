//! From bytes to envelopes and back: headers, segments, checksums, compression, limits.
//!
//! An *envelope* is one message with its header. Version 4 sends envelopes one after another.
//! Version 5 sends them within *segments* as soon as a connection is ready.

pub mod checksum;
pub mod compression;
pub mod envelope;
pub mod error;
pub mod flags;
pub mod header;
pub mod limits;
pub mod opcode;
pub mod segment;
pub mod splitter;

pub use compression::Compression;
pub use envelope::{Envelope, Extras};
pub use error::FrameError;
pub use flags::Flags;
pub use header::{Direction, Header};
pub use limits::Limits;
pub use opcode::Opcode;
pub use splitter::Splitter;
