//! CQL values: types, bytes, order, text and time.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod clock;
pub mod compare;
pub mod data_type;
pub mod decimal;
pub mod duration;
pub mod frames;
pub mod native;
pub mod ordered;
pub mod partition_key;
pub mod temporal;
pub mod text;
pub mod time_uuid;
pub mod token;
pub mod value;
pub mod vint;
pub mod write_time;

pub use clock::{Clock, Ids, ManualClock, SeededIds, SystemClock, SystemIds};
pub use data_type::{ClusteringOrder, DataType, KeyColumn, UserField, UserType};
pub use decimal::Decimal;
pub use duration::Duration;
pub use temporal::{CivilDate, Date, Time, Timestamp};
pub use token::Token;
pub use value::Value;
pub use write_time::WriteTime;
