//! Who is signed in, and what keeps others from being them.

pub mod cookies;
pub mod forgery;
pub mod hashing;
pub mod limits;
pub mod staff;
pub mod viewer;
