//! The web app as a browser without scripts uses it: requests in, pages out, in memory.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod admin_lists;
mod admin_rules;
mod admin_running;
mod browsing;
mod desk_cases;
mod desk_input;
mod desk_merges;
mod desk_policies;
mod desk_tags;
mod desk_users;
mod feeds;
mod forging;
mod hostile_forms;
mod hostile_places;
mod input;
mod journey;
mod live_edge;
mod live_machines;
mod live_sessions;
mod live_totals;
mod own_account;
mod own_comments;
mod own_create;
mod own_policy;
mod own_votes;
mod page_forms;
mod pages;
mod records;
mod rules;
mod searching;
mod world;
