//! Totals as they change, for browsers that wait for them.
//!
//! 1. One poller reads for all listeners of an instance, each policy once, and only those that
//!    somebody listens to. While nobody listens, nothing is read.
//! 2. Listeners are few, of one address and in all; who finds no place reads the page again, as
//!    everybody does without scripts.
//! 3. Whoever does not take what is sent is let go, and so is everybody when the instance stops.

mod events;
mod listeners;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_votes::Votes;
use stoa_votes::model::PolicyId;
use tokio::sync::Notify;

pub use self::events::Events;
use self::listeners::Listeners;
use crate::error::Failure;

/// How often is read and told, and how many may listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveLimits {
    /// Between two readings.
    pub pause: Duration,
    /// Between two readings that votes of this instance ask for.
    pub least_pause: Duration,
    /// Readings without news after which something is sent all the same, so that dead connections
    /// are noticed.
    pub quiet: u32,
    /// Listeners in all.
    pub in_all: usize,
    /// Listeners of one address: people behind one router.
    pub of_address: usize,
    /// Policies of one listener.
    pub policies: usize,
}

impl Default for LiveLimits {
    fn default() -> Self {
        Self {
            pause: Duration::from_secs(2),
            least_pause: Duration::from_millis(250),
            quiet: 7,
            in_all: 1_000,
            of_address: 64,
            policies: 100,
        }
    }
}

/// When those who found no place are to come again.
const AGAIN_SECONDS: u32 = 60;

/// Everybody who listens to an instance.
#[derive(Debug, Default)]
pub struct Live {
    limits: LiveLimits,
    listeners: Mutex<Listeners>,
    /// Somebody voted here.
    voted: Notify,
}

impl Live {
    /// With limits of one's own.
    #[must_use]
    pub fn within(limits: LiveLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> LiveLimits {
        self.limits
    }

    fn with<T>(&self, work: impl FnOnce(&mut Listeners) -> T) -> T {
        work(
            &mut self
                .listeners
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Listens to policies, until what is given is dropped.
    ///
    /// # Errors
    /// That there is no place.
    pub fn listen(
        self: &Arc<Self>,
        votes: &Arc<Votes>,
        address: IpAddr,
        policies: Vec<PolicyId>,
    ) -> Result<Events, Failure> {
        let joined = self.with(|listeners| listeners.join(&self.limits, address, policies));
        let joined = joined.ok_or(Failure::Busy {
            seconds: AGAIN_SECONDS,
        })?;
        if joined.is_first {
            let (live, votes) = (Arc::clone(self), Arc::clone(votes));
            tokio::spawn(async move { live.poll(&votes).await });
        }
        Ok(Events::new(
            Arc::clone(self),
            joined.number,
            joined.receiver,
        ))
    }

    /// How many listen.
    #[must_use]
    pub fn count(&self) -> usize {
        self.with(|listeners| listeners.count())
    }

    /// Says that votes were saved here, so that nobody waits for the next reading.
    pub fn voted(&self) {
        self.voted.notify_one();
    }

    /// Lets everybody go, for good.
    pub fn end(&self) {
        self.with(Listeners::end);
        self.voted.notify_one();
    }

    fn leave(&self, number: u64) {
        self.with(|listeners| listeners.leave(number));
    }

    /// Reads and tells until nobody listens.
    async fn poll(&self, votes: &Votes) {
        let mut quiet = 0;
        loop {
            let Some(watched) = self.with(Listeners::watched) else {
                return;
            };
            let mut totals = Vec::with_capacity(watched.len());
            for policy in watched {
                match votes.tables().counts.total(policy).await {
                    Ok(total) => totals.push((policy, total.unwrap_or(0))),
                    Err(error) => {
                        tracing::warn!(%error, "live totals");
                        break;
                    }
                }
            }
            let is_news = self.with(|listeners| listeners.tell(&totals));
            quiet = if is_news { 0 } else { quiet + 1 };
            if quiet >= self.limits.quiet {
                quiet = 0;
                self.with(Listeners::beat);
            }
            tokio::time::sleep(self.limits.least_pause).await;
            let rest = self.limits.pause.saturating_sub(self.limits.least_pause);
            // Whichever comes first.
            let _ = tokio::time::timeout(rest, self.voted.notified()).await;
        }
    }
}
