//! Cassandra's rows over an ordered key-value store.

pub mod integrity;
