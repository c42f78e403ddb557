//! Background tasks on the embedded engine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod day;
mod duplicates;
mod log;
mod registry;
mod runner;
mod troubles;
mod world;
