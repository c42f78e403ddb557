//! Commits: how updates become stored keys, in groups, durable before they are visible.

pub mod apply;
mod changes;
pub mod group;
pub mod overlay;
pub mod queue;
pub mod spill;
