//! Passwords: which there may be, and their hashes by argon2id. A hash says what it cost, so that
//! the cost can be raised later.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};

use crate::model::AccountRefusal;

/// Bytes that a password has at least.
pub const SHORTEST_PASSWORD: usize = 8;
/// Bytes that a password has at most.
pub const LONGEST_PASSWORD: usize = 1024;

/// Of at least eight characters, the ones that everybody tries first.
const COMMON: [&str; 32] = [
    "00000000",
    "11111111",
    "12341234",
    "123123123",
    "12345678",
    "123456789",
    "1234567890",
    "1q2w3e4r",
    "87654321",
    "987654321",
    "aa123456",
    "abc12345",
    "abcd1234",
    "asdfasdf",
    "asdfghjkl",
    "baseball",
    "changeme",
    "computer",
    "football",
    "iloveyou",
    "letmein1",
    "passw0rd",
    "password",
    "password1",
    "password123",
    "princess",
    "qwer1234",
    "qwerty123",
    "qwertyuiop",
    "sunshine",
    "superman",
    "trustno1",
];

/// What a hash costs, and so what every guess costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// How often the memory is gone over.
    pub passes: u32,
    /// How many parts of it could be gone over at once.
    pub lanes: u32,
}

impl Default for PasswordCost {
    /// The least that OWASP recommends.
    fn default() -> Self {
        Self {
            memory_kib: 19_456,
            passes: 2,
            lanes: 1,
        }
    }
}

impl PasswordCost {
    /// The least that the algorithm knows; for tests.
    pub const LEAST: Self = Self {
        memory_kib: 8,
        passes: 1,
        lanes: 1,
    };
}

/// A cost that the algorithm does not know, or a hash that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadHash(String);

impl fmt::Display for BadHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the password cannot be hashed: {}", self.0)
    }
}

impl std::error::Error for BadHash {}

/// Whether anybody may have a password.
///
/// # Errors
/// Why not.
pub fn check_password(password: &str) -> Result<(), AccountRefusal> {
    match password.len() {
        ..SHORTEST_PASSWORD => return Err(AccountRefusal::PasswordTooShort),
        SHORTEST_PASSWORD..=LONGEST_PASSWORD => {}
        _ => return Err(AccountRefusal::PasswordTooLong),
    }
    let mut characters = password.chars();
    let first = characters.next();
    let is_one = characters.all(|character| Some(character) == first);
    match is_one || COMMON.contains(&password.to_lowercase().as_str()) {
        true => Err(AccountRefusal::PasswordTooCommon),
        false => Ok(()),
    }
}

/// The hash of a password, with a salt that is used once.
///
/// # Errors
/// When the algorithm does not know such a cost.
pub fn hash_password(
    password: &str,
    salt: &[u8; 16],
    cost: PasswordCost,
) -> Result<String, BadHash> {
    let bad = |what: &dyn fmt::Display| BadHash(what.to_string());
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, None);
    let params = params.map_err(|error| bad(&error))?;
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = hasher.hash_password_with_salt(password.as_bytes(), salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| bad(&error))
}

/// Whether a hash is of a password. Without a hash it takes as long, and is not.
#[must_use]
pub fn is_password(password: &str, hash: Option<&str>, cost: PasswordCost) -> bool {
    // Nothing longer was ever hashed, and hashing it would take long.
    let (password, is_possible) = match password.len() > LONGEST_PASSWORD {
        true => ("", false),
        false => (password, true),
    };
    let is_same = match hash {
        Some(hash) => Argon2::default()
            .verify_password(password.as_bytes(), hash)
            .is_ok(),
        None => {
            let _ = hash_password(password, &[0; 16], cost);
            false
        }
    };
    is_same && is_possible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_by_its_hash() {
        let hash = hash_password("correct horse", &[7; 16], PasswordCost::LEAST).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
        let is = |text: &str, hash: Option<&str>| is_password(text, hash, PasswordCost::LEAST);
        assert!(is("correct horse", Some(&hash)));
        assert!(!is("correct horsf", Some(&hash)));
        assert!(!is("correct horse", None));
        assert!(!is("correct horse", Some("nonsense")));
        assert!(!is(&"x".repeat(1_000_000), Some(&hash)));
        assert!(!is(&"x".repeat(1_000_000), None));
    }

    #[test]
    fn the_cost_in_production_is_known_to_the_algorithm() {
        let hash = hash_password("correct horse", &[7; 16], PasswordCost::default()).unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        let none = PasswordCost {
            memory_kib: 0,
            ..PasswordCost::LEAST
        };
        assert!(hash_password("correct horse", &[7; 16], none).is_err());
    }

    #[test]
    fn every_refused_password_says_why() {
        let code = |text: &str| check_password(text).map_or_else(AccountRefusal::code, |()| "fine");
        assert_eq!(code("1234567"), "password_too_short");
        assert_eq!(code(&"ab".repeat(513)), "password_too_long");
        assert_eq!(code(&"ab".repeat(512)), "fine");
        assert_eq!(code("PassWord123"), "password_too_common");
        assert_eq!(code("zzzzzzzzzzzz"), "password_too_common");
        assert_eq!(code("correct horse"), "fine");
    }
}
