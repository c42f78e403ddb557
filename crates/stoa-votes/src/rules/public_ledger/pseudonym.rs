//! Names under which people stand in the ledger.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::model::{Day, PrivacyMode, UserId};

/// Under which name a user stands in the ledger on a day: the user's own identifier where that is
/// public, or one that nobody can compute without the secret, another one each year.
#[must_use]
pub fn name_on(mode: PrivacyMode, secret: &str, user: UserId, day: Day) -> Uuid {
    if mode == PrivacyMode::Public {
        return user.0;
    }
    let mut hasher = Sha256::new();
    // Every part has a length of its own, so no two of them can be mistaken for each other.
    hasher.update(b"pseudonym\0");
    hasher.update(Sha256::digest(secret.as_bytes()));
    hasher.update(day.civil().year.to_be_bytes());
    hasher.update(user.0.as_bytes());
    let digest: [u8; 32] = Sha256::digest(hasher.finalize()).into();
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(digest) {
        *to = from;
    }
    Uuid::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_holds_for_one_user_one_year_and_one_secret() {
        let (ada, ben) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
        // 2026-12-31 and the day after.
        let (last, next) = (Day(20_818), Day(20_819));
        let of = |secret, user, day| name_on(PrivacyMode::Pseudonymous, secret, user, day);
        assert_eq!(of("s", ada, last), of("s", ada, last.plus(-300)));
        assert_ne!(of("s", ada, last), of("s", ada, next));
        assert_ne!(of("s", ada, last), of("s", ben, last));
        assert_ne!(of("s", ada, last), of("t", ada, last));
        assert_eq!(name_on(PrivacyMode::Public, "s", ada, last), ada.0);
    }
}
