//! When a mail is tried: who may, how long to wait after a failure, and when to give up.

/// For how long whoever claimed a mail has it alone. Longer than any delivery takes.
pub const CLAIM_MICROS: i64 = 600_000_000;
/// How often a mail is tried. With the pauses between, that is four days.
pub const MOST_ATTEMPTS: i32 = 12;
/// How long to wait when the server takes no mail at all.
pub const CLOSED_MICROS: i64 = 60_000_000;

const MINUTE_MICROS: i64 = 60_000_000;
const MOST_PAUSE_MICROS: i64 = 12 * 60 * MINUTE_MICROS;

/// What to do with a mail now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Nothing: somebody has it, or it is too early to try again.
    Wait,
    /// Claim it and send it.
    Send,
    /// It was tried too often. Those who tried last may have died of it.
    GiveUp,
}

/// What to do with a mail that was tried so often and may be tried again from then on.
#[must_use]
pub fn turn(attempts: i32, due_micros: i64, now_micros: i64) -> Turn {
    match (due_micros <= now_micros, attempts < MOST_ATTEMPTS) {
        (false, _) => Turn::Wait,
        (true, true) => Turn::Send,
        (true, false) => Turn::GiveUp,
    }
}

/// How long to wait after so many attempts: a minute at first, then four times as long each time,
/// up to half a day.
#[must_use]
pub fn pause_micros(attempts: i32) -> i64 {
    let times = u32::try_from(attempts.clamp(1, 10) - 1).unwrap_or(0);
    (MINUTE_MICROS * 4_i64.pow(times)).min(MOST_PAUSE_MICROS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_all_of_them_fit_into_the_life_of_a_mail() {
        assert_eq!(pause_micros(1), MINUTE_MICROS);
        assert_eq!(pause_micros(2), 4 * MINUTE_MICROS);
        assert_eq!(pause_micros(i32::MAX), MOST_PAUSE_MICROS);
        assert_eq!(pause_micros(i32::MIN), MINUTE_MICROS);
        let all: i64 = (1..MOST_ATTEMPTS).map(pause_micros).sum();
        assert!(all < 6 * 24 * 60 * MINUTE_MICROS, "{all}");
    }

    #[test]
    fn a_mail_waits_is_sent_or_given_up() {
        assert_eq!(turn(0, 5, 4), Turn::Wait);
        assert_eq!(turn(0, 5, 5), Turn::Send);
        assert_eq!(turn(MOST_ATTEMPTS, 5, 4), Turn::Wait);
        assert_eq!(turn(MOST_ATTEMPTS, 5, 5), Turn::GiveUp);
    }
}
