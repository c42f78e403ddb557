//! Slots for hashing passwords. Each keeps a processor busy for some ten milliseconds, so two run at
//! once, a few wait, and the rest is told to come again.
//!
//! Invariants:
//! 1. Addresses take turns: whoever comes from elsewhere waits for one of each other address, and not
//!    for all that one address sends.
//! 2. Where all places are taken, whoever comes from an address that has fewer than another gets the
//!    last one of that. So nobody is turned away for those who come in masses from one address.
//! 3. A slot and a place are given back however the wait or the work ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::error::Failure;

/// Hashes at once.
const SLOTS: usize = 2;
/// Those who wait for a slot, at most: about two seconds' worth.
const MOST_WAITING: usize = 64;
/// When those who found no place are to come again.
const AGAIN_SECONDS: u32 = 5;

/// The slots of an instance.
#[derive(Debug, Default)]
pub struct Slots(Arc<Mutex<Line>>);

/// Who works and who waits.
#[derive(Debug, Default)]
struct Line {
    at_work: usize,
    waiting: usize,
    /// Those who wait, by their address, each in the order they came.
    of: HashMap<String, VecDeque<Waiter>>,
    /// The addresses of those who wait, the next one first.
    turns: VecDeque<String>,
    /// How many ever waited.
    came: u64,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    called: oneshot::Sender<Slot>,
}

/// The right to hash; when it goes, the next one is called.
#[derive(Debug)]
struct Slot(Arc<Mutex<Line>>);

/// A place in the line; when it goes, nobody calls for it any more.
struct Place {
    line: Arc<Mutex<Line>>,
    address: String,
    number: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let next = {
            let mut line = held(&self.0);
            let next = line.next();
            line.at_work -= usize::from(next.is_none());
            next
        };
        if let Some(waiter) = next {
            // Should nobody wait there any more, the slot comes back and goes to the next one.
            let _ = waiter.called.send(Self(Arc::clone(&self.0)));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        held(&self.line).leave(&self.address, self.number);
    }
}

impl Line {
    /// A place for somebody of an address, if there is one; whoever loses it is told by its channel.
    fn join(&mut self, address: &str, called: oneshot::Sender<Slot>) -> Option<u64> {
        let own = self.of.get(address).map_or(0, VecDeque::len);
        if self.waiting >= MOST_WAITING {
            let most = self.of.iter().max_by_key(|(_, waiting)| waiting.len());
            let most = most.filter(|(_, waiting)| waiting.len() > own + 1);
            let (from, last) = most.map(|(from, waiting)| (from.clone(), waiting.back()))?;
            let last = last?.number;
            self.leave(&from, last);
        }
        self.came += 1;
        let number = self.came;
        let waiting = self.of.entry(address.to_owned()).or_default();
        if waiting.is_empty() {
            self.turns.push_back(address.to_owned());
        }
        waiting.push_back(Waiter { number, called });
        self.waiting += 1;
        Some(number)
    }

    fn leave(&mut self, address: &str, number: u64) {
        let Some(waiting) = self.of.get_mut(address) else {
            return;
        };
        let before = waiting.len();
        waiting.retain(|it| it.number != number);
        self.waiting -= before - waiting.len();
        if waiting.is_empty() {
            self.of.remove(address);
            self.turns.retain(|it| it != address);
        }
    }

    /// The first of the address whose turn it is.
    fn next(&mut self) -> Option<Waiter> {
        let address = self.turns.pop_front()?;
        let waiting = self.of.get_mut(&address)?;
        let first = waiting.pop_front()?;
        self.waiting -= 1;
        match waiting.is_empty() {
            true => drop(self.of.remove(&address)),
            false => self.turns.push_back(address),
        }
        Some(first)
    }
}

fn held(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slots {
    /// How many wait for a slot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        held(&self.0).waiting
    }

    /// Does something that hashes for somebody at an address, on a thread that may be busy.
    ///
    /// # Errors
    /// That too many wait already, or that the work broke.
    pub async fn run<T, W>(&self, address: &str, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let slot = self.slot(address).await.ok_or(Failure::Busy {
            seconds: AGAIN_SECONDS,
        })?;
        let runtime = Handle::current();
        let done = tokio::task::spawn_blocking(move || {
            let done = runtime.block_on(work);
            drop(slot);
            done
        });
        done.await
            .map_err(|broken| Failure::broken(&broken.to_string()))
    }

    /// A slot, as soon as it is one's turn; none, if there is no place to wait or it was lost.
    async fn slot(&self, address: &str) -> Option<Slot> {
        let (called, calling) = oneshot::channel();
        let number = {
            let mut line = held(&self.0);
            if line.at_work < SLOTS {
                line.at_work += 1;
                return Some(Slot(Arc::clone(&self.0)));
            }
            line.join(address, called)?
        };
        let _place = Place {
            line: Arc::clone(&self.0),
            address: address.to_owned(),
            number,
        };
        calling.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Takes all slots, and lets somebody wait for each address; who is called when is in the answer.
    async fn called(slots: &Slots, addresses: &[&str]) -> Vec<String> {
        let mut at_work = vec![slots.slot("").await.unwrap(), slots.slot("").await.unwrap()];
        let mut waiting: Vec<_> = addresses
            .iter()
            .map(|address| (*address, Box::pin(slots.slot(address))))
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        let mut order = Vec::new();
        for _ in 0..=addresses.len() {
            let mut left = Vec::new();
            let mut next = Vec::new();
            for (address, mut it) in waiting {
                match it.as_mut().poll(&mut context) {
                    Poll::Ready(Some(slot)) => {
                        order.push(address.to_owned());
                        next.push(slot);
                    }
                    Poll::Ready(None) => order.push(format!("not {address}")),
                    Poll::Pending => left.push((address, it)),
                }
            }
            waiting = left;
            at_work.extend(next);
            at_work.pop();
        }
        assert!(waiting.is_empty());
        order
    }

    #[tokio::test]
    async fn addresses_take_turns() {
        let slots = Slots::default();
        let order = called(&slots, &["one", "one", "one", "two", "three", "two"]).await;
        assert_eq!(order, ["one", "two", "three", "one", "two", "one"]);
        assert_eq!((slots.waiting(), held(&slots.0).at_work), (0, 0));
    }

    #[tokio::test]
    async fn whoever_comes_from_elsewhere_finds_a_place_where_one_address_took_all() {
        let slots = Slots::default();
        let mut addresses = vec!["one"; MOST_WAITING + 3];
        addresses.extend(["two", "two"]);
        let order = called(&slots, &addresses).await;
        let of = |who: &str| order.iter().filter(|it| *it == who).count();
        assert_eq!((of("two"), of("one")), (2, MOST_WAITING - 2));
        assert_eq!(of("not one"), 5);
        assert_eq!(
            order.iter().rev().take(2).filter(|it| *it == "two").count(),
            0
        );
    }

    #[tokio::test]
    async fn all_places_together_have_an_end() {
        let slots = Slots::default();
        let addresses: Vec<String> = (0..=MOST_WAITING).map(|it| it.to_string()).collect();
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let order = called(&slots, &addresses).await;
        let last = format!("not {MOST_WAITING}");
        assert_eq!(order.iter().filter(|it| it.starts_with("not")).count(), 1);
        assert!(order.contains(&last), "{order:?}");
    }

    #[tokio::test]
    async fn whoever_waits_no_more_and_whatever_breaks_keeps_nothing() {
        let slots = Slots::default();
        let at_work = [slots.slot("").await.unwrap(), slots.slot("").await.unwrap()];
        let mut context = Context::from_waker(Waker::noop());
        {
            let (mut gone, mut called) = (pin!(slots.slot("one")), pin!(slots.slot("two")));
            assert!(gone.as_mut().poll(&mut context).is_pending());
            assert!(called.as_mut().poll(&mut context).is_pending());
            assert_eq!(slots.waiting(), 2);
            // Both are called, and neither comes for it.
            drop(at_work);
            assert_eq!((slots.waiting(), held(&slots.0).at_work), (0, 2));
        }
        assert_eq!(held(&slots.0).at_work, 0);
        let broken: Result<(), Failure> = slots.run("one", async { panic!("broken") }).await;
        assert_eq!(broken.unwrap_err().status(), 500);
        assert_eq!(slots.run("one", async { 3 }).await, Ok(3));
        assert_eq!(held(&slots.0).at_work, 0);
    }
}
