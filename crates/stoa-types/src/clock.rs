//! The only source of "now" and of new identifiers.
//!
//! Everything above takes a [`Clock`] or an [`Ids`] argument, so that tests and simulations can
//! replay a run exactly. Production code passes [`SystemClock`] and [`SystemIds`]; tests pass
//! [`ManualClock`] and [`SeededIds`].
//!
//! Invariants:
//! 1. No other file of the workspace reads the system clock or the system's randomness.
//! 2. [`Clock::monotonic`] never goes backwards, whatever happens to the wall clock.
//! 3. Identifiers of one [`Ids`] never repeat within a process, and its time UUIDs rise.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use crate::time_uuid::{TimeUuidGenerator, clock_seq_and_node};

/// Where the time comes from.
pub trait Clock: Send + Sync + Debug {
    /// The wall clock in microseconds since 1970-01-01T00:00:00Z. It may jump in both directions.
    fn now_micros(&self) -> i64;

    /// Time since an arbitrary start; it never decreases.
    fn monotonic(&self) -> Duration;
}

/// Where new identifiers and random numbers come from.
pub trait Ids: Send + Sync + Debug {
    /// A uniformly distributed number.
    fn random_u64(&self) -> u64;

    /// A new random (version 4) UUID.
    fn uuid(&self) -> Uuid;

    /// A new time-based (version 1) UUID, greater than all this source gave before.
    fn time_uuid(&self) -> Uuid;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one reader of the system clock"
    )]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one reader of the system clock"
    )]
    fn now_micros(&self) -> i64 {
        let saturate = |duration: Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => saturate(since),
            Err(before) => -saturate(before.duration()),
        }
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A clock that moves only when told to, for tests and simulations.
#[derive(Debug)]
pub struct ManualClock {
    wall_micros: AtomicI64,
    monotonic_nanos: AtomicU64,
}

impl ManualClock {
    /// A clock that shows `micros` since 1970 and whose monotonic time is zero.
    #[must_use]
    pub fn at_micros(micros: i64) -> Self {
        Self {
            wall_micros: AtomicI64::new(micros),
            monotonic_nanos: AtomicU64::new(0),
        }
    }

    /// Sets the wall clock; monotonic time stays.
    pub fn set_micros(&self, micros: i64) {
        self.wall_micros.store(micros, Ordering::SeqCst);
    }

    /// Lets time pass: the wall clock and monotonic time both move. Sub-microsecond parts move
    /// monotonic time only.
    pub fn advance(&self, by: Duration) {
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        self.jump_micros(micros);
        let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let _ = self
            .monotonic_nanos
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_add(nanos))
            });
    }

    /// Moves only the wall clock, as an operator or a time daemon would; `by` may be negative.
    pub fn jump_micros(&self, by: i64) {
        let _ = self
            .wall_micros
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_add(by))
            });
    }
}

impl Clock for ManualClock {
    fn now_micros(&self) -> i64 {
        self.wall_micros.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_nanos(self.monotonic_nanos.load(Ordering::SeqCst))
    }
}

/// Identifiers from the operating system's randomness and the machine's clock.
#[derive(Debug)]
pub struct SystemIds {
    clock: Arc<dyn Clock>,
    time_uuids: TimeUuidGenerator,
}

impl SystemIds {
    /// Identifiers whose time UUIDs follow the system clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock::new()))
    }

    /// Identifiers whose time UUIDs follow `clock`.
    #[must_use]
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let time_uuids = TimeUuidGenerator::new(clock_seq_and_node(system_random_u64()));
        Self { clock, time_uuids }
    }
}

impl Default for SystemIds {
    fn default() -> Self {
        Self::new()
    }
}

impl Ids for SystemIds {
    fn random_u64(&self) -> u64 {
        system_random_u64()
    }

    fn uuid(&self) -> Uuid {
        uuid_v4(system_random_u64(), system_random_u64())
    }

    fn time_uuid(&self) -> Uuid {
        self.time_uuids.next(self.clock.as_ref())
    }
}

/// Eight random bytes of the operating system. Should it ever refuse, a keyed hash (whose key the
/// standard library took from the same place at start-up) stands in: identifiers stay unique, and
/// a library must not bring the process down for it.
fn system_random_u64() -> u64 {
    static FALLBACK_COUNT: AtomicU64 = AtomicU64::new(0);
    getrandom::u64().unwrap_or_else(|_| {
        RandomState::new().hash_one(FALLBACK_COUNT.fetch_add(1, Ordering::Relaxed))
    })
}

/// Identifiers that depend on nothing but a seed (and a given clock), for replayable runs.
#[derive(Debug)]
pub struct SeededIds {
    state: AtomicU64,
    clock: Arc<dyn Clock>,
    time_uuids: TimeUuidGenerator,
}

impl SeededIds {
    /// Wall time of [`SeededIds::new`]: 2024-01-01T00:00:00Z in microseconds.
    const FIXED_MICROS: i64 = 1_704_067_200_000_000;

    /// Identifiers from `seed`; time UUIDs start at the beginning of 2024 and rise by a
    /// microsecond each.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::with_clock(seed, Arc::new(ManualClock::at_micros(Self::FIXED_MICROS)))
    }

    /// Identifiers from `seed`; time UUIDs follow `clock`.
    #[must_use]
    pub fn with_clock(seed: u64, clock: Arc<dyn Clock>) -> Self {
        let time_uuids = TimeUuidGenerator::new(clock_seq_and_node(split_mix(seed)));
        Self {
            state: AtomicU64::new(seed),
            clock,
            time_uuids,
        }
    }
}

impl Ids for SeededIds {
    fn random_u64(&self) -> u64 {
        let before = self.state.fetch_add(SPLIT_MIX_STEP, Ordering::SeqCst);
        split_mix(before.wrapping_add(SPLIT_MIX_STEP))
    }

    fn uuid(&self) -> Uuid {
        uuid_v4(self.random_u64(), self.random_u64())
    }

    fn time_uuid(&self) -> Uuid {
        self.time_uuids.next(self.clock.as_ref())
    }
}

fn uuid_v4(high: u64, low: u64) -> Uuid {
    uuid::Builder::from_random_bytes(Uuid::from_u64_pair(high, low).into_bytes()).into_uuid()
}

const SPLIT_MIX_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of the SplitMix64 generator.
fn split_mix(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_clock_moves_wall_and_monotonic_time_apart() {
        let clock = ManualClock::at_micros(1_000);
        clock.advance(Duration::from_micros(5));
        assert_eq!(
            (clock.now_micros(), clock.monotonic()),
            (1_005, Duration::from_micros(5))
        );
        clock.jump_micros(-500);
        assert_eq!(
            (clock.now_micros(), clock.monotonic()),
            (505, Duration::from_micros(5))
        );
        clock.set_micros(-1);
        assert_eq!(clock.now_micros(), -1);
    }

    #[test]
    fn system_clock_is_past_2024_and_monotonic() {
        let clock = SystemClock::new();
        assert!(clock.now_micros() > SeededIds::FIXED_MICROS);
        let first = clock.monotonic();
        assert!(clock.monotonic() >= first);
    }

    #[test]
    fn seeded_ids_replay_and_differ_by_seed() {
        let take = |seed| {
            let ids = SeededIds::new(seed);
            (
                ids.random_u64(),
                ids.uuid(),
                ids.time_uuid(),
                ids.time_uuid(),
            )
        };
        assert_eq!(take(7), take(7));
        assert_ne!(take(7).0, take(8).0);
        assert_ne!(take(7).2, take(8).2);
        let (_, random, first, second) = take(7);
        assert_eq!(random.get_version_num(), 4);
        assert_eq!((first.get_version_num(), second.get_version_num()), (1, 1));
        assert_ne!(first, second);
    }

    #[test]
    fn seeded_numbers_are_those_of_split_mix_64() {
        let ids = SeededIds::new(1_234_567);
        assert_eq!(ids.random_u64(), 6_457_827_717_110_365_317);
        assert_eq!(ids.random_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn system_ids_differ() {
        let ids = SystemIds::new();
        assert_ne!(ids.uuid(), ids.uuid());
        assert_ne!(ids.time_uuid(), ids.time_uuid());
        assert_ne!(ids.random_u64(), ids.random_u64());
    }
}
