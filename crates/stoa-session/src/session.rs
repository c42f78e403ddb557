//! The `Session` trait: what every CQL back end can do.
//!
//! The trait is small, and its values are bytes: whoever implements it neither knows nor converts
//! the types of programs. Programs use it through [`Shortcuts`](crate::Shortcuts), which every
//! session has.
//!
//! Invariants for whoever implements it:
//! 1. Every call ends within its deadline, with an answer or an error.
//! 2. A dropped future leaves nothing locked. What it asked for may still happen.
//! 3. Nothing that is not idempotent is executed twice.
//! 4. A session may be used from many threads at once.

use std::fmt;
use std::pin::Pin;

use crate::answer::{Answer, PagingState};
use crate::error::Error;
use crate::statement::{Batch, Bound, Prepared, Statement};

/// An answer to come.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A CQL back end that statements can be sent to.
pub trait Session: Send + Sync + fmt::Debug {
    /// Makes a statement ready to be executed often. Asking again for the same text is cheap.
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared>;

    /// Executes a prepared statement and answers its first page, or the page that begins `at`.
    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer>;

    /// Executes several writes as one.
    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer>;

    /// Executes a statement without variables that is not worth preparing: schema, `USE`, what a
    /// person typed. Answers its first page, or the page that begins `at`.
    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer>;
}
