//! When a shard of a task is due: a pure function of its period and its last run.
//!
//! The owner of a shard waits for one period after the last run, its deputy for two, and so on. A
//! run of anyone starts the waiting of all anew. So together they run a shard about once in a
//! period, however many they are; and when the owner does not do it, the deputy does.
//!
//! A task with a condition, such as "every minute once a day is over", is a task with a short
//! period that looks for itself whether there is something to do.
//!
//! Invariants:
//! 1. The owner waits for a period, or for a retry, and at most a tenth more. A last run that lies in
//!    the future, because some clock is wrong, costs at most as much again.
//! 2. Nothing here is random: the same arguments give the same moment.

use std::time::Duration;

use uuid::Uuid;

use crate::rendezvous::hash;

/// The shortest period; shorter ones are taken for it.
pub const SHORTEST: Duration = Duration::from_secs(1);

/// When something that never ran is due at the latest after the start, and how long the first retry
/// of something that failed is put off. Both are earlier where the period is shorter.
pub const SOON: Duration = Duration::from_secs(60);

/// How long a retry is put off at most, unless the period is longer.
pub const LONGEST_RETRY: Duration = Duration::from_secs(900);

/// Who asks, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Seat<'a> {
    /// The name of the task.
    pub task: &'a str,
    /// Its shard.
    pub shard: u32,
    /// Who asks.
    pub instance: Uuid,
    /// How many instances come before it.
    pub rank: u32,
}

/// What is known of the last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last {
    /// The number of the run.
    pub number: i64,
    /// When it began.
    pub began_micros: i64,
    /// How long it took.
    pub took: Duration,
    /// How many runs in a row failed, this one included.
    pub failures: u32,
}

/// When a shard is due that ran last as told, or was never seen to run since the start of whoever
/// asks.
#[must_use]
pub fn due_at_micros(
    period: Duration,
    seat: &Seat<'_>,
    last: Option<&Last>,
    started_micros: i64,
    now_micros: i64,
) -> i64 {
    let Some(last) = last else {
        let soon = micros(period.clamp(SHORTEST, SOON));
        let turns = soon.saturating_mul(i64::from(seat.rank));
        let wait = turns.saturating_add(part_of(soon, chance(seat, 0)));
        return started_micros.saturating_add(wait);
    };
    let wait = wait_micros(period, last.failures);
    // A run of the future was told by a wrong clock. Nobody waits for that moment.
    if last.began_micros.saturating_sub(now_micros) > wait {
        return now_micros;
    }
    // A run that takes long is not yet told, so a deputy also waits as long as the last one took.
    let turn = wait.saturating_add(micros(last.took));
    let turns = turn.saturating_mul(i64::from(seat.rank));
    let number = last.number.cast_unsigned();
    let jitter = part_of(wait / 5, chance(seat, number)) - wait / 10;
    last.began_micros
        .saturating_add(wait)
        .saturating_add(turns)
        .saturating_add(jitter)
}

/// How long after a run the next one begins: a period, or after failures a time that doubles.
fn wait_micros(period: Duration, failures: u32) -> i64 {
    let period = period.max(SHORTEST);
    let Some(doublings) = failures.checked_sub(1) else {
        return micros(period);
    };
    let first = period.min(SOON);
    let doubled = first.saturating_mul(2_u32.saturating_pow(doublings.min(31)));
    micros(doubled.min(period.max(LONGEST_RETRY)))
}

fn chance(seat: &Seat<'_>, number: u64) -> u64 {
    // The salt 0 is that of the weights, which must not decide both who runs and when.
    let salt = number.wrapping_add(1).max(1);
    hash(seat.task, seat.shard, seat.instance, salt)
}

/// A part of a whole, from nothing to nearly all, by a number that looks random.
fn part_of(whole: i64, chance: u64) -> i64 {
    let whole = u128::from(whole.max(0).cast_unsigned());
    i64::try_from((whole * u128::from(chance)) >> 64).unwrap_or(0)
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
