//! How many connections each address has. This machine has as many as it likes: a proxy on it stands
//! for everybody.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::login::limits::whose;

/// The connections of each address.
#[derive(Debug, Default)]
pub(super) struct Seats(Mutex<HashMap<String, usize>>);

/// A connection; when this goes, it is over.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    whose: Option<String>,
}

impl Seats {
    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, usize>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One more connection of an address, if it may have one more.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Seat> {
        let seats = Arc::clone(self);
        if address.to_canonical().is_loopback() {
            return Some(Seat { seats, whose: None });
        }
        let whose = whose(address);
        let is_free = self.with(|all| {
            let taken = all.entry(whose.clone()).or_default();
            let is_free = *taken < most;
            *taken += usize::from(is_free);
            is_free
        });
        // Made only if it is free: one that is dropped gives a place back.
        is_free.then(|| Seat {
            seats,
            whose: Some(whose),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(whose) = self.whose.take() else {
            return;
        };
        self.seats.with(|all| {
            if let Some(taken) = all.get_mut(&whose) {
                *taken -= 1;
                if *taken == 0 {
                    all.remove(&whose);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_so_many_and_this_machine_any_number() {
        let seats = Arc::new(Seats::default());
        let take = |address: &str| seats.take(address.parse().unwrap(), 2);
        let one = take("192.0.2.1").unwrap();
        let _two = take("192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_none());
        assert!(take("192.0.2.2").is_some());
        drop(one);
        assert!(take("192.0.2.1").is_some());
        let many: Vec<Seat> = (0..9).filter_map(|_| take("127.0.0.1")).collect();
        assert_eq!(many.len(), 9);
        assert_eq!(seats.with(|all| all.len()), 1);
    }
}
