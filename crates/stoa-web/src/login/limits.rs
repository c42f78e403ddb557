//! How often somebody may try something: buckets of tries that fill up again, by address and by
//! account. They are of one instance and of memory alone.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::Failure;

/// Keys that are remembered at most; beyond, those that are full again are forgotten, then all.
const MOST_KEYS: usize = 50_000;

/// How many tries there are, and how soon there is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Tries at once.
    pub burst: u32,
    /// After how long there is one more.
    pub every: Duration,
}

/// Signing in from one address: people behind one router, not a list of passwords.
pub const SIGN_IN_ADDRESS: Rate = Rate {
    burst: 30,
    every: Duration::from_secs(2),
};
/// Signing in to one account from one address.
pub const SIGN_IN_ACCOUNT: Rate = Rate {
    burst: 10,
    every: Duration::from_secs(60),
};
/// Signing in to one account from anywhere: more than one address has, so that nobody alone keeps
/// somebody out.
pub const SIGN_IN_ANYWHERE: Rate = Rate {
    burst: 50,
    every: Duration::from_secs(36),
};
/// Registering, and asking for links, from one address.
pub const LINKS_ADDRESS: Rate = Rate {
    burst: 20,
    every: Duration::from_secs(30),
};
/// Files with everything of an account.
pub const EXPORT_ACCOUNT: Rate = Rate {
    burst: 6,
    every: Duration::from_secs(60),
};
/// Everything that changes something, from one address.
pub const CHANGES_ADDRESS: Rate = Rate {
    burst: 240,
    every: Duration::from_millis(250),
};

/// The tries of an instance.
#[derive(Debug, Default)]
pub struct Limits(Mutex<HashMap<(&'static str, String), Bucket>>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// When it was, or will be, full.
    full_at: Duration,
}

/// Whose an address is, as far as that can be told: a network of IPv6 belongs to one place, which has
/// as many addresses in it as it likes.
#[must_use]
pub fn whose(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}")
        }
    }
}

impl Limits {
    /// Takes a try of a key.
    ///
    /// # Errors
    /// That there is none, and when there will be.
    pub fn take(
        &self,
        what: &'static str,
        key: &str,
        rate: Rate,
        now: Duration,
    ) -> Result<(), Failure> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_KEYS {
            buckets.retain(|_, bucket| bucket.full_at > now);
            if buckets.len() >= MOST_KEYS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry((what, key.to_owned()));
        let bucket = bucket.or_insert(Bucket { full_at: now });
        let full_at = bucket.full_at.max(now).saturating_add(rate.every);
        let most = now.saturating_add(rate.every.saturating_mul(rate.burst));
        if full_at > most {
            let seconds = (full_at - most).as_secs().saturating_add(1);
            return Err(Failure::TooMany {
                seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
            });
        }
        bucket.full_at = full_at;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_run_out_and_come_back_each_key_for_itself() {
        let limits = Limits::default();
        let rate = Rate {
            burst: 3,
            every: Duration::from_secs(10),
        };
        let at = Duration::from_secs;
        for _ in 0..3 {
            limits.take("try", "one", rate, at(100)).unwrap();
        }
        assert!(limits.take("try", "one", rate, at(100)).is_err());
        limits.take("try", "other", rate, at(100)).unwrap();
        limits.take("try", "one", rate, at(110)).unwrap();
        assert!(limits.take("try", "one", rate, at(111)).is_err());
    }

    #[test]
    fn addresses_of_one_network_are_of_one_place() {
        let place = |text: &str| whose(text.parse().unwrap());
        assert_eq!(place("2001:db8:1:2::1"), place("2001:db8:1:2:ffff::9"));
        assert_ne!(place("2001:db8:1:2::1"), place("2001:db8:1:3::1"));
        assert_ne!(place("192.0.2.1"), place("192.0.2.2"));
        assert_eq!(place("192.0.2.1"), place("::ffff:192.0.2.1"));
    }

    #[test]
    fn what_is_remembered_has_a_limit() {
        let limits = Limits::default();
        for key in 0..MOST_KEYS + 10 {
            let key = key.to_string();
            limits
                .take("try", &key, SIGN_IN_ACCOUNT, Duration::ZERO)
                .unwrap();
        }
        assert!(limits.0.lock().unwrap().len() <= MOST_KEYS);
    }
}
