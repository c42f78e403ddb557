//! Types of columns and fields: from what is written to what is stored, and how types relate.

pub mod class_name;
pub mod compatible;
pub mod references;
pub mod resolve;
pub mod text;

pub use resolve::{UserTypes, resolve_type};
