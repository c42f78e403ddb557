//! Rendezvous hashing: which instance does which shard of a task.
//!
//! Each instance has a weight for each shard, a hash of both. The one with the greatest weight owns
//! the shard, the next one is its deputy, and so on. Whoever sees the same instances comes to the
//! same result, without asking anyone.
//!
//! Invariants:
//! 1. Where anyone lives, each shard has exactly one owner.
//! 2. When an instance leaves, only its own shards move; when one comes, shards move to it only.
//! 3. The weights are the same in every version of the program and on every machine.

use uuid::Uuid;

/// The instance that owns a shard; none where nobody lives.
#[must_use]
pub fn owner(task: &str, shard: u32, live: &[Uuid]) -> Option<Uuid> {
    let weighed = live.iter().map(|id| (weight(task, shard, *id), *id));
    weighed.max().map(|(_, id)| id)
}

/// How many instances come before this one for a shard: 0 for its owner, 1 for the deputy. An
/// instance counts itself as living, whatever the list says.
#[must_use]
pub fn rank(task: &str, shard: u32, instance: Uuid, live: &[Uuid]) -> u32 {
    let own = (weight(task, shard, instance), instance);
    let before = live
        .iter()
        .filter(|id| (weight(task, shard, **id), **id) > own);
    u32::try_from(before.count()).unwrap_or(u32::MAX)
}

fn weight(task: &str, shard: u32, instance: Uuid) -> u64 {
    hash(task, shard, instance, 0)
}

/// A number that depends on all of these and looks random: FNV-1a, and then the output function of
/// SplitMix64, because FNV leaves neighbours alike. The name comes last, so that the other parts,
/// which have fixed lengths, cannot run into it.
pub(crate) fn hash(task: &str, shard: u32, instance: Uuid, salt: u64) -> u64 {
    let shard = shard.to_be_bytes();
    let salt = salt.to_be_bytes();
    let bytes = instance.as_bytes().iter().chain(&shard).chain(&salt);
    let hashed = bytes
        .chain(task.as_bytes())
        .fold(0xCBF2_9CE4_8422_2325_u64, |state, byte| {
            (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        });
    let mixed = (hashed ^ (hashed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const SHARDS: u32 = 1_024;

    fn instances(most: usize) -> impl Strategy<Value = Vec<Uuid>> {
        let ids = proptest::collection::btree_set(any::<u128>(), 1..=most);
        ids.prop_map(|ids| ids.into_iter().map(Uuid::from_u128).collect())
    }

    #[test]
    fn weights_are_what_they_always_were() {
        let instance = Uuid::from_u128(7);
        assert_eq!(weight("drain", 3, instance), 0xB6EF_194A_BCBC_EE12);
    }

    #[test]
    fn nobody_owns_anything_where_nobody_lives() {
        assert_eq!(owner("drain", 0, &[]), None);
        assert_eq!(rank("drain", 0, Uuid::nil(), &[]), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_shard_has_exactly_one_owner_and_ranks_without_gaps(
            live in instances(9), task in "[a-z_]{1,12}", shard in 0..SHARDS,
        ) {
            let ranks: BTreeSet<u32> =
                live.iter().map(|id| rank(&task, shard, *id, &live)).collect();
            prop_assert!(ranks.iter().copied().eq(0..u32::try_from(live.len()).unwrap()));
            let owner = owner(&task, shard, &live).unwrap();
            prop_assert_eq!(rank(&task, shard, owner, &live), 0);
        }

        #[test]
        fn the_order_of_the_list_does_not_matter(live in instances(9), shard in 0..SHARDS) {
            let turned: Vec<Uuid> = live.iter().rev().copied().collect();
            prop_assert_eq!(owner("drain", shard, &live), owner("drain", shard, &turned));
        }

        #[test]
        fn when_an_instance_leaves_only_its_shards_move(
            live in instances(9), leaving in any::<prop::sample::Index>(),
        ) {
            let leaving = *leaving.get(&live);
            let rest: Vec<Uuid> = live.iter().copied().filter(|id| *id != leaving).collect();
            for shard in 0..SHARDS {
                let before = owner("drain", shard, &live);
                if before != Some(leaving) {
                    prop_assert_eq!(before, owner("drain", shard, &rest));
                } else if let Some(after) = owner("drain", shard, &rest) {
                    // The deputy follows.
                    prop_assert_eq!(rank("drain", shard, after, &live), 1);
                }
            }
        }

        /// Of 1,024 shards over up to 8 instances each has between half and twice its share. The
        /// least share is 128 with a standard deviation of 11, so that half is six of them away.
        #[test]
        fn shards_are_spread_evenly(live in instances(8), task in "[a-z_]{1,12}") {
            for id in &live {
                let owned = (0..SHARDS)
                    .filter(|shard| owner(&task, *shard, &live) == Some(*id))
                    .count();
                let share = usize::try_from(SHARDS).unwrap() / live.len();
                prop_assert!(owned >= share / 2 && owned <= share * 2, "{owned} of {share}");
            }
        }
    }
}
