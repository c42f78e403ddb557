//! The digests that `mask_hash` knows: MD5, SHA-1 and the SHA-2 family.
//!
//! All of them cut the message, with a one bit, zeros and its length after it, into blocks, and
//! mix each block into a state. They hide values from eyes here and protect nothing, so that plain
//! code is better than a dependency.
//!
//! SHA-3 and MD2, which Java also has, are not known here.

use std::sync::LazyLock;

use num_bigint::BigUint;

/// What makes a digest of a message.
pub(super) type Digest = fn(&[u8]) -> Vec<u8>;

/// The digest of this name, in any case, as Java names it.
pub(super) fn digest(algorithm: &str) -> Option<Digest> {
    Some(match algorithm.to_ascii_uppercase().as_str() {
        "MD5" => md5,
        "SHA" | "SHA1" | "SHA-1" => sha1,
        "SHA224" | "SHA-224" => sha224,
        "SHA256" | "SHA-256" => sha256,
        "SHA384" | "SHA-384" => sha384,
        "SHA512" | "SHA-512" => sha512,
        _ => return None,
    })
}

/// The message with its end, in blocks of `BLOCK` bytes, of which the last `LENGTH` hold the
/// number of bits.
fn padded<const BLOCK: usize, const LENGTH: usize>(
    message: &[u8],
    length_of: impl Fn(u64) -> [u8; LENGTH],
) -> Vec<[u8; BLOCK]> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    let used = (bytes.len() + LENGTH) % BLOCK;
    let zeros = if used == 0 { 0 } else { BLOCK - used };
    bytes.resize(bytes.len() + zeros, 0);
    bytes.extend(length_of(message.len() as u64 * 8));
    bytes.as_chunks::<BLOCK>().0.to_vec()
}

/// The constants of SHA-2: the first bits of the fractions of the cube roots of the first primes.
static CUBE_ROOTS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    primes()
        .take(80)
        .map(|prime| root_fraction(prime, 3))
        .collect()
});

/// What SHA-2 starts with: the same of the square roots.
static SQUARE_ROOTS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    primes()
        .take(16)
        .map(|prime| root_fraction(prime, 2))
        .collect()
});

fn primes() -> impl Iterator<Item = u64> {
    (2_u64..).filter(|number| (2..*number).all(|divisor| !number.is_multiple_of(divisor)))
}

/// The first 64 bits of the fraction of the root of this degree.
fn root_fraction(number: u64, degree: u32) -> u64 {
    let scaled = BigUint::from(number) << (64 * degree);
    let root = scaled.nth_root(degree);
    (root % (BigUint::from(1_u32) << 64_u32))
        .try_into()
        .unwrap_or(0)
}

fn sha256(message: &[u8]) -> Vec<u8> {
    let start: Vec<u32> = SQUARE_ROOTS.iter().map(|root| high(*root)).collect();
    words32(message, &start, 8)
}

fn sha224(message: &[u8]) -> Vec<u8> {
    // The second halves of the roots of the ninth to the sixteenth prime.
    let start: Vec<u32> = SQUARE_ROOTS
        .iter()
        .skip(8)
        .map(|root| *root as u32)
        .collect();
    words32(message, &start, 7)
}

fn sha512(message: &[u8]) -> Vec<u8> {
    words64(message, &SQUARE_ROOTS, 8)
}

fn sha384(message: &[u8]) -> Vec<u8> {
    let start: Vec<u64> = SQUARE_ROOTS.iter().skip(8).copied().collect();
    words64(message, &start, 6)
}

fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

/// SHA-2 of 32-bit words; the first `kept` words of the state are the answer.
fn words32(message: &[u8], start: &[u32], kept: usize) -> Vec<u8> {
    let mut state = state_of(start);
    for block in padded::<64, 8>(message, u64::to_be_bytes) {
        let mut words: Vec<u32> = block
            .as_chunks()
            .0
            .iter()
            .map(|word| u32::from_be_bytes(*word))
            .collect();
        for index in 16..64 {
            let word = |back: usize| words.get(index - back).copied().unwrap_or(0);
            let (early, late) = (word(15), word(2));
            let first = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
            let second = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
            let next = word(16)
                .wrapping_add(first)
                .wrapping_add(word(7))
                .wrapping_add(second);
            words.push(next);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in words.into_iter().zip(CUBE_ROOTS.iter()) {
            let mix = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let sum = h
                .wrapping_add(mix)
                .wrapping_add(choice)
                .wrapping_add(high(*constant))
                .wrapping_add(word);
            let mix = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(sum));
            (d, c, b, a) = (c, b, a, sum.wrapping_add(mix).wrapping_add(majority));
        }
        for (word, added) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(added);
        }
    }
    state
        .iter()
        .take(kept)
        .flat_map(|word| word.to_be_bytes())
        .collect()
}

/// SHA-2 of 64-bit words.
fn words64(message: &[u8], start: &[u64], kept: usize) -> Vec<u8> {
    let mut state = state_of(start);
    for block in padded::<128, 16>(message, |bits| u128::from(bits).to_be_bytes()) {
        let mut words: Vec<u64> = block
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_be_bytes(*word))
            .collect();
        for index in 16..80 {
            let word = |back: usize| words.get(index - back).copied().unwrap_or(0);
            let (early, late) = (word(15), word(2));
            let first = early.rotate_right(1) ^ early.rotate_right(8) ^ (early >> 7);
            let second = late.rotate_right(19) ^ late.rotate_right(61) ^ (late >> 6);
            let next = word(16)
                .wrapping_add(first)
                .wrapping_add(word(7))
                .wrapping_add(second);
            words.push(next);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in words.into_iter().zip(CUBE_ROOTS.iter()) {
            let mix = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let choice = (e & f) ^ (!e & g);
            let sum = h
                .wrapping_add(mix)
                .wrapping_add(choice)
                .wrapping_add(*constant)
                .wrapping_add(word);
            let mix = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(sum));
            (d, c, b, a) = (c, b, a, sum.wrapping_add(mix).wrapping_add(majority));
        }
        for (word, added) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(added);
        }
    }
    state
        .iter()
        .take(kept)
        .flat_map(|word| word.to_be_bytes())
        .collect()
}

fn state_of<T: Copy + Default>(start: &[T]) -> [T; 8] {
    let mut state = [T::default(); 8];
    for (word, given) in state.iter_mut().zip(start) {
        *word = *given;
    }
    state
}

fn sha1(message: &[u8]) -> Vec<u8> {
    let mut state = [
        0x6745_2301_u32,
        0xEFCD_AB89,
        0x98BA_DCFE,
        0x1032_5476,
        0xC3D2_E1F0,
    ];
    for block in padded::<64, 8>(message, u64::to_be_bytes) {
        let mut words: Vec<u32> = block
            .as_chunks()
            .0
            .iter()
            .map(|word| u32::from_be_bytes(*word))
            .collect();
        for index in 16..80 {
            let word = |back: usize| words.get(index - back).copied().unwrap_or(0);
            words.push((word(3) ^ word(8) ^ word(14) ^ word(16)).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (index, word) in words.into_iter().enumerate() {
            let (mix, constant) = match index / 20 {
                0 => ((b & c) | (!b & d), 0x5A82_7999),
                1 => (b ^ c ^ d, 0x6ED9_EBA1),
                2 => ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
            };
            let sum = a
                .rotate_left(5)
                .wrapping_add(mix)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (word, added) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(added);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn md5(message: &[u8]) -> Vec<u8> {
    const SHIFTS: [[u32; 4]; 4] = [
        [7, 12, 17, 22],
        [5, 9, 14, 20],
        [4, 11, 16, 23],
        [6, 10, 15, 21],
    ];
    let mut state = [0x6745_2301_u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    for block in padded::<64, 8>(message, u64::to_le_bytes) {
        let words: Vec<u32> = block
            .as_chunks()
            .0
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect();
        let [mut a, mut b, mut c, mut d] = state;
        for index in 0..64_usize {
            let (mix, place) = match index / 16 {
                0 => ((b & c) | (!b & d), index),
                1 => ((d & b) | (!d & c), 5 * index + 1),
                2 => (b ^ c ^ d, 3 * index + 5),
                _ => (c ^ (b | !d), 7 * index),
            };
            let constant = (((index + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let word = words.get(place % 16).copied().unwrap_or(0);
            let shift = SHIFTS
                .get(index / 16)
                .and_then(|round| round.get(index % 4));
            let sum = a
                .wrapping_add(mix)
                .wrapping_add(constant)
                .wrapping_add(word);
            let next = b.wrapping_add(sum.rotate_left(shift.copied().unwrap_or(0)));
            (a, d, c, b) = (d, c, b, next);
        }
        for (word, added) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(added);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of a message of two blocks, from an independent implementation.
    #[test]
    fn digests_of_two_blocks_are_known() {
        let message = "a".repeat(130);
        for (algorithm, expected) in [
            ("MD5", "e016e4ccc7fdaea56fc377600b58c4cb"),
            ("SHA-1", "e1cd437ec3e8a60db34e1d150a4fc73882d83b41"),
            (
                "SHA-224",
                "015242091efe54b62e77ede1ea519d927207ed0013666ad382a6f6ca",
            ),
            (
                "SHA-256",
                "1e3c4f4750c8c29bbfa9ced317788176b156d342e57f7777f62fd7221a44312f",
            ),
            (
                "SHA-384",
                "7056e36c0e04dd99f09bc1195561a8cac3ecf81c242058c62ccfdae252719eab\
                 138175a20044f4683a1d79a367b723b4",
            ),
            (
                "SHA-512",
                "b2fc6acdce83feb0b9439433915fe5dc1c73af6f17e962d7badd7ad5dd7c5032\
                 bc1744855d0ba09da5e4ab1bb1caca3aad8e4a947faa19c4769e128bacfe6b85",
            ),
        ] {
            let bytes = digest(algorithm).unwrap()(message.as_bytes());
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected, "{algorithm}");
        }
        assert!(digest("SHA3-256").is_none());
    }
}
