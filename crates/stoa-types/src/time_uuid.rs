//! Version-1 UUIDs: make, read, compare, bound.
//!
//! A time UUID carries a count of 100-nanosecond ticks since 1582-10-15 and eight bytes that tell
//! its maker apart (clock sequence and node). In the UUID the count is stored low part first:
//!
//! ```text
//! bytes 0..4   ticks, bits 0..32
//! bytes 4..6   ticks, bits 32..48
//! bytes 6..8   version (four bits, 0001), ticks, bits 48..60
//! bytes 8..16  variant (two bits, 10), clock sequence, node
//! ```
//!
//! Invariants:
//! 1. Order is that of Cassandra's `timeuuid`: by ticks, then by the last eight bytes, each
//!    compared as a *signed* byte.
//! 2. The UUIDs of one [`TimeUuidGenerator`] rise strictly, also when the clock stands still or
//!    goes back.

use std::cmp::Ordering;

use uuid::Uuid;

use crate::clock::Clock;
use crate::write_time::RisingMicros;

/// Milliseconds from 1970-01-01 back to the start of the UUID calendar, 1582-10-15.
const EPOCH_UNIX_MILLIS: i64 = -12_219_292_800_000;
const EPOCH_UNIX_TICKS: i64 = EPOCH_UNIX_MILLIS * 10_000;
const TICKS_PER_MICRO: i64 = 10;
const TICKS_PER_MILLI: i64 = 10_000;

/// The least last half in signed-byte order.
const LEAST_LOW_HALF: u64 = 0x8080_8080_8080_8080;
/// The greatest last half in signed-byte order.
const GREATEST_LOW_HALF: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The time UUID with this count of ticks since 1582 and this last half.
#[must_use]
pub fn from_ticks(ticks: i64, clock_seq_and_node: u64) -> Uuid {
    let ticks = ticks.cast_unsigned();
    let high = (ticks << 32) | ((ticks & 0xFFFF_0000_0000) >> 16) | (ticks >> 48) | 0x1000;
    Uuid::from_u64_pair(high, clock_seq_and_node)
}

/// The time UUID of a wall-clock time in microseconds since 1970.
#[must_use]
pub fn from_unix_micros(micros: i64, clock_seq_and_node: u64) -> Uuid {
    let ticks = micros
        .wrapping_mul(TICKS_PER_MICRO)
        .wrapping_sub(EPOCH_UNIX_TICKS);
    from_ticks(ticks, clock_seq_and_node)
}

/// The least time UUID of a millisecond since 1970 (CQL's `minTimeuuid`).
///
/// It is a bound for comparisons, not an identifier: many callers get the same one.
#[must_use]
pub fn least_at_unix_millis(millis: i64) -> Uuid {
    from_ticks(ticks_of_millis(millis), LEAST_LOW_HALF)
}

/// The greatest time UUID of a millisecond since 1970 (CQL's `maxTimeuuid`).
#[must_use]
pub fn greatest_at_unix_millis(millis: i64) -> Uuid {
    let next = ticks_of_millis(millis.wrapping_add(1));
    from_ticks(next.wrapping_sub(1), GREATEST_LOW_HALF)
}

fn ticks_of_millis(millis: i64) -> i64 {
    millis
        .wrapping_mul(TICKS_PER_MILLI)
        .wrapping_sub(EPOCH_UNIX_TICKS)
}

/// The ticks since 1582 in a time UUID, or `None` if the UUID is of another version.
#[must_use]
pub fn ticks(uuid: &Uuid) -> Option<i64> {
    (uuid.get_version_num() == 1).then(|| ticks_unchecked(uuid))
}

/// Microseconds since 1970 of a time UUID, or `None` if the UUID is of another version.
#[must_use]
pub fn unix_micros(uuid: &Uuid) -> Option<i64> {
    ticks(uuid).map(|ticks| ticks / TICKS_PER_MICRO + EPOCH_UNIX_MILLIS * 1_000)
}

/// Milliseconds since 1970 of a time UUID, or `None` if the UUID is of another version.
///
/// Times before 1970 are cut towards zero from their microseconds, as Cassandra does.
#[must_use]
pub fn unix_millis(uuid: &Uuid) -> Option<i64> {
    unix_micros(uuid).map(|micros| micros / 1_000)
}

fn ticks_unchecked(uuid: &Uuid) -> i64 {
    let (high, _) = uuid.as_u64_pair();
    let ticks = ((high & 0x0FFF) << 48) | ((high & 0xFFFF_0000) << 16) | (high >> 32);
    ticks.cast_signed()
}

/// Compares two time UUIDs as Cassandra's `timeuuid` type does.
#[must_use]
pub fn compare(left: &Uuid, right: &Uuid) -> Ordering {
    let low_half = |uuid: &Uuid| uuid.as_u64_pair().1.to_be_bytes().map(u8::cast_signed);
    ticks_unchecked(left)
        .cmp(&ticks_unchecked(right))
        .then_with(|| low_half(left).cmp(&low_half(right)))
}

/// Turns random bits into a valid last half: variant 10, a clock sequence, and a node whose
/// multicast bit says that it is not a hardware address.
#[must_use]
pub fn clock_seq_and_node(random: u64) -> u64 {
    (random & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000 | 0x0000_0100_0000_0000
}

/// Makes time UUIDs that rise strictly, one microsecond apart at least.
#[derive(Debug)]
pub struct TimeUuidGenerator {
    clock_seq_and_node: u64,
    rising: RisingMicros,
}

impl TimeUuidGenerator {
    /// A generator whose UUIDs all end in these eight bytes; see [`clock_seq_and_node`].
    #[must_use]
    pub fn new(clock_seq_and_node: u64) -> Self {
        Self {
            clock_seq_and_node,
            rising: RisingMicros::new(),
        }
    }

    /// The next time UUID: the clock's time, or the last one plus a microsecond.
    pub fn next(&self, clock: &dyn Clock) -> Uuid {
        from_unix_micros(self.rising.next(clock), self.clock_seq_and_node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn ticks_round_trip() {
        for micros in [0, 1, 1_704_067_200_123_456, -12_219_292_799_000_000] {
            let uuid = from_unix_micros(micros, LEAST_LOW_HALF);
            assert_eq!(uuid.get_version_num(), 1);
            assert_eq!(unix_micros(&uuid), Some(micros));
        }
        assert_eq!(ticks(&Uuid::from_u128(0x4000 << 64)), None);
    }

    /// `2a92d750-d8dc-11e6-...` is an example in Cassandra's documents.
    #[test]
    fn known_uuid_has_known_time() {
        let uuid = Uuid::parse_str("2a92d750-d8dc-11e6-a2de-cf8ecd4cf053").unwrap();
        assert_eq!(ticks(&uuid), Some(0x1e6_d8dc_2a92_d750));
        assert_eq!(unix_millis(&uuid), Some(1_484_235_080_005));
    }

    #[test]
    fn bounds_enclose_every_uuid_of_their_millisecond() {
        let (least, greatest) = (least_at_unix_millis(5), greatest_at_unix_millis(5));
        assert_eq!(least.to_string(), "13820350-1dd2-11b2-8080-808080808080");
        assert_eq!(greatest.to_string(), "13822a5f-1dd2-11b2-7f7f-7f7f7f7f7f7f");
        for low_half in [0, 1, u64::MAX, 0x8000_0000_0000_0000, 0x7FFF_0080_FF00_807F] {
            let inside = from_unix_micros(5_999, low_half);
            assert_ne!(compare(&least, &inside), Ordering::Greater);
            assert_ne!(compare(&inside, &greatest), Ordering::Greater);
        }
        assert_eq!(compare(&greatest, &least_at_unix_millis(6)), Ordering::Less);
    }

    #[test]
    fn last_half_compares_as_signed_bytes() {
        let at = |low_half| from_unix_micros(1, low_half);
        assert_eq!(compare(&at(0x80 << 56), &at(0x7F << 56)), Ordering::Less);
        assert_eq!(compare(&at(0xFF), &at(0x00)), Ordering::Less);
        assert_eq!(
            compare(&from_unix_micros(2, 0), &at(u64::MAX >> 1)),
            Ordering::Greater
        );
    }

    #[test]
    fn generator_rises_when_the_clock_goes_back() {
        let clock = ManualClock::at_micros(1_000);
        let generator = TimeUuidGenerator::new(clock_seq_and_node(0));
        let first = generator.next(&clock);
        clock.jump_micros(-900);
        let second = generator.next(&clock);
        assert_eq!(
            (unix_micros(&first), unix_micros(&second)),
            (Some(1_000), Some(1_001))
        );
        assert_eq!(compare(&first, &second), Ordering::Less);
    }
}
