//! Good and bad histories of batches.

use super::*;
use crate::rng::Rng;

fn write(invoked: u64, returned: u64, tag: u64, cells: &[CellId]) -> Operation<BatchAction> {
    Operation::new(
        invoked,
        returned,
        BatchAction::Write {
            tag,
            cells: cells.to_vec(),
        },
    )
}

fn lost(invoked: u64, tag: u64, cells: &[CellId]) -> Operation<BatchAction> {
    Operation::unknown(
        invoked,
        BatchAction::Write {
            tag,
            cells: cells.to_vec(),
        },
    )
}

fn read(invoked: u64, returned: u64, tags: &[u64]) -> Operation<BatchAction> {
    let tags = tags.iter().map(|tag| (*tag > 0).then_some(*tag));
    Operation::new(
        invoked,
        returned,
        BatchAction::Read((0..).zip(tags).collect()),
    )
}

#[test]
fn good_histories_are_accepted() {
    let good = [
        (
            "in turn",
            vec![write(1, 2, 1, &[0, 1]), read(3, 4, &[1, 1])],
        ),
        (
            "while written",
            vec![
                write(1, 9, 1, &[0, 1]),
                read(2, 3, &[0, 0]),
                read(4, 5, &[1, 1]),
            ],
        ),
        (
            "partly overwritten",
            vec![
                write(1, 2, 1, &[0, 1]),
                write(3, 4, 2, &[1, 2]),
                read(5, 6, &[1, 2, 2]),
            ],
        ),
        (
            "lost, not there",
            vec![lost(1, 1, &[0, 1]), read(2, 3, &[0, 0])],
        ),
        (
            "lost, there",
            vec![lost(1, 1, &[0, 1]), read(2, 3, &[1, 1])],
        ),
        (
            "crash keeps all",
            vec![
                write(1, 2, 1, &[0, 1]),
                lost(3, 2, &[0, 1]),
                read(9, 10, &[2, 2]),
            ],
        ),
    ];
    for (name, history) in good {
        assert_eq!(check_batches(&history, 1_000), Ok(()), "{name}");
    }
}

#[test]
fn torn_and_foreign_reads_are_named() {
    let torn = vec![write(1, 9, 1, &[0, 1]), read(2, 3, &[1, 0])];
    let failure = BatchFailure::Torn {
        operation: 1,
        left: (0, Some(1)),
        right: (1, None),
    };
    assert_eq!(check_batches(&torn, 1_000), Err(failure));
    let mixed = vec![
        write(1, 9, 1, &[0, 1]),
        write(2, 9, 2, &[0, 1]),
        read(3, 8, &[1, 2]),
    ];
    assert!(matches!(
        check_batches(&mixed, 1_000),
        Err(BatchFailure::Torn { operation: 2, .. })
    ));
    let foreign = vec![write(1, 2, 1, &[0]), read(3, 4, &[1, 1])];
    let failure = BatchFailure::UnknownTag {
        operation: 1,
        cell: 1,
        tag: 1,
    };
    assert_eq!(check_batches(&foreign, 1_000), Err(failure));
}

#[test]
fn anomalies_of_order_are_caught() {
    let (one, two) = (write(1, 20, 1, &[0]), write(2, 20, 2, &[1]));
    let bad = [
        (
            "stale",
            vec![write(1, 2, 1, &[0]), write(3, 4, 2, &[0]), read(5, 6, &[1])],
        ),
        (
            "back in time",
            vec![write(1, 9, 1, &[0]), read(2, 3, &[1]), read(4, 5, &[0])],
        ),
        (
            "two readers, two orders",
            vec![one, two, read(3, 4, &[1, 0]), read(3, 4, &[0, 2])],
        ),
        (
            "later batch without the earlier",
            vec![
                write(1, 2, 1, &[0]),
                write(3, 4, 2, &[1]),
                read(5, 6, &[0, 2]),
            ],
        ),
        (
            "crash loses the acknowledged",
            vec![write(1, 2, 1, &[0]), lost(3, 2, &[1]), read(9, 10, &[0, 2])],
        ),
        (
            "crash loses the seen",
            vec![lost(1, 1, &[0]), read(2, 3, &[1]), read(9, 10, &[0])],
        ),
    ];
    for (name, history) in bad {
        let failure = check_batches(&history, 1_000);
        let impossible = BatchFailure::Order(OrderFailure::Impossible {
            longest: vec![],
            stuck: vec![],
        });
        let failure = failure.expect_err(name);
        assert_eq!(
            std::mem::discriminant(&failure),
            std::mem::discriminant(&impossible),
            "{name}"
        );
        assert!(
            failure.to_string().contains("no order"),
            "{name}: {failure}"
        );
    }
}

#[test]
fn simulated_histories_are_accepted_and_torn_reads_in_them_caught() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let mut state = BTreeMap::new();
        let mut history = Vec::new();
        for tag in 1..80 {
            let at = tag * 10 + 50;
            let (begin, end) = (at - rng.below(30), at + 1 + rng.below(30));
            if rng.chance(50) {
                history.push(write(begin, end, tag, &[0, 1, 2]));
                state.extend([(0, tag), (1, tag), (2, tag)]);
            } else {
                let tags: Vec<u64> = (0..3)
                    .map(|cell| state.get(&cell).copied().unwrap_or(0))
                    .collect();
                history.push(read(begin, end, &tags));
            }
        }
        assert_eq!(check_batches(&history, 50_000), Ok(()), "seed {seed}");
        let last = history.len() as u64 * 10 + 500;
        history.push(write(last, last + 1, 900, &[0, 1, 2]));
        history.push(write(last + 2, last + 3, 901, &[0, 1, 2]));
        history.push(read(last + 4, last + 5, &[901, 901, 900]));
        assert!(check_batches(&history, 50_000).is_err(), "seed {seed}");
    }
}
