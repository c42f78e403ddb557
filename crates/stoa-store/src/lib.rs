//! Cassandra's rows over an ordered key-value store.

pub mod cell;
pub mod codec;
pub mod error;
pub mod key;
pub mod kv;
mod lock;
pub mod reconcile;
pub mod row;
pub mod seal;
