//! `stoa-cluster` on a live Cassandra.
//!
//! `STOA_CASSANDRA` is the URI of one, as `cargo xtask test` sets it, and `STOA_CASSANDRA_SECURE`
//! that of one with logins and encryption. Where there is none and `STOA_SKIPPED` has the word
//! `cassandra`, the tests say so and pass.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says why it is skipped"
)]

mod live;
mod scripts;

mod broken;
mod conformance;
mod connecting;
mod errors;
mod secure;
mod statements;
mod types;
