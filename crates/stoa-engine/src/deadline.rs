//! One call and its deadline: until when it may be answered, and whether it may have an effect.
//!
//! A call is ready, then it may write. Who gives it up asks which of the two it is, in one step with
//! forbidding the other, so that the outcome told is right.
//!
//! ```text
//! ready ──begin_effect──► writing        past the deadline: unknown
//!   └─────give_up───────► given up       past the deadline: not applied
//! ```
//! Invariants:
//! 1. A call that was given up while it was ready never writes.
//! 2. Time is the monotonic time of the database's clock.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use stoa_store::Outcome;
use stoa_types::Clock;

use crate::failure::Failure;

const READY: u8 = 0;
const WRITING: u8 = 1;
const WRITING_IF: u8 = 2;
const GIVEN_UP: u8 = 3;

/// How many rows are read between two looks at the clock.
const ROWS_A_LOOK: u32 = 64;

/// What a call is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Something that may be declared idempotent.
    Plain,
    /// A conditional write: the same again may be answered otherwise.
    Conditional,
}

/// One call.
#[derive(Debug)]
pub(crate) struct Call {
    limit: Option<Limit>,
    stage: AtomicU8,
}

/// When a call ends at the latest.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    pub(crate) clock: Arc<dyn Clock>,
    /// In monotonic time.
    pub(crate) until: Duration,
    /// How long that was when the call began.
    longest: Duration,
}

impl Call {
    /// A call that begins now and may take so long.
    pub(crate) fn new(clock: &Arc<dyn Clock>, longest: Option<Duration>) -> Self {
        let limit = longest.map(|longest| Limit {
            clock: Arc::clone(clock),
            until: clock.monotonic().saturating_add(longest),
            longest,
        });
        Self {
            limit,
            stage: AtomicU8::new(READY),
        }
    }

    /// When it ends at the latest.
    pub(crate) fn limit(&self) -> Option<&Limit> {
        self.limit.as_ref()
    }

    /// Fails if the deadline has passed, or somebody has noticed that already. For as long as
    /// nothing is written.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Some(limit) = &self.limit else {
            return Ok(());
        };
        let is_over =
            self.stage.load(Ordering::SeqCst) == GIVEN_UP || limit.clock.monotonic() >= limit.until;
        match is_over {
            true => Err(self.give_up()),
            false => Ok(()),
        }
    }

    /// Says that from here on the call may have an effect; fails if it must not any more.
    pub(crate) fn begin_effect(&self, effect: Effect) -> Result<(), Failure> {
        self.check()?;
        let stage = match effect {
            Effect::Plain => WRITING,
            Effect::Conditional => WRITING_IF,
        };
        let begun = self
            .stage
            .compare_exchange(READY, stage, Ordering::SeqCst, Ordering::SeqCst);
        match begun {
            Err(GIVEN_UP) => Err(self.give_up()),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Gives the call up, and says what is known of its outcome.
    pub(crate) fn give_up(&self) -> Failure {
        let given_up =
            self.stage
                .compare_exchange(READY, GIVEN_UP, Ordering::SeqCst, Ordering::SeqCst);
        Failure::Late {
            longest: self.limit.as_ref().map_or(Duration::MAX, |it| it.longest),
            outcome: match given_up {
                Ok(_) | Err(GIVEN_UP) => Outcome::NotApplied,
                Err(_) => Outcome::Unknown,
            },
        }
    }

    /// Whether it has begun a conditional write.
    pub(crate) fn is_conditional(&self) -> bool {
        self.stage.load(Ordering::SeqCst) == WRITING_IF
    }
}

/// Looks at the deadline of a call now and then while it reads, or ends what takes too much.
#[derive(Debug)]
pub(crate) struct Looks<'c> {
    call: &'c Call,
    left: Cell<u32>,
    /// Whether no more rows may be read than are left.
    is_brief: bool,
}

impl<'c> Looks<'c> {
    /// `most_rows` may be read, where there is such a number.
    pub(crate) fn at(call: &'c Call, most_rows: Option<u32>) -> Self {
        Self {
            call,
            left: Cell::new(most_rows.unwrap_or(ROWS_A_LOOK)),
            is_brief: most_rows.is_some(),
        }
    }

    /// Another row is read.
    pub(crate) fn row(&self) -> Result<(), Failure> {
        match self.left.get() {
            0 if self.is_brief => Err(Failure::TooMuch),
            0 => {
                self.left.set(ROWS_A_LOOK);
                self.call.check()
            }
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stoa_types::ManualClock;

    use super::*;

    fn outcome(failure: &Failure) -> Option<Outcome> {
        match failure {
            Failure::Late { outcome, .. } => Some(*outcome),
            Failure::Refused(_) | Failure::Store(_) | Failure::TooMuch => None,
        }
    }

    fn call(clock: &Arc<ManualClock>) -> Call {
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
        Call::new(&clock, Some(Duration::from_secs(2)))
    }

    #[test]
    fn what_was_given_up_before_it_wrote_never_writes() {
        let clock = Arc::new(ManualClock::at_micros(0));
        let call = call(&clock);
        assert!(call.check().is_ok());
        assert_eq!(outcome(&call.give_up()), Some(Outcome::NotApplied));
        let refused = call.begin_effect(Effect::Plain).unwrap_err();
        assert_eq!(outcome(&refused), Some(Outcome::NotApplied));
        assert!(call.check().is_err());
    }

    #[test]
    fn what_was_given_up_while_it_wrote_is_unknown() {
        let clock = Arc::new(ManualClock::at_micros(0));
        let call = call(&clock);
        call.begin_effect(Effect::Conditional).unwrap();
        assert_eq!(outcome(&call.give_up()), Some(Outcome::Unknown));
        assert!(call.is_conditional());
    }

    #[test]
    fn past_its_deadline_a_call_does_not_begin_to_write() {
        let clock = Arc::new(ManualClock::at_micros(0));
        let call = call(&clock);
        clock.advance(Duration::from_secs(2));
        let refused = call.begin_effect(Effect::Plain).unwrap_err();
        assert_eq!(outcome(&refused), Some(Outcome::NotApplied));
    }

    #[test]
    fn the_wall_clock_does_not_matter() {
        let clock = Arc::new(ManualClock::at_micros(0));
        let call = call(&clock);
        clock.jump_micros(10_000_000);
        assert!(call.begin_effect(Effect::Plain).is_ok());
    }

    #[test]
    fn long_reads_look_at_the_clock() {
        let clock = Arc::new(ManualClock::at_micros(0));
        let call = call(&clock);
        let looks = Looks::at(&call, None);
        assert!((0..1_000).all(|_| looks.row().is_ok()));
        clock.advance(Duration::from_secs(3));
        assert!((0..=ROWS_A_LOOK).any(|_| looks.row().is_err()));
    }
}
