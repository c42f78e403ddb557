//! One's own votes: where they are, what changing them costs, what was done before.

pub mod ledger;
pub mod own;
pub mod receipt;
pub mod saving;
pub mod statement;
pub mod undo;
