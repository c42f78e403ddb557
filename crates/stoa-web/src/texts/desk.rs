//! Texts: the desk of moderators.

pub mod acts;
pub mod cases;
pub mod merges;
pub mod tags;
pub mod users;

use acts::ActsTexts;
use cases::CasesTexts;
use merges::MergesTexts;
use tags::DeskTagsTexts;
use users::DeskUsersTexts;

/// Texts: the desk of moderators.
#[derive(Debug)]
pub struct DeskTexts {
    /// Texts: reports and cases.
    pub cases: CasesTexts,
    /// Texts: merging policies.
    pub merges: MergesTexts,
    /// Texts: the desk of tags.
    pub tags: DeskTagsTexts,
    /// Texts: the desk of accounts.
    pub users: DeskUsersTexts,
    /// Texts: what moderators do to policies.
    pub acts: ActsTexts,
    /// `Moderators’ desk`
    pub title: &'static str,
    /// `Overview`
    pub overview: &'static str,
    /// `match count { 0 => "Reports".to_owned(), _ => format!("Reports ({count})") }`
    pub reports: fn(usize) -> String,
    /// `Merges`
    pub merges_way: &'static str,
    /// `Tags`
    pub tags_way: &'static str,
    /// `Members`
    pub members: &'static str,
    /// `Signals`
    pub signals: &'static str,
    /// `Public log`
    pub log: &'static str,
    /// `match count { 1 => "one case waits".to_owned(), _ => format!("{count} cases wait") }`
    pub desk_waiting: fn(usize) -> String,
    /// `All reports`
    pub all_cases: &'static str,
    /// `Nothing waits`
    pub nothing_waits: &'static str,
    /// `Every report has been decided. New ones appear here, and by mail once an hour.`
    pub nothing_waits_more: &'static str,
    /// `Merges under way`
    pub proposed_merges: &'static str,
    /// `No owner is being asked about a merge.`
    pub no_merges: &'static str,
    /// `Propose a merge`
    pub new_merge: &'static str,
    /// `Leading, and not answered yet`
    pub unanswered: &'static str,
    /// `The first ten of the ranking that have no official response.`
    pub unanswered_more: &'static str,
    /// `The first ten of the ranking all have an official response.`
    pub all_answered: &'static str,
    /// `Respond to {title}`
    pub respond: fn(&str) -> String,
    /// `Respond`
    pub respond_short: &'static str,
    /// `Accounts to look at`
    pub suspected: &'static str,
    /// `No signs of second accounts are strong enough to look at.`
    pub none_suspected: &'static str,
    /// `Reason`
    pub reason: &'static str,
    /// `Everybody can read it in the public log.`
    pub reason_hint: &'static str,
    /// `Done. The public log has it.`
    pub done: &'static str,
    /// `the operator`
    pub somebody: &'static str,
    /// `Tick the box first: this cannot be undone`
    pub sure_needed: &'static str,
    /// `Cancel`
    pub cancel: &'static str,
    /// `Go on`
    pub go_on: &'static str,
    /// `Moderation`
    pub actions: &'static str,
}
