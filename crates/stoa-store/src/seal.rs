//! The checksum on every stored value, bound to the key and the table it belongs to.
//!
//! A stored value is the bytes followed by four bytes of check: the low half of
//! `XXH3-64(value, seed = XXH3-64(key, seed = table id))`. A value under another key or in another
//! table therefore does not check out, nor does one with a flipped bit.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::StoreError;
use crate::kv::SpaceId;

/// Length of the check at the end of every stored value.
pub const CHECK_BYTES: usize = 4;

/// Appends the check to `value`.
#[inline]
pub fn seal(identity: u64, key: &[u8], value: &mut Vec<u8>) {
    let check = check(identity, key, value);
    value.extend_from_slice(&check.to_le_bytes());
}

/// The value without its check, or an error that names the damage.
#[inline]
pub fn unseal<'a>(
    space: SpaceId,
    identity: u64,
    key: &[u8],
    sealed: &'a [u8],
) -> Result<&'a [u8], StoreError> {
    let (value, stored) = sealed
        .split_last_chunk::<CHECK_BYTES>()
        .ok_or_else(|| StoreError::damaged_key(space, key, "value is too short"))?;
    if check(identity, key, value) != u32::from_le_bytes(*stored) {
        return Err(StoreError::damaged_key(space, key, "checksum does not match"));
    }
    Ok(value)
}

#[inline]
fn check(identity: u64, key: &[u8], value: &[u8]) -> u32 {
    xxh3_64_with_seed(value, xxh3_64_with_seed(key, identity)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flip_and_every_move_is_seen() {
        let mut sealed = b"some value".to_vec();
        seal(7, b"key", &mut sealed);
        assert_eq!(unseal(SpaceId(1), 7, b"key", &sealed).unwrap(), b"some value");
        assert!(unseal(SpaceId(1), 8, b"key", &sealed).is_err());
        assert!(unseal(SpaceId(1), 7, b"kez", &sealed).is_err());
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal(SpaceId(1), 7, b"key", &damaged).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(unseal(SpaceId(1), 7, b"key", &sealed[..length]).is_err());
        }
    }
}
