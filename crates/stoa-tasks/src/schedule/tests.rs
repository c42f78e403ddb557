//! Tests of when a shard is due.

use proptest::prelude::*;

use super::*;

const SECOND: i64 = 1_000_000;

fn seat(instance: u128, rank: u32) -> Seat<'static> {
    Seat {
        task: "drain",
        shard: 0,
        instance: Uuid::from_u128(instance),
        rank,
    }
}

fn run(number: i64, began_micros: i64, failures: u32) -> Last {
    Last {
        number,
        began_micros,
        took: Duration::ZERO,
        failures,
    }
}

fn due(period: u64, rank: u32, last: Option<Last>, now_micros: i64) -> i64 {
    let period = Duration::from_secs(period);
    due_at_micros(period, &seat(1, rank), last.as_ref(), 0, now_micros)
}

#[test]
fn what_never_ran_is_due_soon_after_the_start_whatever_the_period() {
    assert!(due(86_400, 0, None, 0) < 60 * SECOND);
    assert!(due(5, 0, None, 0) < 5 * SECOND);
    assert!((60 * SECOND..120 * SECOND).contains(&due(86_400, 1, None, 0)));
}

#[test]
fn retries_double_from_a_minute_to_a_quarter_of_an_hour_or_the_period() {
    let waits = |period: u64| -> Vec<i64> {
        let period = Duration::from_secs(period);
        let waits = (0..8).map(|failures| wait_micros(period, failures) / SECOND);
        waits.collect()
    };
    assert_eq!(waits(30), [30, 30, 60, 120, 240, 480, 900, 900]);
    assert_eq!(
        waits(86_400),
        [86_400, 60, 120, 240, 480, 960, 1_920, 3_840]
    );
    assert_eq!(
        wait_micros(Duration::from_secs(86_400), u32::MAX),
        86_400 * SECOND
    );
    assert_eq!(wait_micros(Duration::ZERO, 0), SECOND);
    assert_eq!(wait_micros(Duration::MAX, 9) / SECOND, 60 * 256);
}

#[test]
fn a_run_of_the_far_future_is_not_waited_for() {
    let now = 1_000 * SECOND;
    assert_eq!(due(30, 0, Some(run(1, i64::MAX, 0)), now), now);
    assert_eq!(due(30, 0, Some(run(1, now + 31 * SECOND, 0)), now), now);
    assert!(due(30, 0, Some(run(1, now + 29 * SECOND, 0)), now) > now);
}

#[test]
fn a_deputy_also_waits_as_long_as_the_last_run_took() {
    let quick = due(30, 1, Some(run(1, 0, 0)), 0);
    let slow = Last {
        took: Duration::from_secs(500),
        ..run(1, 0, 0)
    };
    assert_eq!(due(30, 1, Some(slow), 0), quick + 500 * SECOND);
    assert_eq!(due(30, 0, Some(slow), 0), due(30, 0, Some(run(1, 0, 0)), 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn it_is_due_a_period_after_the_last_run_give_or_take_a_tenth(
        period in 1_u64..1_000_000, number in any::<i64>(), rank in 0_u32..9,
    ) {
        let at = due(period, rank, Some(run(number, 0, 0)), 0);
        let period = i64::try_from(period).unwrap() * SECOND;
        let even = period * i64::from(1 + rank);
        prop_assert!(at >= even - period / 10 && at <= even + period / 10);
        prop_assert_eq!(at, due(u64::try_from(period / SECOND).unwrap(), rank, Some(run(number, 0, 0)), 0));
    }

    #[test]
    fn nothing_overflows_and_nothing_waits_for_ever(
        period in any::<u64>(), rank in any::<u32>(), number in any::<i64>(),
        began in any::<i64>(), took in any::<u64>(), failures in any::<u32>(), now in any::<i64>(),
    ) {
        let last = Last { number, began_micros: began, took: Duration::from_secs(took), failures };
        let at = due(period, rank, Some(last), now);
        if rank == 0 && period < 1_000_000 {
            let most = wait_micros(Duration::from_secs(period), failures).saturating_mul(22) / 10;
            prop_assert!(at.saturating_sub(now) <= most.max(900 * SECOND * 22 / 10));
        }
    }

    /// However many they are, in twenty periods a shard runs 17 to 23 times.
    #[test]
    fn together_they_run_about_once_in_a_period(
        instances in 1_u128..12, period in 10_u64..5_000, salt in any::<u64>(),
    ) {
        let step = i64::try_from(period).unwrap() * SECOND / 50;
        let live: Vec<Uuid> = (1..=instances)
            .map(|id| Uuid::from_u128(id | (u128::from(salt) << 64)))
            .collect();
        let (mut last, mut runs) = (None::<Last>, 0_i64);
        for now in (0..50 * 20).map(|tick| tick * step) {
            for instance in &live {
                let rank = crate::rendezvous::rank("drain", 0, *instance, &live);
                let seat = Seat { task: "drain", shard: 0, instance: *instance, rank };
                let at = due_at_micros(Duration::from_secs(period), &seat, last.as_ref(), 0, now);
                if at <= now {
                    runs += 1;
                    last = Some(run(runs, now, 0));
                }
            }
        }
        prop_assert!((17..=23).contains(&runs), "{runs} runs");
    }
}
