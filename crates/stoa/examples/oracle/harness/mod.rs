//! Random scripts on the embedded engine and on a live Cassandra, and what differs.

mod campaign;
mod engine;
mod finding;
mod sides;
pub(crate) mod tally;

pub(crate) use campaign::{Wish, run};
