//! Tests of the served database: by bytes of our own codec, and by a driver.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking and may say why"
)]

mod client;
mod conformance;
#[path = "../../../stoa-engine/tests/it/differences.rs"]
mod differences;
mod driver;
mod limits;
mod protocol;
mod served;
