//! The thread that does a store's regular work about ten times a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(100);

/// A running keeper; it stops when dropped.
pub(crate) struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts calling `work` until it returns false.
    pub(crate) fn start(work: impl Fn() -> bool + Send + 'static) -> Self {
        let (stop, stopped) = channel::<()>();
        let run = move || {
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) && work() {}
        };
        // Without a thread the store still works; its marks then lag until it is closed.
        let thread = std::thread::Builder::new()
            .name("stoa-keeper".to_owned())
            .spawn(run)
            .ok();
        Self {
            stop: Some(stop),
            thread,
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
