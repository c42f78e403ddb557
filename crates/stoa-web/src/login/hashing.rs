//! Slots for hashing passwords. Each keeps a processor busy for some ten milliseconds, so two run at
//! once, a few wait, and the rest is told to come again.
//!
//! One address has so many places and no more: whoever sends passwords from one place in masses
//! leaves room for those who come from elsewhere.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::error::Failure;

/// Hashes at once.
const SLOTS: usize = 2;
/// Those who have a place, at most: about two seconds' worth.
const MOST_PLACES: usize = 64;
/// Places of one address: enough for a school behind one router, a quarter of all.
const MOST_OF_ADDRESS: usize = 16;
/// When those who found no place are to come again.
const AGAIN_SECONDS: u32 = 5;

/// The slots of an instance.
#[derive(Debug)]
pub struct Slots {
    slots: Arc<Semaphore>,
    places: Arc<Mutex<Places>>,
}

#[derive(Debug, Default)]
struct Places {
    taken: usize,
    of: HashMap<String, usize>,
}

/// A place of an address, until the work is done or given up.
struct Place {
    places: Arc<Mutex<Places>>,
    address: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.taken = places.taken.saturating_sub(1);
        let left = places.of.get_mut(&self.address).map(|taken| {
            *taken = taken.saturating_sub(1);
            *taken
        });
        if left == Some(0) {
            places.of.remove(&self.address);
        }
    }
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(SLOTS)),
            places: Arc::default(),
        }
    }
}

impl Slots {
    /// How many wait for a slot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let at_work = SLOTS.saturating_sub(self.slots.available_permits());
        places.taken.saturating_sub(at_work)
    }

    /// Does something that hashes for whoever is at an address, on a thread that may be busy.
    ///
    /// # Errors
    /// That all places are taken, or those of the address, or that the work broke.
    pub async fn run<T, W>(&self, address: &str, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let place = self.place(address)?;
        let slots = Arc::clone(&self.slots);
        let slot = slots.acquire_owned().await;
        let slot = slot.map_err(|_| Failure::broken("the slots for passwords are closed"))?;
        let runtime = Handle::current();
        let done = tokio::task::spawn_blocking(move || {
            let done = runtime.block_on(work);
            drop((slot, place));
            done
        });
        done.await
            .map_err(|broken| Failure::broken(&broken.to_string()))
    }

    fn place(&self, address: &str) -> Result<Place, Failure> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let own = places.of.get(address).copied().unwrap_or(0);
        if places.taken >= MOST_PLACES || own >= MOST_OF_ADDRESS {
            return Err(Failure::Busy {
                seconds: AGAIN_SECONDS,
            });
        }
        places.taken += 1;
        *places.of.entry(address.to_owned()).or_insert(0) += 1;
        Ok(Place {
            places: Arc::clone(&self.places),
            address: address.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_places_to_others_and_gives_its_own_back() {
        let slots = Slots::default();
        let take = |address: &str| slots.place(address);
        let mut of_one: Vec<Place> = (0..MOST_OF_ADDRESS).map(|_| take("one").unwrap()).collect();
        assert!(take("one").is_err());
        let _other = take("other").unwrap();
        of_one.pop();
        let _again = take("one").unwrap();
        drop(of_one);
        assert_eq!(slots.places.lock().unwrap().taken, 2);
    }

    #[test]
    fn all_places_together_have_an_end_and_nothing_is_kept_of_who_went() {
        let slots = Slots::default();
        let taken: Vec<Place> = (0..MOST_PLACES)
            .map(|each| slots.place(&each.to_string()).unwrap())
            .collect();
        assert!(slots.place("one more").is_err());
        drop(taken);
        let places = slots.places.lock().unwrap();
        assert_eq!((places.taken, places.of.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_place_is_given_back_where_the_work_breaks() {
        let slots = Slots::default();
        let broken = slots.run("one", async { panic!("broken") });
        let broken: Result<(), Failure> = broken.await;
        assert_eq!(broken.unwrap_err().status(), 500);
        assert_eq!(slots.run("one", async { 3 }).await, Ok(3));
        assert_eq!(slots.places.lock().unwrap().taken, 0);
    }
}
