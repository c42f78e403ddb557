//! What a script is mostly about, and the times of its writes.
//!
//! Each seed weighs the kinds of statements anew ("swarm"), because a mix of everything rarely
//! goes deep into anything.
//!
//! Writes bring times of their own, so that answers can be compared. They are multiples of a wide
//! step, far from now: a tolerance that covers two clocks then never hides one step. A conditional
//! write takes the clock's time, which lies above nearly all others.

use std::collections::BTreeSet;

use crate::rng::Rng;

/// The least distance of two different times of writes.
const STEP: i64 = 1_000_000_000_000;

/// Later than any clock.
const FAR: i64 = 4_000_000 * STEP;

/// What WRITETIME may differ by: less than a step, more than two clocks do.
pub(super) const TIME_TOLERANCE: &str = "400000000000";

/// What TTL may differ by in seconds.
pub(super) const TTL_TOLERANCE: &str = "400";

/// The least distance of two different times to live.
const TTL_STEP: i64 = 1_000;

/// The weights of a script, in percent.
#[derive(Debug, Clone)]
pub(super) struct Swarm {
    pub(super) conditional: u32,
    pub(super) batch: u32,
    pub(super) expiring: u32,
    pub(super) bound: u32,
    pub(super) json: u32,
    pub(super) reads: u32,
    pub(super) wrong: u32,
    pub(super) schema_in_ten_thousand: u64,
}

impl Swarm {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let mut level = |weights: [(u32, u32); 3]| rng.weighted(&weights).copied().unwrap_or(0);
        Self {
            conditional: level([(40, 0), (40, 6), (20, 35)]),
            batch: level([(30, 0), (50, 6), (20, 25)]),
            expiring: level([(50, 0), (35, 10), (15, 50)]),
            bound: level([(15, 0), (60, 40), (25, 90)]),
            json: level([(40, 0), (50, 4), (10, 20)]),
            reads: level([(25, 35), (50, 50), (25, 65)]),
            wrong: level([(15, 2), (60, 9), (25, 18)]),
            schema_in_ten_thousand: level([(50, 0), (40, 40), (10, 120)]).into(),
        }
    }
}

/// The times of writes: rising on the whole, with ties and some far off.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    written: i64,
    lives: BTreeSet<i64>,
    /// Whether some write was later than any clock.
    is_far: bool,
}

impl Times {
    /// The time of the next write.
    pub(super) fn next(&mut self, rng: &mut Rng) -> i64 {
        self.written += 1;
        let time = match rng.below(1_000) {
            0..3 => rng
                .pick(&[i64::MIN + 1, i64::MAX, i64::MAX - 1, 0])
                .copied()
                .unwrap_or(0),
            3..8 => FAR + rng.between(0, 3) * STEP,
            8..80 => rng.between(-3, self.written / 20) * STEP,
            _ => (self.written / 20 + rng.between(-1, 2)) * STEP,
        };
        self.is_far |= time >= FAR;
        time
    }

    /// Whether some write was later than any clock, and so later than the drop of its column.
    pub(super) fn is_far(&self) -> bool {
        self.is_far
    }

    /// A time that no other write has.
    pub(super) fn unique(&mut self) -> i64 {
        self.written += 1;
        self.written * STEP / 2
    }

    /// A time to live that no other write has: of two equal ones the second of writing would
    /// decide a tie.
    pub(super) fn next_ttl(&mut self, rng: &mut Rng) -> i64 {
        loop {
            let seconds = 10_000 + TTL_STEP * rng.between(0, 300_000);
            if self.lives.insert(seconds) {
                return seconds;
            }
        }
    }
}
