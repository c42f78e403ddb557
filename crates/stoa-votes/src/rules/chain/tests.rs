//! A chain folded from a checkpoint is the chain folded whole, and a broken one is not folded at all.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::model::{Change, RequestId, UserId};

/// What each record does: votes moved on one of some policies, and whether a merge is seen.
type Step = (u128, i64, bool);

/// Records with those steps; those with a number that `every` divides carry everything.
fn chain(steps: &[Step], every: i64) -> Vec<VoteRecord> {
    let mut records: Vec<VoteRecord> = Vec::new();
    let mut entries: BTreeMap<PolicyId, Entry> = BTreeMap::new();
    let mut all_roots = BTreeMap::new();
    for ((policy, votes, sees_merge), seq) in steps.iter().zip(1_i64..) {
        let policy = PolicyId(Uuid::from_u128(*policy));
        let entry = entries.entry(policy).or_default();
        entry.total += votes;
        entry.withdrawn += (-votes).max(0);
        entry.burned_hundredths += (-votes).max(0) * 50;
        let change = Change {
            increment: *votes,
            entry: *entry,
        };
        let target = PolicyId(Uuid::from_u128(1_000));
        let mut roots: BTreeMap<PolicyId, PolicyId> =
            sees_merge.then_some((policy, target)).into_iter().collect();
        all_roots.extend(roots.clone());
        let is_checkpoint = seq % every == 0;
        if is_checkpoint {
            roots.clone_from(&all_roots);
        }
        records.push(VoteRecord {
            version: VoteVersion(Uuid::from_u128(seq.unsigned_abs().into())),
            previous: records.last().map(|record| record.version),
            seq,
            day: Day(20_000 + i32::try_from(seq / 7).unwrap()),
            kind: RecordKind::Vote,
            changes: BTreeMap::from([(policy, change)]),
            roots,
            policy_created: None,
            request: RequestId(Uuid::from_u128(seq.unsigned_abs().into())),
            actor: UserId(Uuid::nil()),
            checkpoint: is_checkpoint.then(|| entries.clone()),
        });
    }
    records
}

fn steps(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0_u128..5, -40_i64..40, any::<bool>()), count)
}

proptest! {
    #[test]
    fn from_a_checkpoint_on_a_chain_amounts_to_what_all_of_it_does(
        steps in steps(1..40),
        every in 1_i64..12,
        skipped in 0_usize..40,
    ) {
        let records = chain(&steps, every);
        let mut summed = Ledger::default();
        for record in &records {
            summed = summed.after(record).unwrap();
        }
        let whole = Ledger::fold(&records).unwrap();
        prop_assert_eq!(&whole.ledger, &summed);
        let (_, read) = records.split_at(skipped.min(records.len() - 1));
        // The checkpoint must stand before the last record, which may be taken back.
        let before_last = &read[..read.len() - 1];
        let reaches = before_last.iter().any(|record| record.checkpoint.is_some());
        if reaches || read.len() == records.len() {
            prop_assert_eq!(Ledger::fold(read).unwrap(), whole);
        } else {
            let head_seq = summed.seq;
            prop_assert_eq!(Ledger::fold(read), Err(Broken::NoCheckpoint { head_seq }));
        }
    }

    #[test]
    fn a_chain_with_a_record_missing_or_twice_is_broken_there(
        steps in steps(3..30),
        place in any::<prop::sample::Index>(),
    ) {
        let records = chain(&steps, 1_000);
        // Neither the first one nor the last one, which leave a chain that is only shorter.
        let at = 1 + place.index(records.len() - 2);
        let seq = records[at].seq;
        let mut missing = records.clone();
        missing.remove(at);
        let gap = Broken::Gap { seq: seq + 1, after: seq - 1 };
        prop_assert_eq!(Ledger::fold(&missing), Err(gap));
        let mut twice = records.clone();
        twice.insert(at, records[at].clone());
        prop_assert_eq!(Ledger::fold(&twice), Err(Broken::Gap { seq, after: seq }));
        let mut other = records.clone();
        other[at].previous = None;
        let link = Broken::Link { seq, previous: None };
        prop_assert_eq!(Ledger::fold(&other), Err(link));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let gap = Broken::Gap { seq: 7, after: 4 };
    assert_eq!(gap.to_string(), "record 7 does not follow record 4");
    let unfounded = Broken::NoCheckpoint { head_seq: 60 };
    let said = unfounded.to_string();
    assert_eq!(said, "the chain's records up to 60 have no checkpoint");
}

#[test]
fn nothing_amounts_to_nothing_and_one_record_begins_a_chain() {
    assert_eq!(Ledger::fold(&[]), Ok(Folded::default()));
    let records = chain(&[(1, 10, false), (1, 5, false)], 1);
    let (first, second) = records.split_at(1);
    assert_eq!(Ledger::fold(first).unwrap().ledger.seq, 1);
    // Its own checkpoint does not tell what there was before it.
    let unfounded = Err(Broken::NoCheckpoint { head_seq: 2 });
    assert_eq!(Ledger::fold(second), unfounded);
}
