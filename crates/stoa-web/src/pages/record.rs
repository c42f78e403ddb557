//! What everybody may check: the rules that hold, what moderators did, the public ledger.

pub mod acts;
pub mod ledger;
pub mod ledger_day;
pub mod ledger_whole;
pub mod log;
pub mod rules;
