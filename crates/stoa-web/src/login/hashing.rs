//! Slots for hashing passwords. Each keeps a processor busy for some ten milliseconds, so two run at
//! once, a few wait, and the rest is told to come again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::error::Failure;

/// Hashes at once.
const SLOTS: usize = 2;
/// Those who wait for a slot, at most: about two seconds' worth.
const MOST_WAITING: usize = 64;
/// When those who found no place are to come again.
const AGAIN_SECONDS: u32 = 5;

/// The slots of an instance.
#[derive(Debug)]
pub struct Slots {
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Somebody who waits; when this goes, there is a place again.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(SLOTS)),
            waiting: AtomicUsize::new(0),
        }
    }
}

impl Slots {
    /// How many wait for a slot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// Does something that hashes, on a thread that may be busy.
    ///
    /// # Errors
    /// That too many wait already, or that the work broke.
    pub async fn run<T, W>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let place = Place(&self.waiting);
        if before >= MOST_WAITING {
            return Err(Failure::Busy {
                seconds: AGAIN_SECONDS,
            });
        }
        let slots = Arc::clone(&self.slots);
        let slot = slots.acquire_owned().await;
        let slot = slot.map_err(|_| Failure::broken("the slots for passwords are closed"))?;
        drop(place);
        let runtime = Handle::current();
        let done = tokio::task::spawn_blocking(move || {
            let done = runtime.block_on(work);
            drop(slot);
            done
        });
        done.await
            .map_err(|broken| Failure::broken(&broken.to_string()))
    }
}
