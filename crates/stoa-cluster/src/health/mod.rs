//! Whether a cluster is fit to be used: facts are gathered from every node, then judged.
//!
//! Gathering asks and does not judge; [`judge()`] is a pure function, so that each piece of advice
//! has a test.

mod facts;
mod gather;
mod judge;

pub use facts::{Answers, Facts, KeyspaceFacts, NodeFacts, Replication, Skew};
pub use judge::{Finding, Verdict, judge};
