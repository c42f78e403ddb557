//! What people do with votes: one action for each file.

pub mod account;
pub mod merge;
pub mod release;
pub mod standing;
pub mod submit;
pub mod sync;
