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
        let mut bytes = Vec::with_capacity(COMMIT_RECORD_BYTES);
        bytes.push(RECORD_VERSION);
        bytes.push(if self.earlier_synced {
            FLAG_EARLIER_SYNCED
        } else {
            0
        });
        bytes.extend(self.commit.to_le_bytes());
        bytes.extend(self.previous_seqno.to_le_bytes());
        bytes.extend(self.chain_hash.to_le_bytes());
        bytes.extend(self.other_items.to_le_bytes());
        let check = low_half(xxh3_64(&bytes));
        bytes.extend(check);
        let mut encoded = [0; COMMIT_RECORD_BYTES];
        encoded.copy_from_slice(&bytes);
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
pub struct ChainHasher(Gathered);

/// Bytes to hash: few are hashed in one go, which costs a fraction of a streaming hash.
#[derive(Clone)]
enum Gathered {
    Few(Vec<u8>),
    Many(Box<Xxh3>),
}

/// How many bytes are gathered before the hash becomes a streaming one.
const FEW_BYTES: usize = 16 << 10;

impl Gathered {
    fn add(&mut self, bytes: &[u8]) {
        match self {
            Self::Few(few) if few.len() + bytes.len() <= FEW_BYTES => few.extend_from_slice(bytes),
            Self::Few(few) => {
                let mut hasher = Box::new(Xxh3::new());
                hasher.update(few);
                hasher.update(bytes);
                *self = Self::Many(hasher);
            }
            Self::Many(hasher) => hasher.update(bytes),
        }
    }
}

impl ChainHasher {
    /// Starts from the hash of the previous commit, [`CHAIN_START`] for the first.
    #[must_use]
    pub fn after(previous: u64) -> Self {
        let mut few = Vec::with_capacity(512);
        few.extend_from_slice(&previous.to_le_bytes());
        Self(Gathered::Few(few))
    }

    /// Adds the next item, in the order of the batch.
    pub fn item(&mut self, keyspace_id: u64, kind: ItemKind, key: &[u8], value: &[u8]) {
        self.0.add(&keyspace_id.to_le_bytes());
        self.0.add(&[match kind {
            ItemKind::Put => 0,
            ItemKind::Remove => 1,
        }]);
        self.sized(key);
        self.sized(value);
    }

    /// The chain hash after this commit.
    #[must_use]
    pub fn finish(self) -> u64 {
        match self.0 {
            Gathered::Few(few) => xxh3_64(&few),
            Gathered::Many(hasher) => hasher.digest(),
        }
    }

    fn sized(&mut self, bytes: &[u8]) {
        // fjall refuses keys over 2^16 and values over 2^32 bytes, so nothing is cut off.
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.0.add(&len.to_le_bytes());
        self.0.add(bytes);
    }
}

impl std::fmt::Debug for ChainHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ChainHasher").finish_non_exhaustive()
    }
}
