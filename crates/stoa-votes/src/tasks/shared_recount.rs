//! Recounts that many wait for: of a policy there is one at a time, and one for all who came while
//! another ran. So a policy that everybody votes for is not summed once for each of them.
//!
//! A recount tells of what was written before it began to read. So nobody is content with one that
//! was under way when they came: they wait for the next, which the first of them makes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::PolicyId;

/// The recounts that somebody waits for.
#[derive(Debug, Default)]
pub(crate) struct SharedRecounts {
    turns: Mutex<BTreeMap<PolicyId, Arc<Turn>>>,
}

/// Those of one policy.
#[derive(Debug, Default)]
struct Turn {
    /// How many began.
    begun: AtomicU64,
    /// The number of the last one that ended well. Whoever holds it recounts.
    ended: tokio::sync::Mutex<u64>,
}

impl SharedRecounts {
    /// Returns once a recount ended well that began after this was called: one of somebody else, or
    /// this one. Whoever is dropped while recounting leaves it to the next.
    pub(crate) async fn begun_from_now<E>(
        &self,
        policy: PolicyId,
        recount: impl AsyncFnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let place = Place::taken(self, policy);
        let turn = &place.turn;
        let begun = turn.begun.load(Ordering::SeqCst);
        let mut ended = turn.ended.lock().await;
        if *ended > begun {
            return Ok(());
        }
        let number = turn.begun.fetch_add(1, Ordering::SeqCst) + 1;
        recount().await?;
        *ended = number;
        Ok(())
    }

    fn turns(&self) -> MutexGuard<'_, BTreeMap<PolicyId, Arc<Turn>>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits for a policy. The last one to go leaves nothing behind.
struct Place<'a> {
    all: &'a SharedRecounts,
    policy: PolicyId,
    turn: Arc<Turn>,
}

impl<'a> Place<'a> {
    fn taken(all: &'a SharedRecounts, policy: PolicyId) -> Self {
        let turn = Arc::clone(all.turns().entry(policy).or_default());
        Self { all, policy, turn }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut turns = self.all.turns();
        // That of the map, and this one: turns are taken under the same lock.
        if Arc::strong_count(&self.turn) == 2 {
            turns.remove(&self.policy);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::*;

    const POLICY: PolicyId = PolicyId(Uuid::nil());

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    /// Recounts that are finished from outside, in the order in which they began.
    #[derive(Default)]
    struct Counted {
        begun: Cell<usize>,
        open: RefCell<Vec<oneshot::Sender<Result<(), ()>>>>,
    }

    impl Counted {
        async fn recount(&self) -> Result<(), ()> {
            let (sender, receiver) = oneshot::channel();
            self.begun.set(self.begun.get() + 1);
            self.open.borrow_mut().push(sender);
            receiver.await.unwrap_or(Err(()))
        }

        fn end(&self, how: Result<(), ()>) {
            let first = self.open.borrow_mut().remove(0);
            let _ = first.send(how);
        }
    }

    #[test]
    fn whoever_comes_while_one_runs_shares_the_next() {
        let (shared, counted) = (SharedRecounts::default(), Counted::default());
        let ask = || shared.begun_from_now(POLICY, || counted.recount());
        let (mut first, mut second, mut third) = (pin!(ask()), pin!(ask()), pin!(ask()));
        assert!(poll(first.as_mut()).is_pending());
        assert!(poll(second.as_mut()).is_pending());
        assert!(poll(third.as_mut()).is_pending());
        assert_eq!(counted.begun.get(), 1);
        counted.end(Ok(()));
        assert_eq!(poll(first.as_mut()), Poll::Ready(Ok(())));
        // The first one read before the others came: it does not tell of what they wrote.
        assert!(poll(second.as_mut()).is_pending());
        assert!(poll(third.as_mut()).is_pending());
        assert_eq!(counted.begun.get(), 2);
        counted.end(Ok(()));
        assert_eq!(poll(second.as_mut()), Poll::Ready(Ok(())));
        assert_eq!(poll(third.as_mut()), Poll::Ready(Ok(())));
        assert_eq!(counted.begun.get(), 2);
    }

    #[test]
    fn a_recount_that_fails_or_is_dropped_is_made_by_the_next_one() {
        let (shared, counted) = (SharedRecounts::default(), Counted::default());
        let ask = || shared.begun_from_now(POLICY, || counted.recount());
        let (mut failing, mut next) = (pin!(ask()), pin!(ask()));
        assert!(poll(failing.as_mut()).is_pending());
        assert!(poll(next.as_mut()).is_pending());
        counted.end(Err(()));
        assert_eq!(poll(failing.as_mut()), Poll::Ready(Err(())));
        {
            let mut dropped = Box::pin(ask());
            let mut waiting = Box::pin(ask());
            assert!(poll(next.as_mut()).is_pending());
            assert!(poll(dropped.as_mut()).is_pending());
            assert!(poll(waiting.as_mut()).is_pending());
            counted.end(Ok(()));
            assert_eq!(poll(next.as_mut()), Poll::Ready(Ok(())));
            assert!(poll(dropped.as_mut()).is_pending());
            drop(dropped);
            assert!(poll(waiting.as_mut()).is_pending());
            assert_eq!(counted.begun.get(), 4, "the one who waited did not begin");
        }
    }

    #[test]
    fn nothing_is_left_behind() {
        let (shared, counted) = (SharedRecounts::default(), Counted::default());
        let mut first = Box::pin(shared.begun_from_now(POLICY, || counted.recount()));
        let mut dropped = Box::pin(shared.begun_from_now(POLICY, || counted.recount()));
        assert!(poll(first.as_mut()).is_pending());
        assert!(poll(dropped.as_mut()).is_pending());
        assert_eq!(shared.turns().len(), 1);
        drop(dropped);
        assert_eq!(shared.turns().len(), 1);
        counted.end(Ok(()));
        assert_eq!(poll(first.as_mut()), Poll::Ready(Ok(())));
        drop(first);
        assert!(shared.turns().is_empty());
    }
}
