//! Reads a message's body from front to back.
//!
//! ```text
//! byte, short, int, long   1, 2, 4, 8 bytes, big endian
//! string                   short n, n bytes of UTF-8        long string   int n, ...
//! short bytes              short n, n bytes                 bytes         int n, n bytes; n < 0: null
//! string list              short n, n strings               string map    short n, n pairs of strings
//! string multimap          short n, n (string, string list) bytes map     short n, n (string, bytes)
//! uuid                     16 bytes
//! ```
//!
//! Invariants:
//! 1. Nothing is allocated for a length or a count that the bytes left cannot hold.
//! 2. What is read is borrowed from the body.

use std::borrow::Cow;

use uuid::Uuid;

use crate::error::{DecodeError, DecodeErrorKind};

/// A list of names, each with what it names.
pub type Named<'a, T> = Vec<(Cow<'a, str>, T)>;

/// What is left of a body.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    left: &'a [u8],
    length: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of a body.
    #[must_use]
    pub fn new(body: &'a [u8]) -> Self {
        Self {
            left: body,
            length: body.len(),
        }
    }

    /// What has not been read.
    #[must_use]
    pub fn left(&self) -> &'a [u8] {
        self.left
    }

    /// An error about what comes next.
    #[must_use]
    pub fn error(&self, part: &'static str, kind: DecodeErrorKind) -> DecodeError {
        DecodeError {
            part,
            offset: self.length - self.left.len(),
            kind,
        }
    }

    /// So many bytes as they are.
    ///
    /// # Errors
    /// When fewer are left.
    pub fn raw(&mut self, part: &'static str, count: usize) -> Result<&'a [u8], DecodeError> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return Err(self.short(part, count));
        };
        self.left = left;
        Ok(taken)
    }

    fn short(&self, part: &'static str, needed: usize) -> DecodeError {
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        let left = self.left.len();
        self.error(part, DecodeErrorKind::Short { needed, left })
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], DecodeError> {
        let Some((taken, left)) = self.left.split_first_chunk::<N>() else {
            return Err(self.short(part, N));
        };
        self.left = left;
        Ok(*taken)
    }

    /// `[byte]`.
    ///
    /// # Errors
    /// When the body ends before it.
    pub fn byte(&mut self, part: &'static str) -> Result<u8, DecodeError> {
        self.array(part).map(u8::from_be_bytes)
    }

    /// `[short]`.
    ///
    /// # Errors
    /// When the body ends before it.
    pub fn short_int(&mut self, part: &'static str) -> Result<u16, DecodeError> {
        self.array(part).map(u16::from_be_bytes)
    }

    /// `[int]`.
    ///
    /// # Errors
    /// When the body ends before it.
    pub fn int(&mut self, part: &'static str) -> Result<i32, DecodeError> {
        self.array(part).map(i32::from_be_bytes)
    }

    /// `[long]`.
    ///
    /// # Errors
    /// When the body ends before it.
    pub fn long(&mut self, part: &'static str) -> Result<i64, DecodeError> {
        self.array(part).map(i64::from_be_bytes)
    }

    /// `[uuid]`.
    ///
    /// # Errors
    /// When the body ends before it.
    pub fn uuid(&mut self, part: &'static str) -> Result<Uuid, DecodeError> {
        self.array(part).map(Uuid::from_bytes)
    }

    /// A count as `[short]`, of things that take at least so many bytes each.
    ///
    /// # Errors
    /// When the bytes left cannot hold so many.
    pub fn count(&mut self, part: &'static str, each: usize) -> Result<usize, DecodeError> {
        let count = usize::from(self.short_int(part)?);
        self.check_room(part, count, each)?;
        Ok(count)
    }

    /// A count as `[int]`, of things that take at least so many bytes each.
    ///
    /// # Errors
    /// When it is negative, or the bytes left cannot hold so many.
    pub fn long_count(&mut self, part: &'static str, each: usize) -> Result<usize, DecodeError> {
        let count = self.length(part)?;
        self.check_room(part, count, each)?;
        Ok(count)
    }

    /// Whether the bytes left can hold so many things of at least so many bytes each.
    ///
    /// # Errors
    /// When they cannot.
    pub fn check_room(
        &self,
        part: &'static str,
        count: usize,
        each: usize,
    ) -> Result<(), DecodeError> {
        match count.checked_mul(each) {
            Some(needed) if needed <= self.left.len() => Ok(()),
            needed => Err(self.short(part, needed.unwrap_or(usize::MAX))),
        }
    }

    /// A length as `[int]`, which is not negative.
    ///
    /// # Errors
    /// When it is, or the body ends before it.
    pub fn length(&mut self, part: &'static str) -> Result<usize, DecodeError> {
        let before = self.clone();
        let length = self.int(part)?;
        let is_negative = |_| before.error(part, DecodeErrorKind::NegativeLength(length));
        usize::try_from(length).map_err(is_negative)
    }

    fn utf8(&mut self, part: &'static str, length: usize) -> Result<Cow<'a, str>, DecodeError> {
        let before = self.clone();
        let bytes = self.raw(part, length)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) => Err(before.error(part, DecodeErrorKind::NotUtf8)),
        }
    }

    /// `[string]`.
    ///
    /// # Errors
    /// When the body ends before it does, or it is not UTF-8.
    pub fn string(&mut self, part: &'static str) -> Result<Cow<'a, str>, DecodeError> {
        let length = usize::from(self.short_int(part)?);
        self.utf8(part, length)
    }

    /// `[long string]`.
    ///
    /// # Errors
    /// When the body ends before it does, or it is not UTF-8.
    pub fn long_string(&mut self, part: &'static str) -> Result<Cow<'a, str>, DecodeError> {
        let length = self.length(part)?;
        self.utf8(part, length)
    }

    /// `[short bytes]`.
    ///
    /// # Errors
    /// When the body ends before they do.
    pub fn short_bytes(&mut self, part: &'static str) -> Result<Cow<'a, [u8]>, DecodeError> {
        let length = usize::from(self.short_int(part)?);
        self.raw(part, length).map(Cow::Borrowed)
    }

    /// `[bytes]`; none if they are null.
    ///
    /// # Errors
    /// When the body ends before they do.
    pub fn bytes(&mut self, part: &'static str) -> Result<Option<Cow<'a, [u8]>>, DecodeError> {
        match usize::try_from(self.int(part)?) {
            Ok(length) => self
                .raw(part, length)
                .map(|bytes| Some(Cow::Borrowed(bytes))),
            Err(_) => Ok(None),
        }
    }

    /// `[string list]`.
    ///
    /// # Errors
    /// When the body ends before it does, or a string is not UTF-8.
    pub fn string_list(&mut self, part: &'static str) -> Result<Vec<Cow<'a, str>>, DecodeError> {
        let count = self.count(part, 2)?;
        self.many(count, |reader| reader.string(part))
    }

    /// `[string map]`, in its order.
    ///
    /// # Errors
    /// When the body ends before it does, or a string is not UTF-8.
    pub fn string_map(
        &mut self,
        part: &'static str,
    ) -> Result<Named<'a, Cow<'a, str>>, DecodeError> {
        let count = self.count(part, 4)?;
        self.many(count, |reader| {
            Ok((reader.string(part)?, reader.string(part)?))
        })
    }

    /// `[string multimap]`, in its order.
    ///
    /// # Errors
    /// When the body ends before it does, or a string is not UTF-8.
    pub fn string_multimap(
        &mut self,
        part: &'static str,
    ) -> Result<Named<'a, Vec<Cow<'a, str>>>, DecodeError> {
        let count = self.count(part, 4)?;
        self.many(count, |reader| {
            Ok((reader.string(part)?, reader.string_list(part)?))
        })
    }

    /// `[bytes map]`, in its order.
    ///
    /// # Errors
    /// When the body ends before it does, or a string is not UTF-8.
    pub fn bytes_map(
        &mut self,
        part: &'static str,
    ) -> Result<Named<'a, Option<Cow<'a, [u8]>>>, DecodeError> {
        let count = self.count(part, 6)?;
        self.many(count, |reader| {
            Ok((reader.string(part)?, reader.bytes(part)?))
        })
    }

    /// So many things, whose count was checked against the bytes left.
    pub(crate) fn many<T>(
        &mut self,
        count: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            all.push(one(self)?);
        }
        Ok(all)
    }
}
