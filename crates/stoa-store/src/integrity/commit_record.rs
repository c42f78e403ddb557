//! The commit record: the first item of every batch, which chains the batches.
//!
//! Bytes of the value stored under [`CHAIN_KEY`] (all little-endian):
//!
//! ```text
//!  0  version            u8   = 1
//!  1  flags              u8   bit 0: every earlier commit was synced before this was written
//!  2  commit number      u64  1, 2, 3 ...
//! 10  previous seqno     u64  fjall's number of the previous commit, 0 = unknown or first
//! 18  chain hash         u64  H_n, see ChainHasher
//! 26  other items        u32  items of the batch besides this one
//! 30  check              u32  low half of xxh3-64 over bytes 0..30
//! ```
//!
//! Invariants: (1) a record decodes only if its version, flags and check are
//! right; (2) the same commits give the same hashes on every machine; (3) two
//! items never hash like one, since every length is hashed before its bytes.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::fields::{Fields, split_tail};

/// Name of the fjall keyspace that holds the commit record.
pub const CHAIN_KEYSPACE: &str = "system";

/// Key of the commit record in that keyspace.
pub const CHAIN_KEY: &[u8] = b"\0chain";

/// Length of an encoded commit record.
pub const COMMIT_RECORD_BYTES: usize = 34;

/// The chain hash before the first commit: the letters "StoaH(0)".
pub const CHAIN_START: u64 = u64::from_le_bytes(*b"StoaH(0)");

const RECORD_VERSION: u8 = 1;
const FLAG_EARLIER_SYNCED: u8 = 1;

/// What a batch says of itself and of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    /// Every earlier commit was synced to disk before this one was written.
    pub earlier_synced: bool,
    /// 1 for the first commit of a store, then without gaps.
    pub commit: u64,
    /// fjall's sequence number of the previous commit; 0 if unknown or none.
    pub previous_seqno: u64,
    /// The chain hash after this commit.
    pub chain_hash: u64,
    /// Items of the batch besides the record itself.
    pub other_items: u32,
}

impl CommitRecord {
    /// The bytes to store under [`CHAIN_KEY`].
    #[must_use]
    pub fn encode(&self) -> [u8; COMMIT_RECORD_BYTES] {
        let flags = match self.earlier_synced {
            true => FLAG_EARLIER_SYNCED,
            false => 0,
        };
        let mut encoded = [0; COMMIT_RECORD_BYTES];
        let (body, check) = encoded.split_at_mut(COMMIT_RECORD_BYTES - 4);
        let rest = &mut &mut *body;
        put(rest, &[RECORD_VERSION, flags]);
        put(rest, &self.commit.to_le_bytes());
        put(rest, &self.previous_seqno.to_le_bytes());
        put(rest, &self.chain_hash.to_le_bytes());
        put(rest, &self.other_items.to_le_bytes());
        check.copy_from_slice(&low_half(xxh3_64(body)));
        encoded
    }

    /// Reads a record; `None` if one byte of it is not as [`Self::encode`] wrote it.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, check) = split_tail::<4>(bytes)?;
        if low_half(xxh3_64(body)) != check {
            return None;
        }
        let mut fields = Fields::new(body);
        if fields.u8()? != RECORD_VERSION {
            return None;
        }
        let flags = fields.u8()?;
        let record = Self {
            earlier_synced: flags == FLAG_EARLIER_SYNCED,
            commit: fields.u64()?,
            previous_seqno: fields.u64()?,
            chain_hash: fields.u64()?,
            other_items: fields.u32()?,
        };
        let known = flags & !FLAG_EARLIER_SYNCED == 0;
        (known && fields.is_empty() && record.commit > 0).then_some(record)
    }
}

/// Puts the next field into what is left of a record; all of them fill it exactly.
fn put<const N: usize>(rest: &mut &mut [u8], field: &[u8; N]) {
    if let Some((place, after)) = std::mem::take(rest).split_first_chunk_mut::<N>() {
        *place = *field;
        *rest = after;
    }
}

fn low_half(hash: u64) -> [u8; 4] {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    [a, b, c, d]
}

/// What an item of a batch does to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Writes a value.
    Put,
    /// Removes the key.
    Remove,
}

/// Computes the chain hash of one commit.
///
/// `H_n` is xxh3-64 over `H_(n-1)` and then, for each item but the record:
/// keyspace id u64, kind u8 (0 put, 1 remove), key length u32, key, value
/// length u32, value.
///
/// ```
/// use stoa_store::integrity::{CHAIN_START, ChainHasher, ItemKind};
/// let mut hasher = ChainHasher::after(CHAIN_START);
/// hasher.item(3, ItemKind::Put, b"key", b"value");
/// hasher.item(3, ItemKind::Remove, b"old", b"");
/// assert_ne!(hasher.finish(), CHAIN_START);
/// ```
#[derive(Clone)]
pub struct ChainHasher {
    /// Bytes to hash in one go, which costs a fraction of a streaming hash.
    few: Vec<u8>,
    /// The streaming hash, once there are too many bytes to gather; it begins with `few`.
    many: Option<Box<Xxh3>>,
}

/// How many bytes are gathered before the hash becomes a streaming one.
const FEW_BYTES: usize = 16 << 10;
/// Bytes hashed of an item before its key, and between key and value.
const ITEM_HEAD_BYTES: usize = 13;
const LENGTH_BYTES: usize = 4;

impl ChainHasher {
    /// Starts from the hash of the previous commit, [`CHAIN_START`] for the first.
    #[must_use]
    pub fn after(previous: u64) -> Self {
        Self::after_in(previous, Vec::with_capacity(512))
    }

    /// The same in the memory of an earlier one, see [`ChainHasher::finish_and_reuse`].
    #[must_use]
    #[inline]
    pub fn after_in(previous: u64, mut memory: Vec<u8>) -> Self {
        memory.clear();
        memory.extend_from_slice(&previous.to_le_bytes());
        Self {
            few: memory,
            many: None,
        }
    }

    /// Adds the next item, in the order of the batch.
    #[inline]
    pub fn item(&mut self, keyspace_id: u64, kind: ItemKind, key: &[u8], value: &[u8]) {
        let kind = match kind {
            ItemKind::Put => 0,
            ItemKind::Remove => 1,
        };
        let mut head = [0; ITEM_HEAD_BYTES];
        let rest = &mut head.as_mut_slice();
        put(rest, &keyspace_id.to_le_bytes());
        put(rest, &[kind]);
        put(rest, &length(key));
        let parts = [head.as_slice(), key, &length(value), value];
        let bytes = ITEM_HEAD_BYTES + key.len() + LENGTH_BYTES + value.len();
        if self.many.is_none() && self.few.len() + bytes <= FEW_BYTES {
            self.few.reserve(bytes);
            for part in parts {
                self.few.extend_from_slice(part);
            }
        } else {
            let many = self.many.get_or_insert_with(|| {
                let mut hasher = Box::new(Xxh3::new());
                hasher.update(&self.few);
                hasher
            });
            for part in parts {
                many.update(part);
            }
        }
    }

    /// The chain hash after this commit.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.finish_and_reuse().0
    }

    /// The chain hash after this commit, and memory for [`ChainHasher::after_in`].
    #[must_use]
    #[inline]
    pub fn finish_and_reuse(self) -> (u64, Vec<u8>) {
        let hash = match self.many {
            None => xxh3_64(&self.few),
            Some(hasher) => hasher.digest(),
        };
        (hash, self.few)
    }
}

fn length(bytes: &[u8]) -> [u8; LENGTH_BYTES] {
    // fjall refuses keys over 2^16 and values over 2^32 bytes, so nothing is cut off.
    u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes()
}

impl std::fmt::Debug for ChainHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ChainHasher").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bytes of the definition, in one piece.
    fn defined(previous: u64, items: &[(u64, bool, Vec<u8>, Vec<u8>)]) -> u64 {
        let mut bytes = previous.to_le_bytes().to_vec();
        for (keyspace, is_put, key, value) in items {
            bytes.extend(keyspace.to_le_bytes());
            bytes.push(u8::from(!is_put));
            bytes.extend((key.len() as u32).to_le_bytes());
            bytes.extend(key);
            bytes.extend((value.len() as u32).to_le_bytes());
            bytes.extend(value);
        }
        xxh3_64(&bytes)
    }

    proptest! {
        #[test]
        fn hashes_are_as_defined_whatever_the_size(
            previous: u64,
            small in prop::collection::vec(
                (any::<u64>(), any::<bool>(), any::<Vec<u8>>(), any::<Vec<u8>>()),
                0..12,
            ),
            large in prop::collection::vec(0_usize..40_000, 0..3),
        ) {
            let mut items = small.clone();
            items.extend(large.iter().map(|size| (7, true, vec![1], vec![2; *size])));
            items.extend(small);
            let mut hasher = ChainHasher::after_in(previous, vec![9; 30]);
            for (keyspace, is_put, key, value) in &items {
                let kind = if *is_put { ItemKind::Put } else { ItemKind::Remove };
                hasher.item(*keyspace, kind, key, value);
            }
            let (hash, memory) = hasher.finish_and_reuse();
            prop_assert_eq!(hash, defined(previous, &items));
            prop_assert!(memory.len() <= FEW_BYTES);
        }

        #[test]
        fn a_record_is_read_as_it_was_written(
            earlier_synced: bool,
            commit in 1_u64..,
            previous_seqno: u64,
            chain_hash: u64,
            other_items: u32,
        ) {
            let record = CommitRecord {
                earlier_synced,
                commit,
                previous_seqno,
                chain_hash,
                other_items,
            };
            let bytes = record.encode();
            prop_assert_eq!(&bytes[2..10], &commit.to_le_bytes());
            prop_assert_eq!(&bytes[26..30], &other_items.to_le_bytes());
            prop_assert_eq!(CommitRecord::decode(&bytes), Some(record));
        }
    }
}
