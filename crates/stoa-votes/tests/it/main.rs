//! The voting domain on the embedded engine, or on a cluster (see `place.rs`).
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod accounts;
mod alike;
mod audit_log;
mod catalog;
mod clock;
mod codes;
mod comments;
mod days;
mod erasing;
mod every_step;
mod expiry;
mod exports;
mod hiding;
mod history;
mod late_tabs;
mod ledger;
mod long_stops;
mod mail;
mod merging;
mod moderated_pages;
mod money;
mod on_disk;
mod pages;
mod people;
mod place;
mod proposals;
mod public_votes;
mod races;
mod rankings;
mod reports;
mod saves;
mod search;
mod second_accounts;
mod shares;
mod stage;
mod storms;
mod tags;
mod telling;
mod town;
mod troubles;
mod voting;
mod watching;
mod world;
