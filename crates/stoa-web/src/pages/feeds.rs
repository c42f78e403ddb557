//! Feeds: what is new, for programs that look again and again.

pub mod category;
pub mod comments;
pub mod news;
pub mod party;
pub mod policy;
pub mod ranking;
pub mod tag;
