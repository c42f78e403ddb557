//! The rules of voting: values in, values out. No store, no clock, no randomness.
//!
//! [`named`] lists the thirteen rules that the algorithm of votes rests on; each is needed, as the
//! simulation shows by leaving one out at a time.

pub mod audit;
pub mod chain;
pub mod claims;
pub mod money;
pub mod named;
pub mod names;
pub mod passwords;
pub mod proposal;
pub mod roots;
pub mod salary;
pub mod secrets;
pub mod signals;
