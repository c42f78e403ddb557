//! The nouns of voting: plain values, without behaviour that needs a store.

pub mod account_refusal;
pub mod config;
pub mod count;
pub mod day;
pub mod happening;
pub mod ids;
pub mod not_done;
pub mod policy;
pub mod record;
pub mod refusal;
pub mod user;

pub use account_refusal::AccountRefusal;
pub use config::{ConfigHistory, PeriodLength, VotingConfig};
pub use count::{ClosedDay, Increment};
pub use day::Day;
pub use happening::{Happening, HappeningKind};
pub use ids::{PolicyId, RequestId, SnapshotId, UserId, VoteVersion};
pub use not_done::{NotDone, Refused};
pub use policy::{PolicyState, Standing};
pub use record::{CHECKPOINT_EVERY, Change, Entry, RecordKind, VoteRecord};
pub use refusal::Refusal;
pub use user::{By, Ending, Role, User, UserState};
