//! Secrets and digests: what is given to a user once, and what is kept of it.
//!
//! A secret is 256 random bits; they are its own proof against guessing, so one plain SHA-256 of it
//! is what tables keep.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::model::{RequestId, UserId};

/// Something that only its owner knows: the value of a cookie, the end of a link in a mail.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret of random numbers.
    #[must_use]
    pub fn of_random(numbers: [u64; 4]) -> Self {
        Self(hex(&numbers.map(u64::to_be_bytes).concat()))
    }

    /// A secret that somebody showed.
    #[must_use]
    pub fn shown(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself, to be given away once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn digest(&self) -> String {
        digest("secret", self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    /// Never the secret: this ends in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A digest as text; the same bytes have others for other purposes.
#[must_use]
pub fn digest(purpose: &str, bytes: &[u8]) -> String {
    hex(&hash(purpose, bytes))
}

/// The identifier that a request gives to what it makes: asking again makes the same.
#[must_use]
pub fn derived_id(purpose: &str, request: RequestId) -> Uuid {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash(purpose, request.0.as_bytes())) {
        *to = from;
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// The user that a registration makes.
#[must_use]
pub fn registered_user(request: RequestId) -> UserId {
    UserId(derived_id("user", request))
}

fn hash(purpose: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(purpose.as_bytes());
    hasher.update([0]);
    hasher.update(bytes);
    hasher.finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown_and_not_kept() {
        let secret = Secret::of_random([1, 2, 3, u64::MAX]);
        assert_eq!(secret.reveal().len(), 64);
        assert!(secret.reveal().ends_with("0003ffffffffffffffff"));
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_ne!(secret.digest(), secret.reveal());
        assert_eq!(secret.digest(), Secret::shown(secret.reveal()).digest());
    }

    #[test]
    fn a_request_gives_the_same_identifiers_for_each_purpose() {
        let request = RequestId(Uuid::from_u128(7));
        assert_eq!(derived_id("user", request), registered_user(request).0);
        assert_ne!(derived_id("user", request), derived_id("mail", request));
    }
}
