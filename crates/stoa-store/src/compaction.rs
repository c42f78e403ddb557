//! What a compaction may forget: the rule the key-value store asks for every pair it rewrites.
//!
//! A packed row holds no more than what is needed of it, so a compaction may drop what is past its
//! grace and remove a row of which nothing is left. It sees one pair at a time, so it never drops
//! what shadows other keys: deletions of partitions and ranges, and rows with spilled parts, are
//! the janitor's.
//!
//! Invariants:
//! 1. Damaged or unknown pairs are kept as they are, for the reader to report.
//! 2. Nothing is forgotten while the wall clock and the monotonic clock disagree.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use stoa_types::clock::Clock;

use crate::cell::RowRef;
use crate::key::{KeyKind, split};
use crate::kv::{CompactionRule, SpaceId, Verdict};
use crate::lock::{lock, read, write};
use crate::record::Record;
use crate::row::packed;
use crate::row::purge::{has_spilled, purge};
use crate::seal::{seal, unseal};

/// How far the two clocks may drift apart before purging stops.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(300);

/// Decides when deletions may be forgotten.
#[derive(Debug)]
pub struct Purging {
    clock: Arc<dyn Clock>,
    /// Wall minus monotonic time in microseconds, as first seen.
    offset: Mutex<Option<i128>>,
    grace_seconds: RwLock<HashMap<SpaceId, i64>>,
}

impl Purging {
    /// Purging by this clock, of no space yet.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            offset: Mutex::default(),
            grace_seconds: RwLock::default(),
        }
    }

    /// The spaces whose data may be forgotten, with their grace in seconds.
    pub(crate) fn set_spaces(&self, grace_seconds: HashMap<SpaceId, i64>) {
        *write(&self.grace_seconds) = grace_seconds;
    }

    /// Takes the clock as it is now for right, after somebody has looked at it.
    pub(crate) fn trust_clock(&self) {
        *lock(&self.offset) = None;
    }

    /// What was deleted or expired before this second may be forgotten; `None` when nothing may.
    #[must_use]
    pub fn gc_before(&self, space: SpaceId) -> Option<i64> {
        let grace = *read(&self.grace_seconds).get(&space)?;
        Some(self.trusted_now()?.saturating_sub(grace))
    }

    /// The clock's second, unless the clock has jumped.
    fn trusted_now(&self) -> Option<i64> {
        let wall = self.clock.now_micros();
        let monotonic = i128::try_from(self.clock.monotonic().as_micros()).unwrap_or(i128::MAX);
        let offset = i128::from(wall) - monotonic;
        let first = *lock(&self.offset).get_or_insert(offset);
        let drift = (offset - first).unsigned_abs();
        (drift <= CLOCK_TOLERANCE.as_micros()).then(|| wall.div_euclid(1_000_000))
    }
}

impl std::panic::RefUnwindSafe for Purging {}

impl CompactionRule for Purging {
    fn judge(&self, space: SpaceId, key: &[u8], value: &[u8]) -> Verdict {
        let Some(gc_before) = self.gc_before(space) else {
            return Verdict::Keep;
        };
        let Some((_, kind)) = split(key) else {
            return Verdict::Keep;
        };
        let Ok(stored) = unseal(space, key, value) else {
            return Verdict::Keep;
        };
        let kept = match kind {
            KeyKind::Row(_) => purged_row(stored, gc_before),
            KeyKind::Record => purged_record(stored, gc_before),
            KeyKind::Range(_) | KeyKind::SpilledValue | KeyKind::SpilledElement => None,
        };
        match kept {
            None => Verdict::Keep,
            Some(bytes) if bytes.is_empty() => Verdict::Remove,
            Some(mut bytes) => {
                seal(space, key, &mut bytes);
                Verdict::Replace(bytes)
            }
        }
    }
}

/// The row without what is past its grace; empty if nothing is left, `None` if nothing changes.
fn purged_row(stored: &[u8], gc_before: i64) -> Option<Vec<u8>> {
    let row = packed::decode(stored).ok()?;
    let kept = purge_alone(&row, gc_before)?;
    let mut bytes = Vec::new();
    if !kept.is_empty() {
        packed::encode_into(&kept, &mut bytes);
    }
    Some(bytes)
}

fn purged_record(stored: &[u8], gc_before: i64) -> Option<Vec<u8>> {
    let record = Record::decode(stored).ok()?;
    if record.static_row.is_empty() {
        return None;
    }
    let static_row = purged_row(record.static_row, gc_before)?;
    let kept = Record {
        static_row: &static_row,
        ..record
    };
    Some(if kept.is_empty() {
        Vec::new()
    } else {
        kept.encode()
    })
}

fn purge_alone<'a>(row: &RowRef<'a>, gc_before: i64) -> Option<RowRef<'a>> {
    if has_spilled(row) {
        None
    } else {
        purge(row, gc_before)
    }
}

#[cfg(test)]
mod tests {
    use stoa_types::clock::ManualClock;

    use super::*;

    #[test]
    fn nothing_is_forgotten_after_the_clock_jumped() {
        let clock = Arc::new(ManualClock::at_micros(1_000_000_000_000));
        let purging = Purging::new(Arc::<ManualClock>::clone(&clock));
        let space = SpaceId(20);
        purging.set_spaces(HashMap::from([(space, 10)]));
        assert_eq!(purging.gc_before(space), Some(999_990));
        clock.advance(Duration::from_secs(3600));
        assert_eq!(purging.gc_before(space), Some(1_003_590));
        clock.jump_micros(-200_000_000);
        assert_eq!(
            purging.gc_before(space),
            Some(1_003_390),
            "small corrections are nothing"
        );
        clock.jump_micros(31_536_000_000_000);
        assert_eq!(purging.gc_before(space), None);
        purging.trust_clock();
        assert_eq!(purging.gc_before(space), Some(1_003_390 + 31_536_000));
        assert_eq!(
            purging.gc_before(SpaceId(21)),
            None,
            "an unknown space keeps everything"
        );
    }
}
