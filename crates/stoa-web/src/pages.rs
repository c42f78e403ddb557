//! The pages: one page or form for each file, its reads and its markup together.

pub mod account;
pub mod admin;
pub mod browse;
pub mod desk;
pub mod feeds;
pub mod front;
pub mod own;
pub mod policy;
pub mod record;
pub mod site;
pub mod votes;
