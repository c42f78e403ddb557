//! Cuts the bytes that arrive into envelopes.
//!
//! Bytes are fed as they come, and envelopes are taken as soon as they are whole. The first envelope
//! sets the version, which the others must have.
//!
//! Invariants:
//! 1. No more is kept than the largest allowed envelope, a segment, and what was fed last.
//! 2. After an error without a stream nothing is read any more: the same error comes again.

use crate::frame::compression::Compression;
use crate::frame::envelope::Envelope;
use crate::frame::error::FrameError;
use crate::frame::flags::Flags;
use crate::frame::header::{Direction, HEADER_BYTES, RawHeader};
use crate::frame::limits::Limits;
use crate::frame::segment::{Content, SegmentForm};
use crate::version::Version;

/// Cuts the bytes that arrive on one connection into envelopes.
#[derive(Debug)]
pub struct Splitter {
    direction: Direction,
    limits: Limits,
    /// The version of this connection, once known.
    version: Option<Version>,
    /// How the bodies of version 4 are compressed.
    compression: Option<Compression>,
    /// How segments look, once there are any.
    segments: Option<SegmentForm>,
    /// Bytes as they arrived.
    arrived: Pending,
    /// What segments held.
    payload: Pending,
    /// What the payload that is being read is.
    content: Content,
    failed: Option<FrameError>,
}

impl Splitter {
    /// For envelopes of this direction.
    #[must_use]
    pub fn new(direction: Direction, limits: Limits) -> Self {
        Self {
            direction,
            limits,
            version: None,
            compression: None,
            segments: None,
            arrived: Pending::default(),
            payload: Pending::default(),
            content: Content::Whole,
            failed: None,
        }
    }

    /// From the next byte on, in version 4, bodies may be compressed so; in version 5 there are
    /// segments. Called when a connection is ready, before the next envelope is taken.
    pub fn make_ready(&mut self, version: Version, compression: Option<Compression>) {
        self.version = Some(version);
        match version {
            Version::V4 => self.compression = compression,
            Version::V5 => {
                self.segments = Some(match compression {
                    Some(_) => SegmentForm::Lz4,
                    None => SegmentForm::Plain,
                });
            }
        }
    }

    /// The version of this connection, once an envelope was seen.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Takes bytes that arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.arrived.feed(bytes);
        }
    }

    /// How many bytes were fed that no envelope has taken.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.arrived.bytes().len() + self.payload.bytes().len()
    }

    /// The next envelope; `None` if it is not all there.
    ///
    /// # Errors
    /// When the bytes are no envelope. If the error has a stream, the next envelope can be read.
    pub fn next_envelope(&mut self) -> Result<Option<Envelope>, FrameError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let next = match self.segments {
            None => self.next_plain(),
            Some(form) => self.next_segmented(form),
        };
        if let Err(error) = &next
            && error.stream().is_none()
        {
            self.failed = Some(error.clone());
            self.arrived = Pending::default();
            self.payload = Pending::default();
        }
        next
    }

    fn next_plain(&mut self) -> Result<Option<Envelope>, FrameError> {
        let Some(header) = self.header_of(self.arrived.bytes())? else {
            return Ok(None);
        };
        let Some(body) = self.arrived.take(HEADER_BYTES, header.body_bytes) else {
            return Ok(None);
        };
        self.version = Some(header.version);
        self.envelope(header, body).map(Some)
    }

    fn next_segmented(&mut self, form: SegmentForm) -> Result<Option<Envelope>, FrameError> {
        loop {
            if let Some(envelope) = self.next_in_payload()? {
                return Ok(Some(envelope));
            }
            let Some(segment) = form.read(self.arrived.bytes())? else {
                return Ok(None);
            };
            if segment.content == Content::Whole && !self.payload.bytes().is_empty() {
                return Err(FrameError::Interleaved);
            }
            self.arrived.skip(segment.bytes);
            self.content = segment.content;
            self.payload.feed(&segment.payload);
        }
    }

    fn next_in_payload(&mut self) -> Result<Option<Envelope>, FrameError> {
        if self.payload.bytes().is_empty() {
            return Ok(None);
        }
        let not_whole = match self.content {
            Content::Whole => Err(FrameError::CutEnvelope),
            Content::Part => Ok(None),
        };
        let Some(header) = self.header_of(self.payload.bytes())? else {
            return not_whole;
        };
        let Some(body) = self.payload.take(HEADER_BYTES, header.body_bytes) else {
            return not_whole;
        };
        let after = self.payload.bytes().len();
        if self.content == Content::Part && after > 0 {
            return Err(FrameError::AfterLastPart(after));
        }
        self.envelope(header, body).map(Some)
    }

    /// The header at the front, of this connection's version; `None` if it is not all there.
    fn header_of(&self, bytes: &[u8]) -> Result<Option<RawHeader>, FrameError> {
        let header = RawHeader::read(bytes, self.direction, &self.limits)?;
        match (header, self.version) {
            (Some(header), Some(expected)) if header.version != expected => {
                Err(FrameError::OtherVersion {
                    found: header.version,
                    expected,
                    stream: header.stream,
                })
            }
            _ => Ok(header),
        }
    }

    fn envelope(&self, header: RawHeader, body: Vec<u8>) -> Result<Envelope, FrameError> {
        let stream = header.stream;
        let mut header = header.known(self.direction)?;
        // Segments are compressed as a whole: in version 5 the flag means nothing.
        let is_compressed = header.flags.has(Flags::COMPRESSED) && header.version == Version::V4;
        header.flags = header.flags.without(Flags::COMPRESSED);
        if !is_compressed {
            return Ok(Envelope { header, body });
        }
        let Some(compression) = self.compression else {
            return Err(FrameError::NoCompression { stream });
        };
        let body = compression
            .decompress_body(&body, self.limits.decompressed_bytes)
            .map_err(|reason| FrameError::Body { reason, stream })?;
        Ok(Envelope { header, body })
    }
}

/// Bytes, of which the first are taken already.
#[derive(Debug, Default)]
struct Pending {
    bytes: Vec<u8>,
    taken: usize,
}

impl Pending {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn feed(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.bytes.drain(..self.taken.min(self.bytes.len()));
            self.taken = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn skip(&mut self, count: usize) {
        self.taken += count;
        if self.bytes().is_empty() {
            self.bytes.clear();
            self.taken = 0;
            // A large envelope must not hold its memory for as long as the connection lives.
            self.bytes.shrink_to(MOST_KEPT_BYTES);
        }
    }

    /// Skips some bytes and takes those after them, if all are there.
    fn take(&mut self, skipped: usize, count: usize) -> Option<Vec<u8>> {
        let end = skipped.checked_add(count)?;
        let taken = self.bytes().get(skipped..end)?.to_vec();
        self.skip(end);
        Some(taken)
    }
}

/// How much room an empty buffer keeps.
const MOST_KEPT_BYTES: usize = 64 << 10;
