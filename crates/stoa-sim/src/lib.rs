//! A simulated cluster: real async code under faults, from one seed.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod catalog;
pub mod clock;
pub mod cluster;
pub mod executor;
mod plan;
pub mod rules;

mod seeds;
pub mod session;
pub mod slots;
mod store;
pub mod swarm;
pub mod timeline;
mod trace;
pub mod votes;

pub use catalog::Catalog;
pub use clock::{SimClock, SimIds};
pub use cluster::SimCluster;
pub use executor::{Executor, TaskId, TaskState};
pub use session::{Habits, SimSession};
pub use swarm::{Counters, Faults};
pub use timeline::Timeline;
