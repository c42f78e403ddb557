//! The pages: one page or form for each file, its reads and its markup together.

pub mod account;
pub mod desk;
pub mod front;
pub mod own;
pub mod policy;
pub mod site;
pub mod votes;
