//! The checksum on every stored value, bound to the key and the space it belongs to.
//!
//! A stored value is the bytes followed by four bytes of check: the low half of
//! `XXH3-64(value, seed = XXH3-64(key, seed = space))`. A value under another key or in another
//! space therefore does not check out, nor does one with a flipped bit.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::StoreError;
use crate::kv::{Bytes, SpaceId};

/// Length of the check at the end of every stored value.
pub const CHECK_BYTES: usize = 4;

/// Appends the check to `value`.
#[inline]
pub fn seal(space: SpaceId, key: &[u8], value: &mut Vec<u8>) {
    Seal::of(space, key).put(value);
}

/// What the checks of all values under one key begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seal {
    seed: u64,
}

impl Seal {
    /// The seal of a key.
    #[inline]
    pub(crate) fn of(space: SpaceId, key: &[u8]) -> Self {
        Self {
            seed: xxh3_64_with_seed(key, space.0),
        }
    }

    /// Appends the check to `value`.
    #[inline]
    pub(crate) fn put(self, value: &mut Vec<u8>) {
        let check = self.check(value);
        value.extend_from_slice(&check.to_le_bytes());
    }

    /// Whether a stored value has its check.
    #[inline]
    fn fits(self, sealed: &[u8]) -> Result<&[u8], &'static str> {
        let (value, stored) = sealed
            .split_last_chunk::<CHECK_BYTES>()
            .ok_or("value is too short")?;
        match self.check(value) == u32::from_le_bytes(*stored) {
            true => Ok(value),
            false => Err("checksum does not match"),
        }
    }

    #[inline]
    fn check(self, value: &[u8]) -> u32 {
        xxh3_64_with_seed(value, self.seed) as u32
    }
}

/// The value without its check, or an error that names the damage.
#[inline]
pub fn unseal<'a>(space: SpaceId, key: &[u8], sealed: &'a [u8]) -> Result<&'a [u8], StoreError> {
    let fits = Seal::of(space, key).fits(sealed);
    fits.map_err(|what| StoreError::damaged_key(space, key, what))
}

/// A stored value whose check has been verified.
#[derive(Debug, Clone)]
pub struct Verified(Bytes);

impl Verified {
    /// Verifies the check of a stored value.
    pub fn new(space: SpaceId, key: &[u8], sealed: Bytes) -> Result<Self, StoreError> {
        Self::with(Seal::of(space, key), space, key, sealed)
    }

    /// The same, with the seal of the key.
    #[inline]
    pub(crate) fn with(
        seal: Seal,
        space: SpaceId,
        key: &[u8],
        sealed: Bytes,
    ) -> Result<Self, StoreError> {
        match seal.fits(&sealed) {
            Ok(_) => Ok(Self(sealed)),
            Err(what) => Err(StoreError::damaged_key(space, key, what)),
        }
    }
}

impl std::ops::Deref for Verified {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let length = self.0.len().saturating_sub(CHECK_BYTES);
        self.0.get(..length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flip_and_every_move_is_seen() {
        let mut sealed = b"some value".to_vec();
        seal(SpaceId(7), b"key", &mut sealed);
        assert_eq!(unseal(SpaceId(7), b"key", &sealed).unwrap(), b"some value");
        assert!(unseal(SpaceId(8), b"key", &sealed).is_err());
        assert!(unseal(SpaceId(7), b"kez", &sealed).is_err());
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal(SpaceId(7), b"key", &damaged).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(unseal(SpaceId(7), b"key", &sealed[..length]).is_err());
        }
    }
}
