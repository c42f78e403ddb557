//! The voting domain on the embedded engine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod catalog;
mod days;
mod merging;
mod races;
mod troubles;
mod voting;
mod world;
