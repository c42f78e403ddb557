//! Tests of the embedded database through its session.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking and may say why"
)]

mod conformance;
mod deadlines;
mod derived;
mod differences;
mod fuzz;
mod histories;
mod reopening;
mod schema_races;
mod schema_scripts;
mod second_opinion;
mod seeds;
mod support_table;
