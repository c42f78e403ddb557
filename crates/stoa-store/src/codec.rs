//! Numbers and byte strings as the store writes them: little parts of every stored value.
//!
//! - unsigned numbers: LEB128, 7 bits a byte, low bits first, at most 10 bytes;
//! - signed numbers: zig-zag, then as unsigned;
//! - timestamps: eight bytes, little endian;
//! - byte strings: their length as an unsigned number, then the bytes.
//!
//! Invariants:
//! 1. A reader never looks past its input and never allocates from a length it read.
//! 2. Every number has one accepted spelling: a needless last byte of zero is refused.

/// Why stored bytes could not be read. The text names what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The input ended inside the named part.
    #[error("input ends inside {0}")]
    Truncated(&'static str),
    /// The named part holds a value that no writer produces.
    #[error("invalid {0}")]
    Invalid(&'static str),
    /// A part written by a newer program.
    #[error("unknown format version {0}")]
    UnknownVersion(u8),
}

/// Appends an unsigned number.
#[inline]
pub fn put_unsigned(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number.
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_unsigned(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// Appends a timestamp: eight bytes, which microseconds of our time would take in any form.
#[inline]
pub fn put_timestamp(out: &mut Vec<u8>, timestamp: i64) {
    out.extend_from_slice(&timestamp.to_le_bytes());
}

/// Appends a byte string with its length.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_unsigned(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads the parts of a stored value from front to back.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// True when everything has been read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes that are left.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self, part: &'static str) -> Result<u8, DecodeError> {
        let (first, rest) = self
            .rest
            .split_first()
            .ok_or(DecodeError::Truncated(part))?;
        self.rest = rest;
        Ok(*first)
    }

    /// The next unsigned number.
    #[inline]
    pub fn unsigned(&mut self, part: &'static str) -> Result<u64, DecodeError> {
        let first = self.byte(part)?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        for shift in (7..70).step_by(7) {
            let byte = self.byte(part)?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(DecodeError::Invalid(part));
            }
            number |= bits << shift;
            if byte < 0x80 {
                return if byte == 0 {
                    Err(DecodeError::Invalid(part))
                } else {
                    Ok(number)
                };
            }
        }
        Err(DecodeError::Invalid(part))
    }

    /// The next unsigned number, which must fit 32 bits.
    #[inline]
    pub fn unsigned_32(&mut self, part: &'static str) -> Result<u32, DecodeError> {
        u32::try_from(self.unsigned(part)?).map_err(|_| DecodeError::Invalid(part))
    }

    /// The next signed number.
    #[inline]
    pub fn signed(&mut self, part: &'static str) -> Result<i64, DecodeError> {
        let folded = self.unsigned(part)?;
        Ok((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()))
    }

    /// The next `length` bytes.
    #[inline]
    pub fn take(&mut self, length: usize, part: &'static str) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(DecodeError::Truncated(part))?;
        self.rest = rest;
        Ok(head)
    }

    /// The next byte string with its length before it.
    #[inline]
    pub fn bytes(&mut self, part: &'static str) -> Result<&'a [u8], DecodeError> {
        let length =
            usize::try_from(self.unsigned(part)?).map_err(|_| DecodeError::Invalid(part))?;
        self.take(length, part)
    }

    /// A number, `mark` and a byte string, if that is what comes next and each of the two numbers
    /// has one byte; otherwise nothing is read.
    #[inline]
    pub fn short_cell(&mut self, mark: u8) -> Option<(u32, &'a [u8])> {
        let [number, found, length, rest @ ..] = self.rest else {
            return None;
        };
        if *found != mark || *number >= 0x80 || *length >= 0x80 {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(usize::from(*length))?;
        self.rest = rest;
        Some((u32::from(*number), bytes))
    }

    /// The next 8 bytes as a little-endian number.
    #[inline]
    pub fn fixed_64(&mut self, part: &'static str) -> Result<u64, DecodeError> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<8>()
            .ok_or(DecodeError::Truncated(part))?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*head))
    }

    /// The next timestamp.
    #[inline]
    pub fn timestamp(&mut self, part: &'static str) -> Result<i64, DecodeError> {
        self.fixed_64(part).map(u64::cast_signed)
    }

    /// Refuses input that goes on after the last part.
    pub fn finish(&self, part: &'static str) -> Result<(), DecodeError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Invalid(part))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_at_the_edges_come_back() {
        for number in [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN, i64::MIN + 1] {
            let mut out = Vec::new();
            put_signed(&mut out, number);
            put_unsigned(&mut out, number.cast_unsigned());
            let mut reader = Reader::new(&out);
            assert_eq!(reader.signed("number"), Ok(number));
            assert_eq!(reader.unsigned("number"), Ok(number.cast_unsigned()));
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn needless_zero_bytes_and_overflow_are_refused() {
        for bad in [&[0x80, 0x00][..], &[0xff; 10], &[0x80, 0x80, 0x00]] {
            assert_eq!(
                Reader::new(bad).unsigned("n"),
                Err(DecodeError::Invalid("n"))
            );
        }
        assert_eq!(
            Reader::new(&[0x80]).unsigned("n"),
            Err(DecodeError::Truncated("n"))
        );
        assert_eq!(
            Reader::new(&[5, 1]).bytes("b"),
            Err(DecodeError::Truncated("b"))
        );
    }

    proptest! {
        #[test]
        fn what_is_put_is_read(number: u64, signed: i64, bytes: Vec<u8>) {
            let mut out = Vec::new();
            put_unsigned(&mut out, number);
            put_bytes(&mut out, &bytes);
            put_signed(&mut out, signed);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.unsigned("n"), Ok(number));
            prop_assert_eq!(reader.bytes("b"), Ok(bytes.as_slice()));
            prop_assert_eq!(reader.signed("s"), Ok(signed));
            prop_assert!(reader.finish("end").is_ok());
        }

        #[test]
        fn any_accepted_spelling_is_the_only_one(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            let mut reader = Reader::new(&bytes);
            if let Ok(number) = reader.unsigned("n") {
                let mut out = Vec::new();
                put_unsigned(&mut out, number);
                prop_assert_eq!(&out[..], &bytes[..bytes.len() - reader.remaining()]);
            }
        }
    }
}
