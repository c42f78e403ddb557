//! Tests of the served database: by bytes of our own codec, and by a driver.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking and may say why, or why it is skipped"
)]

mod client;
mod clients;
mod conformance;
#[path = "../../../stoa-engine/tests/it/differences.rs"]
mod differences;
mod driver;
mod hostile;
mod limits;
mod protocol;
mod served;
