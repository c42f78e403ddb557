//! Shares of the work of a task, so that several instances do it together.
//!
//! Whose share something is follows from itself alone, so instances need not agree on anything: all
//! shares together are the whole, and no two have anything in common.

use crate::model::PolicyId;

/// Mixes the bits of an identifier: 2⁶⁴ divided by the golden ratio.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// One of several shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    number: u32,
    of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// One of so many, from 0 on; the whole, if there are none.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Self {
        Self {
            number,
            of: of.max(1),
        }
    }

    /// Whether the work on a policy belongs to it.
    #[must_use]
    pub fn has(self, policy: PolicyId) -> bool {
        let (time, node) = policy.0.as_u64_pair();
        // Identifiers of one instance differ in a few low bits only.
        let mixed = (time.rotate_right(32) ^ node).wrapping_mul(MIX);
        (mixed >> 32) % u64::from(self.of) == u64::from(self.number)
    }

    /// Whether a partition of intents belongs to it.
    pub(super) fn has_place(self, (_, shard): (i16, i16)) -> bool {
        u32::from(shard.unsigned_abs()) % self.of == self.number
    }
}

#[cfg(test)]
mod tests {
    use stoa_types::{Ids, SeededIds};

    use super::*;
    use crate::tables::intents::Spread;

    #[test]
    fn every_policy_and_every_place_is_in_one_share_and_no_share_is_empty() {
        let ids = SeededIds::new(7);
        let shares: Vec<Share> = (0..8).map(|number| Share::new(number, 8)).collect();
        let mut counts = [0; 8];
        for _ in 0..1_000 {
            let policy = PolicyId(ids.time_uuid());
            let having = shares.iter().zip(&mut counts);
            let having = having.filter(|(share, _)| share.has(policy));
            let added = having.map(|(_, count)| *count += 1).count();
            assert_eq!(added, 1);
            assert!(Share::WHOLE.has(policy));
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
        for place in Spread::default().places() {
            let having = shares.iter().filter(|share| share.has_place(place));
            assert_eq!(having.count(), 1);
            assert!(Share::WHOLE.has_place(place));
        }
    }
}
