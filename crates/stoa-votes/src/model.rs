//! The nouns of voting: plain values, without behaviour that needs a store.

pub mod account_refusal;
pub mod case;
pub mod comment;
pub mod config;
mod config_refusal;
pub mod count;
pub mod day;
pub mod happening;
pub mod history;
pub mod ids;
pub mod ledger_refusal;
pub mod not_done;
pub mod page;
pub mod page_act;
pub mod page_refusal;
pub mod policy;
pub mod privacy;
pub mod progress;
pub mod ranking;
pub mod ranking_refusal;
pub mod record;
pub mod refusal;
pub mod tag;
pub mod tag_refusal;
pub mod talk_refusal;
pub mod user;
pub mod watch_refusal;
pub mod watching;

pub use account_refusal::AccountRefusal;
pub use case::{Case, CaseState, Decision, Measure, Report, ReportReason, Target, TargetKind};
pub use comment::{Comment, CommentState, Mark, Removal, Score};
pub use config::{ConfigHistory, PeriodLength, VotingConfig};
pub use config_refusal::ConfigRefusal;
pub use count::{ClosedDay, Increment};
pub use day::Day;
pub use happening::{Happening, HappeningKind};
pub use history::{DayPoint, DayRanking, HourPoint, HourRanking, LastRank, RankedPolicies};
pub use ids::{CommentId, PolicyId, RequestId, SnapshotId, TagId, UserId, VoteVersion};
pub use ledger_refusal::LedgerRefusal;
pub use not_done::{NotDone, Refused};
pub use page::{Category, NewPage, Page, PageEnding, Party, PolicyText, RetireReason, TextVersion};
pub use page_act::{PageAct, PageAction};
pub use page_refusal::PageRefusal;
pub use policy::{PolicyState, Standing};
pub use privacy::PrivacyMode;
pub use progress::{PolicyStatus, Progress, ProgressKind};
pub use ranking::{
    Breadth, ListedStates, MOST_WINDOW_DAYS, OpenDay, PageFacts, PolicyFacts, RankingFilter,
    RankingKind,
};
pub use ranking_refusal::RankingRefusal;
pub use record::{CHECKPOINT_EVERY, Change, Entry, RecordKind, VoteRecord};
pub use refusal::Refusal;
pub use tag::{PolicyTags, SuggestionKind, Tag, TagAct, TagState, TagSuggestion};
pub use tag_refusal::TagRefusal;
pub use talk_refusal::TalkRefusal;
pub use user::{By, Ending, RealName, Role, User, UserState};
pub use watch_refusal::WatchRefusal;
pub use watching::{DigestFrequency, NotificationSettings};
