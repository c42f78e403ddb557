//! A cursor over ordered bytes that can look at them inverted.

use super::OrderedError;

/// Reads ordered bytes from front to back.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    all: &'a [u8],
    offset: usize,
    mask: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(all: &'a [u8]) -> Self {
        Self {
            all,
            offset: 0,
            mask: 0,
        }
    }

    /// From now on sees every byte inverted, or as it is again.
    pub(super) fn invert(&mut self) {
        self.mask = !self.mask;
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.all.get(self.offset).map(|byte| byte ^ self.mask)
    }

    pub(super) fn next(&mut self) -> Result<u8, OrderedError> {
        let byte = self.peek().ok_or(OrderedError::CutShort)?;
        self.offset += 1;
        Ok(byte)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<Vec<u8>, OrderedError> {
        let end = self
            .offset
            .checked_add(length)
            .ok_or(OrderedError::CutShort)?;
        let taken = self
            .all
            .get(self.offset..end)
            .ok_or(OrderedError::CutShort)?;
        self.offset = end;
        Ok(taken.iter().map(|byte| byte ^ self.mask).collect())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], OrderedError> {
        self.take(N)?.try_into().map_err(|_| OrderedError::CutShort)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.all.get(self.offset..).unwrap_or_default()
    }

    /// The error that the byte read last should not be there.
    pub(super) fn unexpected(&self) -> OrderedError {
        let offset = self.offset.saturating_sub(1);
        let byte = self.all.get(offset).copied().unwrap_or_default();
        OrderedError::Unexpected { byte, offset }
    }
}
