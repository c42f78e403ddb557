//! The container around every table and version file: named sections, a table
//! of contents and a trailer (the format of the crate sfa 1.0).
//!
//! ```text
//! sections, one after another from byte 0
//! contents "TOC!"  count u32  { start u64  length u64  name length u16  name }…
//! trailer  "SFA!"  version u8 = 1  checksum type u8 = 0  xxh3-128 of the contents
//!          start of the contents u64  length of the contents u64
//! ```
//!
//! Invariants of an [`Archive`]: (1) its contents have the right checksum; (2)
//! the sections, the contents and the trailer fill the file without gap or
//! overlap, so that no section reaches outside the file.

use std::io::{self, Read, Seek};

use xxhash_rust::xxh3::xxh3_128;

use crate::integrity::{fields::Fields, files::Window};

const TRAILER_BYTES: u64 = 38;
/// fjall writes a dozen sections of short names; this is a thousand of them.
const CONTENTS_LIMIT: u64 = 1 << 16;

/// Where the sections of a file are.
#[derive(Debug)]
pub(crate) struct Archive {
    sections: Vec<(Vec<u8>, Section)>,
}

/// A range of bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) start: u64,
    pub(crate) len: u64,
}

impl Archive {
    /// Reads and verifies trailer and contents; the inner error says what is wrong.
    pub(crate) fn read<R: Read + Seek>(
        file: &mut Window<R>,
    ) -> io::Result<Result<Self, &'static str>> {
        let Some(trailer_start) = file.size().checked_sub(TRAILER_BYTES) else {
            return Ok(Err("is shorter than the trailer every such file ends with"));
        };
        let trailer = file.read_range(trailer_start, TRAILER_BYTES)?;
        let Some((contents, checksum)) = decode_trailer(&trailer) else {
            return Ok(Err("does not end with a whole trailer"));
        };
        if contents.start.checked_add(contents.len) != Some(trailer_start) {
            return Ok(Err("the trailer points outside the file"));
        }
        if contents.len > CONTENTS_LIMIT {
            return Ok(Err("the table of contents is impossibly long"));
        }
        let bytes = file.read_range(contents.start, contents.len)?;
        if xxh3_128(&bytes) != checksum {
            return Ok(Err("the checksum of the table of contents does not match"));
        }
        let sections = decode_contents(&bytes, contents.start);
        Ok(sections
            .map(|sections| Self { sections })
            .ok_or("the table of contents does not describe the file"))
    }

    pub(crate) fn section(&self, name: &str) -> Option<Section> {
        let named = |(found, _): &&(Vec<u8>, Section)| found == name.as_bytes();
        self.sections
            .iter()
            .find(named)
            .map(|(_, section)| *section)
    }
}

fn decode_trailer(bytes: &[u8]) -> Option<(Section, u128)> {
    let mut fields = Fields::new(bytes);
    let known = fields.take(4)? == b"SFA!" && fields.u8()? == 1 && fields.u8()? == 0;
    let checksum = fields.u128()?;
    let section = Section {
        start: fields.u64()?,
        len: fields.u64()?,
    };
    known.then_some((section, checksum))
}

/// The sections, if they fill the bytes from 0 to `end` one after another.
pub(crate) fn decode_contents(bytes: &[u8], end: u64) -> Option<Vec<(Vec<u8>, Section)>> {
    let mut fields = Fields::new(bytes);
    if fields.take(4)? != b"TOC!" {
        return None;
    }
    let mut sections = Vec::new();
    let mut expected_start = 0_u64;
    for _ in 0..fields.u32()? {
        let (start, len) = (fields.u64()?, fields.u64()?);
        let name_bytes = usize::from(fields.u16()?);
        let name = fields.take(name_bytes)?.to_vec();
        if start != expected_start {
            return None;
        }
        expected_start = start.checked_add(len)?;
        sections.push((name, Section { start, len }));
    }
    (fields.is_empty() && expected_start == end).then_some(sections)
}
