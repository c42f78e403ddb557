//! Tests of the simulated cluster.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking and may say why"
)]

mod batches;
mod conditional;
mod determinism;
mod differential;
mod habits;
mod healing;
mod quorum;
mod rules;
mod slots;
mod statics;
mod support;
mod votes;
