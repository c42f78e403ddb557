//! Texts: rules, the moderation log, the public ledger.

/// Texts: rules, the moderation log, the public ledger.
#[derive(Debug)]
pub struct RecordTexts {
    /// `Rules`
    pub rules_title: &'static str,
    /// `What holds today, as the program applies it. Changes are decided beforehand and begin on …`
    pub rules_lead: &'static str,
    /// `In force since {day}`
    pub rules_now: fn(&str) -> String,
    /// `Decided changes`
    pub rules_coming: &'static str,
    /// `Nothing else is decided.`
    pub rules_none_coming: &'static str,
    /// `Rule`
    pub rule_column: &'static str,
    /// `Today`
    pub value_column: &'static str,
    /// `From {day}`
    pub from_column: fn(&str) -> String,
    /// `Votes paid to every member`
    pub pay: &'static str,
    /// `{votes} {period}`
    pub pay_value: fn(&str, &str) -> String,
    /// `every Monday`
    pub every_week: &'static str,
    /// `on the first of every month`
    pub every_month: &'static str,
    /// `match days { 1 => "every day".to_owned(), _ => format!("every {days} days") }`
    pub every_days: fn(u16) -> String,
    /// `Next pay day: {day}, {votes} votes.`
    pub next_pay: fn(&str, &str) -> String,
    /// `Votes a new policy gets from its proposer`
    pub creation: &'static str,
    /// `Burned when votes are taken back`
    pub penalty: &'static str,
    /// `{part} percent`
    pub percent: fn(&str) -> String,
    /// `Unspent votes beyond which nobody is paid`
    pub most_unspent: &'static str,
    /// `no limit`
    pub no_limit: &'static str,
    /// `Who is paid`
    pub presence: &'static str,
    /// `every member`
    pub presence_all: &'static str,
    /// `members who sign in during the period`
    pub presence_present: &'static str,
    /// `Days that the short ranking looks back`
    pub window: &'static str,
    /// `match days { 1 => "1 day".to_owned(), _ => format!("{days} days") }`
    pub days: fn(u16) -> String,
    /// `What is shown of who votes for what`
    pub privacy: &'static str,
    /// `Everything: who votes for what`
    pub mode_public: &'static str,
    /// `Votes under names that change every year`
    pub mode_pseudonymous: &'static str,
    /// `Only what each policy got and lost`
    pub mode_tallies: &'static str,
    /// `Votes are money`
    pub money_title: &'static str,
    /// `A vote can be spent once. Votes on a policy count until they are taken back or the policy …`
    pub money_1: &'static str,
    /// `Taking votes back burns {part} percent of them, rounded up over everything you ever took …`
    pub money_2: fn(&str) -> String,
    /// `A save can be undone for ten minutes, free of charge.`
    pub money_3: &'static str,
    /// `What taking votes back costs today`
    pub price_caption: &'static str,
    /// `Taken back`
    pub price_taken: &'static str,
    /// `Returned to you`
    pub price_back: &'static str,
    /// `Burned`
    pub price_burned: &'static str,
    /// `How policies are ranked`
    pub ranking_title: &'static str,
    /// `More votes stand first. Among equals the older policy stands first, so passing it takes one …`
    pub ranking_1: &'static str,
    /// `The short ranking counts votes gained in the last {days}, today included. Rising halves …`
    pub ranking_2: fn(&str) -> String,
    /// `A day ends at midnight, UTC. Once it is closed, its ranking and its ledger never change.`
    pub ranking_3: &'static str,
    /// `Merging`
    pub merge_title: &'static str,
    /// `Policies that want the same may be merged: votes of all count for the new one, and who had …`
    pub merge_1: &'static str,
    /// `Moderation`
    pub moderation_title: &'static str,
    /// `Whatever three different people report is hidden until a moderator has looked at it. Hiding …`
    pub moderation_1: &'static str,
    /// `Reasons to remove something: advertising, attacks on people, off the topic, a duplicate, …`
    pub moderation_2: &'static str,
    /// `Everything a moderator does stands in the public log, with a name and a reason.`
    pub moderation_3: &'static str,
    /// `Read the moderation log`
    pub to_log: &'static str,
    /// `Check the ledger yourself`
    pub to_ledger: &'static str,
    /// `Moderation log`
    pub log_title: &'static str,
    /// `What those with roles did, and why. Nothing is ever taken out of this log.`
    pub log_lead: &'static str,
    /// `Day`
    pub log_day: &'static str,
    /// `Show`
    pub log_show: &'static str,
    /// `Nothing was done from {from} to {to}`
    pub log_none: fn(&str, &str) -> String,
    /// `That is good news. Go on with older entries, or see who may do what under Rules.`
    pub log_none_more: &'static str,
    /// `Older entries`
    pub log_older: &'static str,
    /// `Back to the newest`
    pub log_newest: &'static str,
    /// `Time`
    pub log_time: &'static str,
    /// `Who`
    pub log_who: &'static str,
    /// `What`
    pub log_what: &'static str,
    /// `About`
    pub log_target: &'static str,
    /// `Reason`
    pub log_why: &'static str,
    /// `{day}, the last first`
    pub log_caption: fn(&str) -> String,
    /// `the operator`
    pub operator: &'static str,
    /// `automatic`
    pub automatic: &'static str,
    /// `hid a policy`
    pub act_hide_policy: &'static str,
    /// `showed a policy again`
    pub act_show_policy: &'static str,
    /// `sorted a policy elsewhere`
    pub act_place_policy: &'static str,
    /// `edited a policy`
    pub act_edit_policy: &'static str,
    /// `erased the text of a policy`
    pub act_redact_policy: &'static str,
    /// `closed a policy`
    pub act_retire_policy: &'static str,
    /// `took a policy away`
    pub act_delete_policy: &'static str,
    /// `proposed a merge`
    pub act_propose_merge: &'static str,
    /// `merged policies`
    pub act_merge_policies: &'static str,
    /// `changed the front page`
    pub act_feature: &'static str,
    /// `chose what the ledger shows`
    pub act_choose_privacy: &'static str,
    /// `decided rules`
    pub act_decide_config: &'static str,
    /// `hidden until it is looked at`
    pub act_hide_pending: &'static str,
    /// `upheld a report`
    pub act_uphold_report: &'static str,
    /// `rejected a report`
    pub act_reject_report: &'static str,
    /// `removed a comment`
    pub act_remove_comment: &'static str,
    /// `changed tags`
    pub act_change_tags: &'static str,
    /// `renamed a tag`
    pub act_rename_tag: &'static str,
    /// `merged tags`
    pub act_merge_tags: &'static str,
    /// `deleted a tag`
    pub act_delete_tag: &'static str,
    /// `voided an account`
    pub act_void_account: &'static str,
    /// `merged accounts`
    pub act_merge_accounts: &'static str,
    /// `gave a role`
    pub act_grant_role: &'static str,
    /// `took a role away`
    pub act_revoke_role: &'static str,
    /// `changed a category`
    pub act_put_category: &'static str,
    /// `changed a party`
    pub act_put_party: &'static str,
    /// `a policy`
    pub a_policy: &'static str,
    /// `a comment`
    pub a_comment: &'static str,
    /// `a tag`
    pub a_tag: &'static str,
    /// `an account`
    pub an_account: &'static str,
    /// `a problem with signing in`
    pub a_sign_in: &'static str,
    /// `front page`
    pub front_page: &'static str,
    /// `Public ledger`
    pub ledger_title: &'static str,
    /// `Every closed day as a file, chained by hashes. Whoever keeps one hash can prove later that …`
    pub ledger_lead: &'static str,
    /// `Last closed day`
    pub ledger_last: &'static str,
    /// `Its hash`
    pub ledger_hash: &'static str,
    /// `Closed days`
    pub ledger_days: &'static str,
    /// `Closed days, the last first`
    pub ledger_caption: &'static str,
    /// `Policies ranked`
    pub ledger_ranked: &'static str,
    /// `File`
    pub ledger_file: &'static str,
    /// `Ledger of {day}`
    pub ledger_download: fn(&str) -> String,
    /// `Ranking of {day}`
    pub ledger_ranking: fn(&str) -> String,
    /// `Older days`
    pub ledger_older: &'static str,
    /// `Back to the last days`
    pub ledger_newest: &'static str,
    /// `No day is closed yet`
    pub ledger_none: &'static str,
    /// `The first day is closed a few minutes after midnight, UTC. Then its file and its hash stand …`
    pub ledger_none_more: &'static str,
    /// `Count it again yourself`
    pub verify_title: &'static str,
    /// `Fetch the whole ledger.`
    pub verify_1: &'static str,
    /// `Whole ledger, from the first day on`
    pub verify_whole: &'static str,
    /// `This server keeps no whole ledger to download; whoever runs it writes one with this command.`
    pub verify_no_whole: &'static str,
    /// `Count every vote again on your own machine. The hash is the last one on this page; compare …`
    pub verify_2: &'static str,
    /// `Every save gives you a receipt under My votes. The line in it must be in the file of its day.`
    pub verify_3: &'static str,
    /// `What it shows, and what not`
    pub shows_title: &'static str,
    /// `It shows who votes for what. It does not show at what time of its day something was saved, …`
    pub hides_public: &'static str,
    /// `It shows what each person votes for, under a name that changes every year; not who is …`
    pub hides_pseudonymous: &'static str,
    /// `Ended on {day} by {name}.`
    pub ended_by: fn(&str, &str) -> String,
    /// `Taken away on {day} by {name}.`
    pub gone_by: fn(&str, &str) -> String,
    /// `It stood last at rank {rank} with {votes} votes, on {day}. Votes on it were given back.`
    pub ended_stood: fn(&str, &str, &str) -> String,
    /// `Votes on it were given back.`
    pub ended_released: &'static str,
    /// `Reason:`
    pub ended_why: &'static str,
    /// `Another policy says the same`
    pub retired_duplicated: &'static str,
    /// `It has been begun`
    pub retired_started: &'static str,
    /// `It cannot be done`
    pub retired_unfeasible: &'static str,
    /// `It has been done`
    pub retired_done: &'static str,
    /// `Another reason`
    pub retired_other: &'static str,
    /// `It shows what each policy got and lost on each day. It does not show who voted, or with how …`
    pub hides_tallies: &'static str,
}
