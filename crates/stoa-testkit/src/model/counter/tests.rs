//! Each rule of counters.

use super::*;

fn add(timestamp_micros: i64, delta: i64) -> Happened {
    Happened::Event(CounterEvent::Add {
        timestamp_micros,
        delta,
    })
}

fn tombstone(timestamp_micros: i64) -> Happened {
    Happened::Event(CounterEvent::Delete(deletion(timestamp_micros)))
}

fn cover(timestamp_micros: i64) -> Happened {
    Happened::Covering(deletion(timestamp_micros))
}

fn deletion(timestamp_micros: i64) -> Deletion {
    Deletion {
        timestamp_micros,
        deleted_at_seconds: 0,
    }
}

fn play(happened: Vec<Happened>) -> Option<CounterState> {
    let mut log = Vec::new();
    let mut deletions = Vec::new();
    for (at, what) in (0..).zip(happened) {
        match what {
            Happened::Covering(deletion) => deletions.push((at, deletion)),
            Happened::Event(event) => log.push((at, event)),
        }
    }
    replay(&log, &deletions)
}

fn total(timestamp_micros: i64, total: i64) -> Option<CounterState> {
    Some(CounterState::Total {
        timestamp_micros,
        total,
    })
}

type Case = (&'static str, Vec<Happened>, Option<CounterState>);

fn check(cases: Vec<Case>) {
    for (name, happened, expected) in cases {
        assert_eq!(play(happened), expected, "{name}");
    }
}

#[test]
fn increments_follow_each_rule() {
    check(vec![
        ("sums", vec![add(1, 5), add(2, -7)], total(2, -2)),
        (
            "keeps the later write time",
            vec![add(9, 1), add(2, 1)],
            total(9, 2),
        ),
        (
            "wraps around",
            vec![add(1, i64::MAX), add(2, 1)],
            total(2, i64::MIN),
        ),
        (
            "starts anew when deleted",
            vec![add(1, 5), cover(1), add(2, 3)],
            total(2, 3),
        ),
        (
            "outlives an older deletion",
            vec![add(3, 5), cover(2), add(4, 1)],
            total(4, 6),
        ),
        (
            "is hidden by a deletion ahead",
            vec![cover(9), add(1, 5), add(2, 5)],
            None,
        ),
        (
            "passes a deletion",
            vec![cover(9), add(1, 5), add(10, 2)],
            total(10, 2),
        ),
    ]);
}

#[test]
fn counter_tombstones_follow_each_rule() {
    let dead = |timestamp| Some(CounterState::Tombstone(deletion(timestamp)));
    check(vec![
        ("wins however old", vec![add(9, 5), tombstone(1)], dead(1)),
        (
            "is left by increments",
            vec![tombstone(1), add(9, 5)],
            dead(1),
        ),
        (
            "stays if greater",
            vec![tombstone(5), tombstone(3)],
            dead(5),
        ),
        ("goes if smaller", vec![tombstone(3), tombstone(5)], dead(5)),
        (
            "does nothing shadowed",
            vec![add(9, 5), cover(3), tombstone(3)],
            total(9, 5),
        ),
        (
            "goes by a deletion",
            vec![tombstone(3), cover(3), add(4, 1)],
            total(4, 1),
        ),
        (
            "has swallowed the total",
            vec![add(9, 5), tombstone(1), cover(1)],
            None,
        ),
    ]);
}

#[test]
fn a_state_can_be_written_again_as_one_event() {
    for state in [total(7, -3), Some(CounterState::Tombstone(deletion(4)))]
        .into_iter()
        .flatten()
    {
        assert_eq!(replay(&[(0, state.as_event())], &[]), Some(state));
    }
}
