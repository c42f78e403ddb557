//! Tests of the native protocol: round trips, another implementation, hostile bytes.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test panics where something is not as expected"
)]

mod envelopes;
mod fuzz;
mod messages;
mod peer;
mod refusals;
mod samples;
