//! Policy voting: a domain where no vote is lost and none is spent twice.
//!
//! One authority decides: the chain of each user, advanced by one conditional batch. Everything
//! else is derived from chains, can be derived again by anyone at any time, and is always summed
//! anew, never added to. The rules that this rests on have names ([`rules::named`]); each stands in
//! one place that bears its name, and the simulation shows that none can be left out.
//!
//! | Module | What |
//! |---|---|
//! | [`model`] | the nouns: plain values |
//! | [`rules`] | pure functions: what a chain amounts to, what may be done, what it costs |
//! | [`tables`] | one file for each table: statements and rows |
//! | [`ops`] | one action for each file: submit, sync, merge, release; register, sign in, leave |
//! | [`tasks`] | one background task for each file; all may run any number of times, anywhere |
//!
//! It talks to a [`Session`](stoa_session::Session) alone, so it runs on the embedded engine and
//! on a cluster, and takes its clock and its identifiers as arguments.
#![forbid(unsafe_code)]

pub mod model;
pub mod ops;
pub mod rules;
pub mod tables;
pub mod tasks;
mod votes;

pub use votes::{Settings, Votes};
