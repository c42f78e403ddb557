//! CQL values: types, bytes, order, text, time; no I/O.

#![forbid(unsafe_code)]

pub mod clock;
pub mod time_uuid;
pub mod token;
pub mod write_time;

pub use clock::{Clock, Ids, ManualClock, SeededIds, SystemClock, SystemIds};
pub use token::Token;
pub use write_time::WriteTime;
