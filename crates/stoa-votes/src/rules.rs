//! The rules of voting: values in, values out. No store, no clock, no randomness.
//!
//! [`named`] lists the thirteen rules that the algorithm of votes rests on; each is needed, as the
//! simulation shows by leaving one out at a time.

pub mod audit;
pub mod chain;
pub mod claims;
pub mod clock_bound;
pub mod comments;
pub mod decisions;
pub mod difference;
pub mod front_page;
pub mod heat;
pub mod mail;
pub mod money;
pub mod named;
pub mod names;
pub mod news;
pub mod page_text;
pub mod passwords;
pub mod proposal;
pub mod public_ledger;
pub mod ranking;
pub mod real_names;
pub mod related;
pub mod roots;
pub mod salary;
pub mod secrets;
pub mod signals;
pub mod tags;
pub mod threads;
