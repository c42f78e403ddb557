//! A client's clock and its ids: virtual time, off by as much as the client's clock is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use stoa_testkit::rng::Rng;
use stoa_types::time_uuid::{TimeUuidGenerator, clock_seq_and_node};
use stoa_types::{Clock, Ids};
use uuid::Uuid;

use crate::timeline::Timeline;

/// The wall clock at virtual time zero: 2024-01-01T00:00:00Z in microseconds.
pub const START_MICROS: i64 = 1_704_067_200_000_000;

/// A clock of virtual time; see [the module](self).
#[derive(Debug)]
pub struct SimClock {
    timeline: Timeline,
    offset_micros: AtomicI64,
}

impl SimClock {
    /// A clock that is ahead by so much, or behind if it is negative.
    #[must_use]
    pub fn new(timeline: Timeline, offset_micros: i64) -> Self {
        Self {
            timeline,
            offset_micros: AtomicI64::new(offset_micros),
        }
    }

    /// Moves the wall clock, as an operator or a time daemon would.
    pub fn jump_micros(&self, by: i64) {
        self.offset_micros.fetch_add(by, Ordering::Relaxed);
    }

    /// How far it is off.
    #[must_use]
    pub fn offset_micros(&self) -> i64 {
        self.offset_micros.load(Ordering::Relaxed)
    }
}

impl Clock for SimClock {
    fn now_micros(&self) -> i64 {
        wall_micros(&self.timeline).saturating_add(self.offset_micros())
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.timeline.now_micros())
    }
}

/// The wall clock of who has the right time.
pub(crate) fn wall_micros(timeline: &Timeline) -> i64 {
    START_MICROS.saturating_add_unsigned(timeline.now_micros())
}

/// Identifiers from a seed; no two clients of a cluster make the same.
#[derive(Debug)]
pub struct SimIds {
    seed: u64,
    count: AtomicU64,
    clock: Arc<dyn Clock>,
    time_uuids: TimeUuidGenerator,
}

impl SimIds {
    /// Identifiers of a client, whose number makes them unlike any other's.
    #[must_use]
    pub fn new(seed: u64, client: u32, clock: Arc<dyn Clock>) -> Self {
        let random = Rng::new(seed).next_u64();
        // The client's number stands in the node, where no randomness may touch it.
        let node = (random & !0xFFFF_FFFF) | u64::from(client);
        Self {
            seed: seed ^ (u64::from(client) << 32),
            count: AtomicU64::new(0),
            clock,
            time_uuids: TimeUuidGenerator::new(clock_seq_and_node(node)),
        }
    }
}

impl Ids for SimIds {
    fn random_u64(&self) -> u64 {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        Rng::new(
            self.seed
                .wrapping_add(count.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        )
        .next_u64()
    }

    fn uuid(&self) -> Uuid {
        let pair = Uuid::from_u64_pair(self.random_u64(), self.random_u64());
        uuid::Builder::from_random_bytes(pair.into_bytes()).into_uuid()
    }

    fn time_uuid(&self) -> Uuid {
        self.time_uuids.next(self.clock.as_ref())
    }
}
