//! What belongs to no part of the community: the look, what went wrong, what machines ask.

pub mod failed;
pub mod health;
pub mod live;
pub mod look;
