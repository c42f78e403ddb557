//! An answer that a client waits for.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use stoa_session::{Answer, Error};

/// The place of an answer to come.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    slot: Mutex<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    answer: Option<Result<Answer, Error>>,
    is_settled: bool,
    waker: Option<Waker>,
}

impl Ticket {
    /// Gives the answer, unless there was one before; says whether it did.
    pub(crate) fn settle(&self, answer: Result<Answer, Error>) -> bool {
        let waker = {
            let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
            if slot.is_settled {
                return false;
            }
            slot.is_settled = true;
            slot.answer = Some(answer);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Whether the client has its answer.
    pub(crate) fn is_settled(&self) -> bool {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.is_settled
    }
}

/// Waits for the answer.
pub(crate) struct Waiting(pub(crate) Arc<Ticket>);

impl Future for Waiting {
    type Output = Result<Answer, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = self.0.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
