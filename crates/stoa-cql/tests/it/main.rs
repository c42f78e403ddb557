//! The language as a whole: what Cassandra accepts, printing and parsing again, and hostile texts.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test helpers fail by panicking; clippy exempts only the test functions themselves"
)]

mod choices;
mod conformance;
mod hostile;
mod places;
mod printing;
mod scripts;
mod trees;
