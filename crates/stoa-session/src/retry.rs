//! Trying again: how often, how long to wait between, and only where it is safe.
//!
//! Sessions do not retry by themselves beyond what their back end does for idempotent statements;
//! a caller that wants more uses this. Waiting is the caller's, because no library sleeps.
//!
//! Invariants:
//! 1. Only what [`Error::is_retryable`] allows is tried again.
//! 2. There are at most [`Retry::attempts`] attempts.

use std::time::Duration;

use crate::error::Error;

/// How often to try, and how long to wait between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How many attempts there are in all, the first included.
    pub attempts: u32,
    /// How long to wait before the second; doubled before each further one.
    pub first_pause: Duration,
    /// The longest wait.
    pub longest_pause: Duration,
}

impl Default for Retry {
    /// Three attempts, after 50 and 100 ms.
    fn default() -> Self {
        Self {
            attempts: 3,
            first_pause: Duration::from_millis(50),
            longest_pause: Duration::from_secs(1),
        }
    }
}

impl Retry {
    /// How long to wait before trying again after `made` attempts, the last of which failed so;
    /// `None` to give up.
    #[must_use]
    pub fn pause_after(&self, made: u32, error: &Error) -> Option<Duration> {
        if made >= self.attempts || !error.is_retryable() {
            return None;
        }
        let doublings = made.saturating_sub(1).min(31);
        let pause = self.first_pause.saturating_mul(1 << doublings);
        Some(pause.min(self.longest_pause))
    }

    /// Runs `attempt` until it succeeds or must not be repeated, waiting with `sleep`.
    ///
    /// # Errors
    /// The last attempt's.
    pub async fn run<T, A: Future<Output = Result<T, Error>>, S: Future<Output = ()>>(
        &self,
        mut attempt: impl FnMut() -> A,
        sleep: impl Fn(Duration) -> S,
    ) -> Result<T, Error> {
        let mut made = 0;
        loop {
            let error = match attempt().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            made += 1;
            match self.pause_after(made, &error) {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn millis(pause: Option<Duration>) -> Option<u128> {
        pause.map(|pause| pause.as_millis())
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_attempts_end() {
        let retry = Retry {
            attempts: 8,
            ..Retry::default()
        };
        let busy = Error::not_applied(ErrorKind::Unavailable, "");
        let pauses: Vec<_> = (1..9)
            .map(|made| millis(retry.pause_after(made, &busy)))
            .collect();
        assert_eq!(
            pauses,
            [
                Some(50),
                Some(100),
                Some(200),
                Some(400),
                Some(800),
                Some(1000),
                Some(1000),
                None
            ]
        );
    }

    #[test]
    fn an_unknown_outcome_ends_the_attempts() {
        let lost = Error::unknown(ErrorKind::Timeout, "");
        assert_eq!(Retry::default().pause_after(1, &lost), None);
        let harmless = lost.of_idempotent(true);
        assert_eq!(millis(Retry::default().pause_after(1, &harmless)), Some(50));
    }
}
