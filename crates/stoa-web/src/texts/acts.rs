//! Texts: what members do to policies and comments.

/// Texts: what members do to policies and comments.
#[derive(Debug)]
pub struct ActsTexts {
    /// `Edit`
    pub edit: &'static str,
    /// `Edit: {it}`
    pub edit_of: fn(&str) -> String,
    /// `What you changed, and why`
    pub edit_note: &'static str,
    /// `May be empty. Everybody sees it beside the new version.`
    pub edit_note_hint: &'static str,
    /// `Every version stays to be seen. Once others have votes on the policy, whoever watches…`
    pub edit_told: &'static str,
    /// `Save new version`
    pub save_edit: &'static str,
    /// `Show what changes`
    pub show_changes: &'static str,
    /// `Leave it as it is`
    pub leave_as_is: &'static str,
    /// `What changes`
    pub what_changes: &'static str,
    /// `Nothing, so far.`
    pub no_change: &'static str,
    /// `Changed meanwhile`
    pub edit_conflict: &'static str,
    /// `Somebody saved another version since you began. Below you see how yours differs from i…`
    pub edit_conflict_more: &'static str,
    /// `The new version is saved.`
    pub done_edited: &'static str,
    /// `The policy is closed.`
    pub done_withdrawn: &'static str,
    /// `You watch this policy: you hear of changes under «Notifications».`
    pub done_watching: &'static str,
    /// `You watch this policy no more.`
    pub done_unwatched: &'static str,
    /// `Tags`
    pub edit_tags: &'static str,
    /// `Suggest a tag`
    pub suggest_a_tag: &'static str,
    /// `Tags: {it}`
    pub tags_of: fn(&str) -> String,
    /// `Up to ten. They help people find the policy.`
    pub tags_decide: &'static str,
    /// `The owner puts tags on the policy. Anybody may suggest one; what two people suggest is…`
    pub tags_suggest: &'static str,
    /// `There are none yet.`
    pub no_tags: &'static str,
    /// `Take off`
    pub remove_tag: &'static str,
    /// `Suggest to take off`
    pub suggest_removal: &'static str,
    /// `Suggested`
    pub suggestions: &'static str,
    /// `to put on`
    pub to_add: &'static str,
    /// `to take off`
    pub to_remove: &'static str,
    /// `match count { 1 => "one person".to_owned(), _ => format!("{count} people") }`
    pub people: fn(usize) -> String,
    /// `Take back`
    pub take_suggestion_back: &'static str,
    /// `Accept`
    pub accept: &'static str,
    /// `I agree`
    pub agree: &'static str,
    /// `Put on a tag`
    pub add_tag: &'static str,
    /// `Suggest a tag`
    pub suggest_tag: &'static str,
    /// `Tag`
    pub tag_name: &'static str,
    /// `2 to 30 letters and digits, spaces, hyphens.`
    pub tag_hint: &'static str,
    /// `The tag is on the policy.`
    pub tag_added: &'static str,
    /// `The tag is off the policy.`
    pub tag_removed: &'static str,
    /// `Your suggestion is noted. One more person, or the owner, makes it happen.`
    pub tag_suggested: &'static str,
    /// `Enough people agree: it is done.`
    pub tag_applied: &'static str,
    /// `Your suggestion is taken back.`
    pub tag_withdrawn: &'static str,
    /// `Close`
    pub withdraw: &'static str,
    /// `Close: {it}`
    pub withdraw_of: fn(&str) -> String,
    /// `A closed policy takes no votes any more, and there is no way back. Its page stays, wit…`
    pub withdraw_more: &'static str,
    /// `Others have votes on this policy, so only a moderator can close it.`
    pub others_vote: &'static str,
    /// `The price has changed since this page was made. Nothing was done; look at it again.`
    pub price_changed: &'static str,
    /// `Close policy, burn {it}`
    pub withdraw_burn: fn(&str) -> String,
    /// `Close policy`
    pub withdraw_button: &'static str,
    /// `Leave it open`
    pub leave_open: &'static str,
    /// `Why`
    pub reason: &'static str,
    /// `Everybody sees it on the page.`
    pub reason_public: &'static str,
    /// `Proposed merges: {it}`
    pub merges_of: fn(&str) -> String,
    /// `No merge of this policy is waiting for an answer.`
    pub no_merges: &'static str,
    /// `A moderator proposes to merge this policy with others.`
    pub merge_waits: &'static str,
    /// `Read it, and agree or object`
    pub merge_answer: &'static str,
    /// `Into: {it}`
    pub merge_into: fn(&str) -> String,
    /// `proposed by @{it}`
    pub merge_by: fn(&str) -> String,
    /// `done on {it}, unless an owner objects`
    pub merge_until: fn(&str) -> String,
    /// `match count { 0 => "nobody has agreed yet".to_owned(), 1 => "one owner has agreed".to_…`
    pub merge_consents: fn(usize) -> String,
    /// `These would become one:`
    pub merge_sources: &'static str,
    /// `The text of the merged policy`
    pub merge_text: &'static str,
    /// `All votes count on the new policy, and you become one of its owners. The old pages sta…`
    pub merge_means: &'static str,
    /// `Agree to the merge`
    pub merge_agree: &'static str,
    /// `You have agreed.`
    pub merge_agreed: &'static str,
    /// `Object to the merge`
    pub merge_object: &'static str,
    /// `You have objected. This merge will not be done.`
    pub merge_objected: &'static str,
    /// `The moderator reads it.`
    pub reason_merge: &'static str,
    /// `Report`
    pub report: &'static str,
    /// `Report: {it}`
    pub report_of: fn(&str) -> String,
    /// `Report the comment of @{it}`
    pub report_comment: fn(&str) -> String,
    /// `Comment of @{author} on {title}`
    pub comment_of: fn(&str, &str) -> String,
    /// `the tag {it}`
    pub the_tag: fn(&str) -> String,
    /// `Moderators look at it. Three reports of different people hide it until then. Reports a…`
    pub report_more: &'static str,
    /// `What is wrong`
    pub report_reason: &'static str,
    /// `Choose what is wrong`
    pub choose_reason: &'static str,
    /// `It is advertising`
    pub reason_spam: &'static str,
    /// `It attacks people`
    pub reason_abuse: &'static str,
    /// `It does not belong here`
    pub reason_off_topic: &'static str,
    /// `It is there already, or somebody has two accounts`
    pub reason_duplicate: &'static str,
    /// `It breaks the law`
    pub reason_illegal: &'static str,
    /// `Something else`
    pub reason_other: &'static str,
    /// `In your words`
    pub report_words: &'static str,
    /// `Needed for «something else». Up to 2,000 characters.`
    pub report_words_hint: &'static str,
    /// `Send report`
    pub report_send: &'static str,
    /// `Your report is with the moderators`
    pub report_sent: &'static str,
    /// `You hear under «Notifications» what they decide.`
    pub report_sent_more: &'static str,
    /// `Go back`
    pub go_back: &'static str,
    /// `Public log`
    pub public_log: &'static str,
    /// `Remove`
    pub remove: &'static str,
    /// `Edit your comment`
    pub edit_comment: &'static str,
    /// `For 24 hours after writing. What it said before stays to be seen.`
    pub edit_comment_hint: &'static str,
    /// `Comment`
    pub comment_text: &'static str,
    /// `Save comment`
    pub save_comment: &'static str,
    /// `Remove your comment`
    pub remove_comment: &'static str,
    /// `In its place stands that it was removed; answers stay. Moderators can read it for 30 d…`
    pub remove_comment_more: &'static str,
    /// `Removed by a moderator: {it}`
    pub removed_by_moderator: fn(&str) -> String,
    /// `match count { 1 => "What it said before".to_owned(), _ => format!("What it said before…`
    pub comment_history: fn(usize) -> String,
    /// `As of {it}, with what changed after it`
    pub until_version: fn(&str) -> String,
    /// `Helpful`
    pub helpful: &'static str,
    /// `Not helpful`
    pub unhelpful: &'static str,
    /// `The comment of @{it} is helpful`
    pub helpful_label: fn(&str) -> String,
    /// `The comment of @{it} is not helpful`
    pub unhelpful_label: fn(&str) -> String,
    /// `match count { 1 => "helpful to one person".to_owned(), _ => format!("helpful to {count…`
    pub helped: fn(u32) -> String,
    /// `Skip this thread`
    pub skip_thread: &'static str,
    /// `The rest of this thread`
    pub rest_of_thread: &'static str,
    /// `match count { 1 => "One more answer".to_owned(), _ => format!("{count} more answers")…`
    pub left_out: fn(usize) -> String,
    /// `All comments`
    pub all_threads: &'static str,
    /// `match count { 1 => "One comment on a policy that was merged into this one".to_owned(),…`
    pub linked_comments: fn(i64) -> String,
}
