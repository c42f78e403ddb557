//! Comparing two back ends on random scripts: what differs, what may, and the smallest script
//! that shows it.
//!
//! One back end is the judge, Cassandra; the other is tried. [`Comparison::of`] looks at the
//! answers of one statement, [`exceptions`] is the reviewed list of what may differ, judged by what
//! the script has said of its [`Tables`], and [`Search`] leaves out statements as long as a difference stays.

mod asked;
mod comparison;
pub mod exceptions;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub use asked::is_write;
pub use comparison::{Comparison, Given, differ, given};
pub use search::Search;
pub use tables::Tables;
