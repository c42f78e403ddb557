//! Cassandra's rows over an ordered key-value store.
#![doc = include_str!("../README.md")]

pub mod backup;
pub mod baseline;
pub mod catalog;
pub mod cell;
pub mod check;
pub mod codec;
pub mod commit;
pub mod compaction;
mod compare_and_set;
pub mod error;
mod folder_lock;
pub mod integrity;
mod janitor;
mod keeper;
pub mod key;
pub mod kv;
mod lock;
pub mod mutation;
pub mod options;
pub mod partition;
pub mod purge_queue;
pub mod reconcile;
pub mod record;
pub mod row;
pub mod seal;
pub mod store;
pub mod table;
pub mod tombstone;
pub mod view;

pub use error::{Outcome, StoreError};
pub use options::{CommitMode, Options};
pub use store::Store;
pub use view::View;
