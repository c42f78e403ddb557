//! Texts: the page of a policy.

/// Texts: the page of a policy.
#[derive(Debug)]
pub struct PolicyTexts {
    /// `Votes`
    pub votes: &'static str,
    /// `Rank`
    pub rank: &'static str,
    /// `Supporters`
    pub supporters: &'static str,
    /// `Today`
    pub today: &'static str,
    /// `Last {days} days`
    pub last_days: fn(u16) -> String,
    /// `Day`
    pub day: &'static str,
    /// `Change`
    pub change: &'static str,
    /// `Open for votes`
    pub active: &'static str,
    /// `Withdrawn by its owner`
    pub withdrawn: &'static str,
    /// `Closed`
    pub retired: &'static str,
    /// `Merged`
    pub merged: &'static str,
    /// `Hidden`
    pub hidden: &'static str,
    /// `Taken away`
    pub deleted: &'static str,
    /// `This policy was merged. Its votes count on`
    pub merged_into: &'static str,
    /// `This policy is hidden until somebody has looked at it.`
    pub hidden_more: &'static str,
    /// `proposed by`
    pub proposed_by: &'static str,
    /// `Watch`
    pub watch: &'static str,
    /// `Watching`
    pub watching: &'static str,
    /// `Your votes`
    pub your_votes: &'static str,
    /// `On this policy`
    pub on_this: &'static str,
    /// `{votes} left to spend`
    pub left: fn(&str) -> String,
    /// `Add {votes} votes to {title}, you have {left} left`
    pub add_label: fn(i64, &str, &str) -> String,
    /// `Or set a new total`
    pub new_total: &'static str,
    /// `Save votes`
    pub save_votes: &'static str,
    /// `Enter a whole number of votes`
    pub bad_votes: &'static str,
    /// `10 fewer`
    pub fewer: &'static str,
    /// `10 more`
    pub more: &'static str,
    /// `Take votes back`
    pub take_votes: &'static str,
    /// `{part} percent of what you take back is burned. You can undo a save free of charge for`
    pub take_rule: fn(&str) -> String,
    /// `Take back`
    pub take_back: &'static str,
    /// `Work out the price`
    pub work_out: &'static str,
    /// `Take votes back?`
    pub take_title: &'static str,
    /// `{taken} taken back: {back} return to your purse, {burned} burned.`
    pub take_told: fn(&str, &str, &str) -> String,
    /// `Take back {taken}, burn {burned}`
    pub take_button: fn(&str, &str) -> String,
    /// `Leave them there`
    pub keep_them: &'static str,
    /// `This policy takes no votes any more.`
    pub no_votes_here: &'static str,
    /// `Sign in to vote`
    pub sign_in_to_vote: &'static str,
    /// `Saved. You can undo it free of charge until {until}.`
    pub saved: fn(&str) -> String,
    /// `Undo`
    pub undo: &'static str,
    /// `The race`
    pub race: &'static str,
    /// `votes to beat {title}`
    pub beat: fn(&str) -> String,
    /// `This policy leads.`
    pub leads: &'static str,
    /// `{votes} to beat`
    pub to_beat: fn(&str) -> String,
    /// `{votes} behind`
    pub behind: fn(&str) -> String,
    /// `This policy`
    pub this_policy: &'static str,
    /// `Spend {votes} to take rank {rank}`
    pub spend_to: fn(&str, usize) -> String,
    /// `The policy`
    pub the_text: &'static str,
    /// `There is no text.`
    pub no_text: &'static str,
    /// `Version {version}, {day}, by @{author}`
    pub version: fn(i32, &str, &str) -> String,
    /// `All versions`
    pub versions: &'static str,
    /// `Versions: {title}`
    pub versions_of: fn(&str) -> String,
    /// `The first text`
    pub first_version: &'static str,
    /// `Links`
    pub links: &'static str,
    /// `Official response`
    pub official: &'static str,
    /// `Under study`
    pub status_examined: &'static str,
    /// `Planned`
    pub status_planned: &'static str,
    /// `Begun`
    pub status_started: &'static str,
    /// `Done`
    pub status_done: &'static str,
    /// `Declined`
    pub status_declined: &'static str,
    /// `Votes and rank`
    pub votes_and_rank: &'static str,
    /// `Votes and rank, {from} to {to}`
    pub chart_title: fn(&str, &str) -> String,
    /// `Votes went from {from} to {to}.`
    pub chart_told: fn(&str, &str) -> String,
    /// `The same figures as a table`
    pub as_table: &'static str,
    /// `Daily change, closing votes and closing rank, newest first.`
    pub table_caption: &'static str,
    /// `No day is closed yet.`
    pub no_days: &'static str,
    /// `Merged into this policy`
    pub merged_from: &'static str,
    /// `Someone who had voted on more than one of them is one supporter here.`
    pub merged_more: &'static str,
    /// `Related`
    pub related: &'static str,
    /// `=match count { 0 => "No comments yet".to_owned(), 1 => "1 comment".to_owned(), _ => fo`
    pub comments: fn(i64) -> String,
    /// `Order`
    pub order: &'static str,
    /// `Oldest first`
    pub oldest: &'static str,
    /// `Newest first`
    pub newest: &'static str,
    /// `Best first`
    pub best: &'static str,
    /// `Show`
    pub show: &'static str,
    /// `Owner`
    pub owner: &'static str,
    /// `edited`
    pub edited: &'static str,
    /// `This comment was removed.`
    pub removed: &'static str,
    /// `This comment is hidden until somebody has looked at it.`
    pub comment_hidden: &'static str,
    /// `Reply`
    pub reply: &'static str,
    /// `Permalink`
    pub permalink: &'static str,
    /// `More threads`
    pub more_threads: &'static str,
    /// `Add a comment`
    pub add_comment: &'static str,
    /// `Answer @{name}`
    pub answer_to: fn(&str) -> String,
    /// `Shown as @{name}. You can edit it for 24 hours.`
    pub comment_hint: fn(&str) -> String,
    /// `Post comment`
    pub post_comment: &'static str,
    /// `somebody who left`
    pub gone_name: &'static str,
    /// `Tags`
    pub tags: &'static str,
}
