//! Hashes of the ledger: of its head, and of each day after it.
//!
//! ```text
//! hash of the head = SHA-256(head line, line feed)
//! hash of a day    = SHA-256(hash before it in hex, line feed, each line with a line feed)
//! ```

use std::fmt;

use sha2::{Digest, Sha256};

/// A hash; written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LedgerHash(pub [u8; 32]);

impl LedgerHash {
    /// The hash of one line with its line feed: of the head, and of a line in a receipt.
    #[must_use]
    pub fn of_line(line: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
        Self(hasher.finalize().into())
    }

    /// The hash of bytes that a table holds.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The hash that a text shows.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == 64 && text.bytes().all(|it| b"0123456789abcdef".contains(&it));
        if !is_hash {
            return None;
        }
        let mut bytes = [0; 32];
        for (to, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *to = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for LedgerHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for LedgerHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Makes the hash of a day, line by line.
#[derive(Debug, Clone)]
pub struct DayHasher(Sha256);

impl DayHasher {
    /// For the day after the one of a hash.
    #[must_use]
    pub fn after(previous: LedgerHash) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(previous.to_string().as_bytes());
        hasher.update(b"\n");
        Self(hasher)
    }

    /// Adds a line, without its line feed.
    pub fn add(&mut self, line: &[u8]) {
        self.0.update(line);
        self.0.update(b"\n");
    }

    /// The hash of all that was added.
    #[must_use]
    pub fn hash(self) -> LedgerHash {
        LedgerHash(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_what_it_writes_and_nothing_else() {
        let hash = LedgerHash::of_line("{}");
        assert_eq!(LedgerHash::parse(&hash.to_string()), Some(hash));
        assert_eq!(LedgerHash::of_bytes(&hash.0), Some(hash));
        let text = hash.to_string();
        assert_eq!(LedgerHash::parse(&text.to_uppercase()), None);
        assert_eq!(LedgerHash::parse(&format!("{text}0")), None);
        assert_eq!(LedgerHash::of_bytes(&[1]), None);
    }

    #[test]
    fn the_hash_of_a_day_is_that_of_a_file() {
        // printf '%064d\na\nb\n' 0 | sha256sum
        let mut day = DayHasher::after(LedgerHash([0; 32]));
        day.add(b"a");
        day.add(b"b");
        let mut plain = Sha256::new();
        plain.update(format!("{}\na\nb\n", "0".repeat(64)).as_bytes());
        assert_eq!(day.hash().0, <[u8; 32]>::from(plain.finalize()));
    }
}
