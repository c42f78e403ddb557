//! The partition token: where a partition lies on the ring.
//!
//! A token is the first half of MurmurHash3 x64 128 with seed 0 over the partition key's bytes,
//! with one deviation that Cassandra has kept since its first release: the bytes of the tail (the
//! last `length % 16`) are sign-extended before they are combined. Keys that are pure ASCII hash
//! as the standard function does; others do not.
//!
//! Invariants:
//! 1. The empty key has [`Token::MINIMUM`], and no other key has it: a hash of `i64::MIN` becomes
//!    `i64::MAX`.
//! 2. Tokens sort as signed numbers.

/// A position on the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub i64);

impl Token {
    /// The token before all others; only the empty key has it.
    pub const MINIMUM: Self = Self(i64::MIN);

    /// The token of a serialized partition key, as Cassandra's `Murmur3Partitioner` computes it.
    #[must_use]
    pub fn of_partition_key(key: &[u8]) -> Self {
        if key.is_empty() {
            return Self::MINIMUM;
        }
        match murmur3_first_half(key) {
            i64::MIN => Self(i64::MAX),
            hash => Self(hash),
        }
    }

    /// Eight bytes that sort as the tokens do: big endian with the sign bit flipped.
    #[must_use]
    pub fn to_ordered_bytes(self) -> [u8; 8] {
        (self.0.cast_unsigned() ^ (1 << 63)).to_be_bytes()
    }

    /// The inverse of [`Token::to_ordered_bytes`].
    #[must_use]
    pub fn from_ordered_bytes(bytes: [u8; 8]) -> Self {
        Self((u64::from_be_bytes(bytes) ^ (1 << 63)).cast_signed())
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

const C1: u64 = 0x87C3_7B91_1142_53D5;
const C2: u64 = 0x4CF5_AD43_2745_937F;

fn murmur3_first_half(key: &[u8]) -> i64 {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let (blocks, tail) = key.as_chunks::<8>();
    let (pairs, odd) = blocks.as_chunks::<2>();
    for &[first, second] in pairs {
        h1 ^= mix_first(u64::from_le_bytes(first));
        h1 = h1
            .rotate_left(27)
            .wrapping_add(h2)
            .wrapping_mul(5)
            .wrapping_add(0x52DC_E729);
        h2 ^= mix_second(u64::from_le_bytes(second));
        h2 = h2
            .rotate_left(31)
            .wrapping_add(h1)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5AB5);
    }
    // An absent tail word is zero, and mixing zero gives zero.
    match odd.first() {
        Some(full) => {
            h2 ^= mix_second(sign_extended_word(tail));
            h1 ^= mix_first(sign_extended_word(full));
        }
        None => h1 ^= mix_first(sign_extended_word(tail)),
    }
    let length = key.len() as u64;
    h1 ^= length;
    h2 ^= length;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    finish(h1).wrapping_add(finish(h2)).cast_signed()
}

/// The up to eight bytes of a tail word, little endian, each one sign-extended and then combined
/// by exclusive or: Cassandra's deviation from the standard.
fn sign_extended_word(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .zip((0..64).step_by(8))
        .fold(0, |word, (&byte, shift)| {
            word ^ (i64::from(byte.cast_signed()) << shift)
        })
        .cast_unsigned()
}

fn mix_first(word: u64) -> u64 {
    word.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_second(word: u64) -> u64 {
    word.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens seen on running clusters; the last key shows the sign extension.
    #[test]
    fn keys_have_cassandra_tokens() {
        for (key, token) in [
            ("test", -6_017_608_668_500_074_083),
            ("xd", 4_507_812_186_440_344_727),
            ("primary_key", -1_632_642_444_691_073_360),
            ("kremówki", 4_354_931_215_268_080_151),
        ] {
            assert_eq!(
                Token::of_partition_key(key.as_bytes()),
                Token(token),
                "{key}"
            );
        }
    }

    /// The int keys 1, 2 and 3, known from many published `SELECT token(k)` results.
    #[test]
    fn int_keys_have_cassandra_tokens() {
        let token = |key: i32| Token::of_partition_key(&key.to_be_bytes()).0;
        assert_eq!(token(1), -4_069_959_284_402_364_209);
        assert_eq!(token(2), -3_248_873_570_005_575_792);
        assert_eq!(token(3), 9_010_454_139_840_013_625);
    }

    #[test]
    fn empty_key_has_the_minimum_token() {
        assert_eq!(Token::of_partition_key(b""), Token::MINIMUM);
    }

    #[test]
    fn ordered_bytes_sort_as_tokens() {
        let tokens = [i64::MIN, -5, -1, 0, 1, 5, i64::MAX].map(Token);
        for pair in tokens.windows(2) {
            assert!(pair[0].to_ordered_bytes() < pair[1].to_ordered_bytes());
        }
        for token in tokens {
            assert_eq!(Token::from_ordered_bytes(token.to_ordered_bytes()), token);
        }
    }
}
