//! Texts: reports and cases.

/// Texts: reports and cases.
#[derive(Debug)]
pub struct CasesTexts {
    /// `Report queue`
    pub queue: &'static str,
    /// `Oldest first. Every decision goes to the public log and to those who reported.`
    pub queue_more: &'static str,
    /// `Kind`
    pub kind: &'static str,
    /// `All kinds`
    pub all_kinds: &'static str,
    /// `Show`
    pub show: &'static str,
    /// `Policy`
    pub kind_policy: &'static str,
    /// `Comment`
    pub kind_comment: &'static str,
    /// `Tag`
    pub kind_tag: &'static str,
    /// `Member`
    pub kind_user: &'static str,
    /// `Sign-in trouble`
    pub kind_access: &'static str,
    /// `Second account?`
    pub kind_account: &'static str,
    /// `Waiting`
    pub waiting: &'static str,
    /// `Hidden until reviewed`
    pub hidden: &'static str,
    /// `Taken`
    pub taken: &'static str,
    /// `Decided`
    pub decided: &'static str,
    /// `match count { 1 => "1 person".to_owned(), _ => format!("{count} people") }`
    pub people: fn(usize) -> String,
    /// `since {moment}`
    pub since: fn(&str) -> String,
    /// `taken by @{name}`
    pub taken_by: fn(&str) -> String,
    /// `score {score}`
    pub score: fn(i64) -> String,
    /// `Open case`
    pub open: &'static str,
    /// `Open case: {what}`
    pub open_label: fn(&str) -> String,
    /// `Take it`
    pub take: &'static str,
    /// `Give it back`
    pub give_back: &'static str,
    /// `Comment by @{author} on {title}`
    pub comment_by: fn(&str, &str) -> String,
    /// `Comment on {title}`
    pub comment_on: fn(&str) -> String,
    /// `A policy that is hidden`
    pub hidden_policy: &'static str,
    /// `a policy`
    pub a_policy: &'static str,
    /// `The tag “{name}”`
    pub tag_named: fn(&str) -> String,
    /// `A tag that is gone`
    pub gone_tag: &'static str,
    /// `The member @{name}`
    pub member_named: fn(&str) -> String,
    /// `The account of @{name}`
    pub account_of: fn(&str) -> String,
    /// `Somebody cannot get in`
    pub access_title: &'static str,
    /// `It is hidden. Open the case to read it; that you did is written down.`
    pub read_in_case: &'static str,
    /// `What it is about`
    pub the_thing: &'static str,
    /// `See it where it stands`
    pub where_it_is: &'static str,
    /// `match count { 1 => "One earlier text".to_owned(), _ => format!("{count} earlier texts") `
    pub earlier_texts: fn(usize) -> String,
    /// `This comment was removed before.`
    pub removed_already: &'static str,
    /// `The text is erased.`
    pub text_gone: &'static str,
    /// `They wrote:`
    pub contact: &'static str,
    /// `Reports`
    pub their_reports: &'static str,
    /// `Who reported it, and why; the first first.`
    pub reports_caption: &'static str,
    /// `Nobody reported it: signs opened this case.`
    pub no_reports: &'static str,
    /// `Reporter`
    pub reporter: &'static str,
    /// `Why`
    pub why: &'static str,
    /// `In their words`
    pub words: &'static str,
    /// `When`
    pub when: &'static str,
    /// `match count { 1 => "One report of an earlier case".to_owned(), _ => format!("{count} rep`
    pub earlier: fn(usize) -> String,
    /// `Advertising`
    pub reason_spam: &'static str,
    /// `Attacks people`
    pub reason_abuse: &'static str,
    /// `Does not belong here`
    pub reason_off_topic: &'static str,
    /// `There already`
    pub reason_duplicate: &'static str,
    /// `Against the law`
    pub reason_illegal: &'static str,
    /// `Something else`
    pub reason_other: &'static str,
    /// `What happened`
    pub history: &'static str,
    /// `Opened`
    pub opened: &'static str,
    /// `Reported by @{name}`
    pub was_reported: fn(&str) -> String,
    /// `Hidden, since three people had reported it`
    pub was_hidden: &'static str,
    /// `Taken by @{name}`
    pub was_taken: fn(&str) -> String,
    /// `Decided by @{name}`
    pub was_decided: fn(&str) -> String,
    /// `Decide`
    pub decide: &'static str,
    /// `What shall be done?`
    pub choose: &'static str,
    /// `Choose what shall be done`
    pub choose_first: &'static str,
    /// `Remove it`
    pub remove: &'static str,
    /// `A placeholder stays. Moderators can read the text for 30 days.`
    pub remove_more: &'static str,
    /// `Keep it hidden`
    pub hide: &'static str,
    /// `Nobody but moderators and its author sees it. It can be shown again.`
    pub hide_more: &'static str,
    /// `The reports are right, nothing more is needed`
    pub uphold: &'static str,
    /// `What was hidden for this case is shown again.`
    pub uphold_more: &'static str,
    /// `Keep it: the reports are not right`
    pub keep: &'static str,
    /// `What was hidden for this case is shown again.`
    pub keep_more: &'static str,
    /// `They were helped`
    pub helped: &'static str,
    /// `Nothing can be done`
    pub not_helped: &'static str,
    /// `It is a second account`
    pub is_second: &'static str,
    /// `End it on its own page, by merging or voiding it.`
    pub is_second_more: &'static str,
    /// `It is nobody’s second account`
    pub is_no_second: &'static str,
    /// `Only admins read it.`
    pub reason_access_hint: &'static str,
    /// `Everybody who reported it is told.`
    pub told: &'static str,
    /// `Decide: {what}`
    pub decide_button: fn(&str) -> String,
    /// `@{name} is looking at this case. After a day somebody else can take it.`
    pub of_another: fn(&str) -> String,
    /// `Removed`
    pub outcome_removed: &'static str,
    /// `Stays hidden`
    pub outcome_hidden: &'static str,
    /// `The reports were right`
    pub outcome_upheld: &'static str,
    /// `The reports were not right`
    pub outcome_rejected: &'static str,
    /// `Decided. Those who reported it are told.`
    pub was_done: &'static str,
    /// `The case is yours.`
    pub is_yours: &'static str,
    /// `The case is open for others again.`
    pub is_given_back: &'static str,
    /// `Take to merge`
    pub take_to_merge: &'static str,
    /// `See the account`
    pub see_account: &'static str,
    /// `See the tag`
    pub see_tag: &'static str,
}
