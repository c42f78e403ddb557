//! Conformance scripts: statements, and what Cassandra answered to them.
//!
//! A script shows one behaviour and is plain text:
//!
//! ```text
//! # An insert that is not applied answers the row that is there.
//!
//! > CREATE TABLE t (k int PRIMARY KEY, v int)
//! = done
//!
//! > INSERT INTO t (k, v) VALUES (?, ?) IF NOT EXISTS
//! @ bind 1, 2
//! = rows [applied] boolean
//! - true
//!
//! > SELECT nothing FROM t
//! ! 0x2200 Undefined column name nothing in table $KS.t
//! ```
//!
//! | Line | Meaning |
//! |---|---|
//! | `# ...` | for readers; the first one names the behaviour |
//! | `> ...` | a statement; lines after it that begin with two spaces go on with it |
//! | `@ ...` | how to execute it: see [`directive`] |
//! | `= done`, `= rows ...` and `- ...`, `! ...`, `~ ...` | recorded: the answer, its rows, an error, a warning |
//!
//! `$KS` in a statement is the script's own keyspace, which is made before and dropped after it and
//! is in use when it begins. A script that needs a second one makes `$KS_two`.
//!
//! Invariants:
//! 1. Recording changes recorded lines only.
//! 2. A statement without a recorded answer is a difference, never a pass.

pub mod directive;
pub mod expectation;
pub mod judge;
pub mod run;
#[cfg(test)]
mod run_tests;
pub mod script;
pub mod suite;
pub mod terms;
#[cfg(test)]
mod tests;

pub use expectation::Expectation;
pub use judge::{Difference, differences};
pub use run::{Runner, Waiter};
pub use script::{Script, ScriptError, Step};
