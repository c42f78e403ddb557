//! One message with its header, and what may stand before its body.
//!
//! ```text
//! request    [bytes map custom payload]  body
//! response   [uuid trace]  [string list warnings]  [bytes map custom payload]  body
//! ```
//!
//! Each stands there if its flag is set.

use std::borrow::Cow;

use uuid::Uuid;

use crate::error::{DecodeError, EncodeError};
use crate::frame::compression::Compression;
use crate::frame::flags::Flags;
use crate::frame::header::{Direction, Header};
use crate::types::reader::{Named, Reader};
use crate::types::writer;
use crate::version::Version;

/// One message with its header; the body is as sent, but decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// What stands before the body.
    pub header: Header,
    /// The body, and before it what flags announce.
    pub body: Vec<u8>,
}

/// What stands before the body of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras<'a> {
    /// The id under which a request was traced; of a response.
    pub trace: Option<Uuid>,
    /// What the author of a statement should know; of a response.
    pub warnings: Vec<Cow<'a, str>>,
    /// Whatever client and server agreed on.
    pub custom_payload: Named<'a, Option<Cow<'a, [u8]>>>,
}

const WARNINGS: &str = "the warnings";
const CUSTOM_PAYLOAD: &str = "the custom payload";

impl Envelope {
    /// Takes what stands before the body, and the body.
    ///
    /// # Errors
    /// When what flags announce is not there.
    pub fn parts(&self) -> Result<(Extras<'_>, &[u8]), DecodeError> {
        let mut reader = Reader::new(&self.body);
        let flags = self.header.flags;
        let is_response = self.header.opcode.direction() == Direction::Response;
        let mut extras = Extras::default();
        if is_response && flags.has(Flags::TRACING) {
            extras.trace = Some(reader.uuid("the id of the trace")?);
        }
        if is_response && flags.has(Flags::WARNING) {
            extras.warnings = reader.string_list(WARNINGS)?;
        }
        if flags.has(Flags::CUSTOM_PAYLOAD) {
            extras.custom_payload = reader.bytes_map(CUSTOM_PAYLOAD)?;
        }
        Ok((extras, reader.left()))
    }
}

impl Extras<'_> {
    fn flags(&self) -> Flags {
        let flag = |is_there, flag| if is_there { flag } else { Flags::NONE };
        flag(self.trace.is_some(), Flags::TRACING)
            .with(flag(!self.warnings.is_empty(), Flags::WARNING))
            .with(flag(!self.custom_payload.is_empty(), Flags::CUSTOM_PAYLOAD))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if let Some(trace) = self.trace {
            out.extend_from_slice(trace.as_bytes());
        }
        if !self.warnings.is_empty() {
            writer::string_list(out, WARNINGS, &self.warnings)?;
        }
        if !self.custom_payload.is_empty() {
            let value = |out: &mut Vec<u8>, value: &Option<Cow<'_, [u8]>>| {
                writer::bytes(out, CUSTOM_PAYLOAD, value.as_deref())
            };
            writer::named(out, CUSTOM_PAYLOAD, &self.custom_payload, value)?;
        }
        Ok(())
    }
}

/// Appends an envelope: its header, its extras, and the body that `write_body` appends. In version 4
/// it is compressed, if that was agreed on; in version 5 segments are. Flags that tell of the extras
/// are set as they are there. When it fails, nothing was appended.
///
/// # Errors
/// When something is longer than the protocol can tell.
pub fn write_envelope(
    out: &mut Vec<u8>,
    header: Header,
    extras: &Extras<'_>,
    compression: Option<Compression>,
    write_body: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let written = write_at(out, start, header, extras, compression, write_body);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn write_at(
    out: &mut Vec<u8>,
    start: usize,
    mut header: Header,
    extras: &Extras<'_>,
    compression: Option<Compression>,
    write_body: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    header.flags = header.flags.without(Flags::COMPRESSED).with(extras.flags());
    header.write(out, 0);
    let body_start = out.len();
    extras.write(out)?;
    write_body(out)?;
    let too_long = |length| EncodeError::TooLong {
        part: "a body",
        length,
    };
    if let Some(compression) = compression.filter(|_| header.version == Version::V4)
        && out.len() > body_start
    {
        let body = out.get(body_start..).unwrap_or_default();
        let compressed = compression.compress_body(body);
        let compressed = compressed.map_err(|_| too_long(body.len()))?;
        header.flags = header.flags.with(Flags::COMPRESSED);
        out.truncate(body_start);
        out.extend_from_slice(&compressed);
    }
    let length = out.len() - body_start;
    let length = i32::try_from(length).map_err(|_| too_long(length))?;
    let mut finished = Vec::with_capacity(body_start - start);
    header.write(&mut finished, length);
    if let Some(place) = out.get_mut(start..body_start) {
        place.copy_from_slice(&finished);
    }
    Ok(())
}
