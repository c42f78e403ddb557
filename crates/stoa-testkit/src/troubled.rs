//! A session that fails at one chosen call: what happens to a program when it dies there, when it
//! is not told the outcome, or when what it sent is executed twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stoa_session::{
    Answer, Batch, Bound, Error, ErrorKind, PagingState, Prepared, Reply, Session, Statement,
};

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is not executed, and nothing after it either.
    DiesBefore,
    /// It is executed, and nothing after it.
    DiesAfter,
    /// It is not executed, and the program is not told.
    LostBefore,
    /// It is executed, and the program is not told.
    LostAfter,
    /// It is executed twice; the second answer is given.
    Twice,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::DiesBefore,
        Self::DiesAfter,
        Self::LostBefore,
        Self::LostAfter,
        Self::Twice,
    ];
}

/// A session with trouble at one call. Preparing does not count.
#[derive(Debug)]
pub struct Troubled {
    inner: Arc<dyn Session>,
    trouble: Option<(u64, Trouble)>,
    calls: AtomicU64,
}

impl Troubled {
    /// A session without trouble, which counts its calls.
    #[must_use]
    pub fn counting(inner: Arc<dyn Session>) -> Self {
        Self {
            inner,
            trouble: None,
            calls: AtomicU64::new(0),
        }
    }

    /// A session with trouble at a call, counted from 0.
    #[must_use]
    pub fn new(inner: Arc<dyn Session>, call: u64, trouble: Trouble) -> Self {
        Self {
            trouble: Some((call, trouble)),
            ..Self::counting(inner)
        }
    }

    /// How many calls there were.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn call<'a>(&'a self, execute: impl Fn() -> Reply<'a, Answer>) -> Result<Answer, Error> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let lost = || Err(Error::unknown(ErrorKind::Timeout, "the answer was lost"));
        let Some((at, trouble)) = self.trouble else {
            return execute().await;
        };
        let is_dead = matches!(trouble, Trouble::DiesBefore | Trouble::DiesAfter);
        if call != at {
            return match call > at && is_dead {
                true => lost(),
                false => execute().await,
            };
        }
        match trouble {
            Trouble::DiesBefore | Trouble::LostBefore => lost(),
            Trouble::DiesAfter | Trouble::LostAfter => {
                let _ = execute().await;
                lost()
            }
            Trouble::Twice => {
                let _ = execute().await;
                execute().await
            }
        }
    }
}

impl Session for Troubled {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        self.inner.prepare(text)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(self.call(move || self.inner.execute(bound, at)))
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(self.call(move || self.inner.batch(batch)))
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        self.inner.run(statement, at)
    }
}
