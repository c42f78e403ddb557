//! What is done in the background: one task for each file. Every task may run at any time, on any
//! number of instances at once, and be killed anywhere: it is run again, and ends at the same.

pub mod audit;
pub mod catalog;
pub mod close_day;
pub mod drain;
pub mod finish_merges;
pub mod recount;
pub mod sweep_claims;
pub mod sweep_creations;
