//! Tests of the simulated cluster.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking and may say why"
)]

mod conditional;
mod determinism;
mod differential;
mod habits;
mod healing;
mod quorum;
mod statics;
mod support;
