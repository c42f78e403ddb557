//! Properties of values: bytes round trip, sort as Cassandra's comparators say, and never panic.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test helpers fail by panicking; clippy exempts only the test functions themselves"
)]

mod key_order;
mod random_bytes;
mod samples;
mod value_texts;
