//! Ways to find policies and people other than rankings: what is new, tags, categories, parties,
//! profiles.

pub mod categories;
pub mod category;
pub mod parties;
pub mod party;
pub mod person;
pub mod tag;
pub mod tags;
pub mod whats_new;
