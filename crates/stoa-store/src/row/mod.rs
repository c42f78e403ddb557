//! Rows: their packed bytes, how two of them merge, and what may be forgotten of one.

pub mod merge;
pub mod merge_short;
pub mod packed;
pub mod purge;
pub(crate) mod short;

pub use packed::PackedRow;
