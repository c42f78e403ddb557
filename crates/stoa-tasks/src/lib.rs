//! Background tasks: periodic, repeatable work, spread over live instances without locks.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod log;
pub mod registry;
pub mod rendezvous;
pub mod runner;
pub mod runs;
pub mod schedule;
pub mod tables;
pub mod task;
pub mod telling;
pub mod wishes;

pub use log::{Level, Line};
pub use registry::Instance;
pub use runner::{Job, NotATaskList, Ran, Round, Runner};
pub use runs::{Record, Run};
pub use tables::Tables;
pub use task::{Done, Task, TaskError, Work};
pub use wishes::Wishes;
