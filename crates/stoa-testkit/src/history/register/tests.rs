//! Good and bad histories of one key.

use super::RegisterAction::{CompareAndSet, Read, Write};
use super::SetOutcome::{Applied, Refused, Unknown};
use super::*;
use crate::rng::Rng;

fn op(invoked: u64, returned: u64, action: RegisterAction) -> Operation<RegisterAction> {
    Operation::new(invoked, returned, action)
}

fn set(expected: Option<u64>, new: u64, outcome: SetOutcome) -> RegisterAction {
    CompareAndSet {
        expected,
        new,
        outcome,
    }
}

fn lost(invoked: u64, action: RegisterAction) -> Operation<RegisterAction> {
    Operation::unknown(invoked, action)
}

#[test]
fn good_histories_are_accepted() {
    let refused = Refused { seen: Some(1) };
    let good = [
        ("nothing", vec![]),
        (
            "in turn",
            vec![
                op(1, 2, Read(None)),
                op(3, 4, Write(1)),
                op(5, 6, Read(Some(1))),
            ],
        ),
        (
            "new while written",
            vec![op(1, 9, Write(1)), op(2, 3, Read(Some(1)))],
        ),
        (
            "old while written",
            vec![op(1, 9, Write(1)), op(2, 3, Read(None))],
        ),
        (
            "sets in turn",
            vec![
                op(1, 2, set(None, 1, Applied)),
                op(3, 4, set(None, 2, refused)),
            ],
        ),
        (
            "lost and never seen",
            vec![lost(1, Write(1)), op(2, 3, Read(None))],
        ),
        (
            "lost and seen late",
            vec![
                lost(1, Write(1)),
                op(2, 3, Read(None)),
                op(4, 5, Read(Some(1))),
            ],
        ),
        (
            "lost set seen",
            vec![lost(1, set(None, 1, Unknown)), op(2, 3, Read(Some(1)))],
        ),
        (
            "answered unknown",
            vec![
                op(1, 2, set(None, 1, Unknown)),
                op(3, 4, Read(None)),
                op(5, 6, Read(Some(1))),
            ],
        ),
    ];
    for (name, history) in good {
        assert_eq!(check_register(&history, 1_000), Ok(()), "{name}");
    }
}

#[test]
fn planted_anomalies_are_caught() {
    let both = |outcome| {
        vec![
            op(1, 8, set(None, 1, Applied)),
            op(2, 9, set(None, 2, outcome)),
        ]
    };
    let bad = [
        (
            "stale read",
            vec![
                op(1, 2, Write(1)),
                op(3, 4, Write(2)),
                op(5, 6, Read(Some(1))),
            ],
        ),
        ("lost write", vec![op(1, 2, Write(1)), op(3, 4, Read(None))]),
        ("read of nothing written", vec![op(1, 2, Read(Some(7)))]),
        (
            "read of the future",
            vec![op(1, 2, Read(Some(1))), op(3, 4, Write(1))],
        ),
        (
            "new then old",
            vec![
                op(1, 9, Write(1)),
                op(2, 3, Read(Some(1))),
                op(4, 5, Read(None)),
            ],
        ),
        ("two winners", both(Applied)),
        ("refused by its own value", both(Refused { seen: None })),
        (
            "refused by nobody",
            vec![op(1, 2, set(None, 1, Refused { seen: Some(9) }))],
        ),
        (
            "lost comes and goes",
            vec![
                lost(1, Write(1)),
                op(2, 3, Read(Some(1))),
                op(4, 5, Read(None)),
            ],
        ),
        (
            "lost before its begin",
            vec![op(1, 2, Read(Some(1))), lost(3, Write(1))],
        ),
    ];
    for (name, history) in bad {
        let failure = check_register(&history, 1_000);
        assert!(
            matches!(failure, Err(OrderFailure::Impossible { .. })),
            "{name}: {failure:?}"
        );
    }
}

/// Clients whose operations overlap on a register that is right, each taking effect at a
/// moment between its begin and its end.
fn simulated(seed: u64, count: u64) -> Vec<Operation<RegisterAction>> {
    let mut rng = Rng::new(seed);
    let mut value = None;
    let mut history = Vec::new();
    for index in 0..count {
        let at = index * 10 + 50;
        let new = index + 1;
        let action = match rng.below(3) {
            0 => Write(new),
            1 => Read(value),
            _ => {
                let expected = if rng.chance(50) {
                    value
                } else {
                    Some(rng.below(new))
                };
                let outcome = if expected == value {
                    Applied
                } else {
                    Refused { seen: value }
                };
                set(expected, new, outcome)
            }
        };
        value = Register.apply(&value, &action).unwrap();
        history.push(op(at - rng.below(30), at + 1 + rng.below(30), action));
    }
    rng.shuffle(&mut history);
    history
}

#[test]
fn simulated_histories_are_accepted_and_wrong_reads_in_them_caught() {
    let mut caught = 0;
    for seed in 0..50 {
        let mut history = simulated(seed, 150);
        assert_eq!(check_register(&history, 100_000), Ok(()), "seed {seed}");
        let read = history
            .iter_mut()
            .find(|it| matches!(it.action, Read(Some(_))));
        if let Some(read) = read {
            read.action = Read(Some(1_000_000));
            caught += u32::from(check_register(&history, 100_000).is_err());
        }
    }
    assert_eq!(caught, 50);
}

#[test]
fn keys_are_checked_by_themselves_and_limits_hold() {
    let mut keys = BTreeMap::from([("a", simulated(1, 40)), ("b", simulated(2, 40))]);
    assert_eq!(check_registers(&keys, 10_000), Ok(()));
    assert_eq!(
        check_registers(&keys, 5),
        Err(("a", OrderFailure::Undecided { max_states: 5 })),
    );
    keys.insert("b", vec![op(1, 2, Read(Some(7)))]);
    let failure = check_registers(&keys, 10_000).unwrap_err();
    let stuck = OrderFailure::Impossible {
        longest: vec![],
        stuck: vec![0],
    };
    assert_eq!(failure, ("b", stuck));
}
