//! Checkers of concurrent histories: what clients saw, against what a correct database could
//! have shown them.
//!
//! - [`register`]: each key behaves as one register with reads, writes and compare-and-set.
//! - [`batches`]: batches are seen whole, by all in one order.
//! - [`durability`]: after a crash the database is a prefix of its commits that holds all
//!   that was acknowledged or seen.
//!
//! The first two use one search for a possible order, [`order`].

pub mod batches;
pub mod durability;
pub mod order;
pub mod register;
