//! Work that may panic, kept from taking more with it than itself: whoever asked gets a page, and
//! the connection lives.
//!
//! No library panics on any input; this is for the one who is wrong about that.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// That work broke, and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked(pub String);

/// Does work to its end, or until it panics. What it owned is dropped; what it shares must bear being
/// left in the middle, as our locks do, which are never held across a call that can fail.
///
/// # Errors
/// What the panic said.
pub async fn unbroken<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = pin!(work);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(Panicked(said(&*panic)))),
        },
    )
    .await
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic that said nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn work(breaks: bool) -> u8 {
        tokio::task::yield_now().await;
        if breaks {
            panic!("no {}", 7);
        }
        3
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_and_what_is_well_goes_through() {
        assert_eq!(unbroken(work(false)).await, Ok(3));
        assert_eq!(unbroken(work(true)).await, Err(Panicked("no 7".to_owned())));
    }
}
