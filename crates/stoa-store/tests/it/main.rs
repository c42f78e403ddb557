//! Tests of the store through its public face.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking and may say why"
)]

mod at_once;
mod concurrency;
mod damage;
mod derived_rows;
mod differential;
mod faults;
mod long_keys;
mod subject;
