//! The public ledger: every closed day as lines of text that anybody can count again.
//!
//! A day's lines are sorted, and its hash is made of the hash of the day before and of its lines, so
//! that whoever has the last hash knows whether anything before it was changed.
//! `docs/formats/ledger.md` describes the lines.
//!
//! Invariants:
//! 1. A value has one line, and a line one value: [`line::Line::parse`] accepts nothing but what
//!    [`line::Line`] writes.
//! 2. [`recount::Recount`] needs the lines alone, each once, in their order. What it keeps grows
//!    with users and policies, not with records.

pub mod hash;
pub mod line;
mod parse;
pub mod pseudonym;
pub mod recount;

pub use hash::{DayHasher, LedgerHash};
pub use line::{Carried, Line, PolicyLine, RecordLine};
pub use recount::{LedgerFinding, Recount, Report};
