//! Which seeds a random test runs.

use std::ops::Range;

/// So many seeds, or what `STOA_SEEDS` says, from `STOA_FIRST_SEED` on.
pub(crate) fn seeds(many: u64) -> Range<u64> {
    let first = number("STOA_FIRST_SEED", 0);
    first..first + number("STOA_SEEDS", many)
}

/// A number from the environment.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}
