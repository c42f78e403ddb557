//! The language as a whole: what Cassandra accepts, printing and parsing again, and hostile texts.

#![expect(
    clippy::unwrap_used,
    reason = "test helpers fail by panicking; clippy exempts only the test functions themselves"
)]

mod conformance;
mod scripts;
