//! What is done in the background: one task for each file. Every task may run at any time, on any
//! number of instances at once, and be killed anywhere: it is run again, and ends at the same. What
//! cannot be done keeps nothing else from being done (`failures.rs`).

pub mod audit;
pub mod catalog;
pub mod check_export;
pub mod close_day;
pub mod close_ledger;
pub mod compare_votes;
pub mod count_tags;
pub mod drain;
pub mod erase_deleted;
pub(crate) mod failures;
pub mod finish_merges;
pub mod finish_talk;
pub mod mail_moderators;
pub mod mail_salaries;
pub mod measure;
pub mod rank_days;
pub mod rank_hours;
pub mod recount;
pub mod refresh_search;
pub mod rewrite_tags;
pub mod send_digests;
pub mod send_mail;
pub mod share;
pub(crate) mod shared_recount;
pub mod sweep_claims;
pub mod sweep_comments;
pub mod sweep_creations;
mod swept;
pub mod tell_watchers;
pub mod write_export;
