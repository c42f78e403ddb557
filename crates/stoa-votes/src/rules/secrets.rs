//! Secrets and digests: what is given to a user once, and what is kept of it.
//!
//! A secret is 256 random bits; they are its own proof against guessing, so one plain SHA-256 of it
//! is what tables keep.

use std::fmt;

use sha2::{Digest, Sha256};
use stoa_types::time_uuid;
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
    id_of(purpose, request.0.as_bytes())
}

/// The identifier of whatever bytes name: the same bytes have the same, and others for other
/// purposes.
#[must_use]
pub fn id_of(purpose: &str, named: &[u8]) -> Uuid {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash(purpose, named)) {
        *to = from;
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// A time UUID of the same moment for something else that an act brings: the same act and the same
/// bytes have the same.
#[must_use]
pub fn sibling_id(act: Uuid, named: &[u8]) -> Uuid {
    let named = [act.as_bytes(), named].concat();
    let (_, random) = id_of("sibling", &named).as_u64_pair();
    let (high, _) = act.as_u64_pair();
    Uuid::from_u64_pair(high, time_uuid::clock_seq_and_node(random))
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
    fn siblings_of_an_act_are_of_its_moment_and_differ() {
        let act = time_uuid::from_unix_micros(1_000_000, 7);
        let (one, other) = (sibling_id(act, b"one"), sibling_id(act, b"other"));
        assert_eq!(one, sibling_id(act, b"one"));
        assert!(one != other && one != act);
        assert_eq!(time_uuid::unix_micros(&one), Some(1_000_000));
        let later = time_uuid::from_unix_micros(1_000_001, 7);
        assert_ne!(
            sibling_id(later, b"one").as_u64_pair().1,
            one.as_u64_pair().1
        );
    }

    #[test]
    fn a_request_gives_the_same_identifiers_for_each_purpose() {
        let request = RequestId(Uuid::from_u128(7));
        assert_eq!(derived_id("user", request), registered_user(request).0);
        assert_ne!(derived_id("user", request), derived_id("mail", request));
    }
}
