//! Whether an instance is well, as it knows itself; nobody is asked here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long the database may have taken nothing from the background before that is told.
const SILENCE: Duration = Duration::from_secs(120);

/// What is known.
#[derive(Debug, Default)]
pub struct Health {
    is_stopping: AtomicBool,
    /// When the background last wrote something; nothing where there is no background.
    wrote: Mutex<Option<Duration>>,
}

impl Health {
    /// The background wrote something.
    pub fn wrote(&self, now: Duration) {
        *self.wrote.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    /// The instance begins to stop: whoever shares people out sends them elsewhere.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Release);
    }

    /// What is wrong, in a few words.
    #[must_use]
    pub fn trouble(&self, now: Duration) -> Option<&'static str> {
        if self.is_stopping.load(Ordering::Acquire) {
            return Some("stopping");
        }
        let wrote = *self.wrote.lock().unwrap_or_else(PoisonError::into_inner);
        let is_silent = wrote.is_some_and(|at| now.saturating_sub(at) > SILENCE);
        is_silent.then_some("nothing is written in the background")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_and_stopping_are_told() {
        let (health, at) = (Health::default(), Duration::from_secs);
        assert_eq!(health.trouble(at(1_000)), None);
        health.wrote(at(1_000));
        assert_eq!(health.trouble(at(1_100)), None);
        assert!(health.trouble(at(1_121)).is_some());
        health.wrote(at(1_121));
        assert_eq!(health.trouble(at(1_121)), None);
        health.stop();
        assert_eq!(health.trouble(at(1_121)), Some("stopping"));
    }
}
