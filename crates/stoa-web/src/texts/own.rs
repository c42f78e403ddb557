//! Texts: what members have for themselves.

/// Texts: what members have for themselves.
#[derive(Debug)]
pub struct OwnTexts {
    /// `Your own pages`
    pub tabs: &'static str,
    /// `Notifications`
    pub notifications: &'static str,
    /// `Watchlist`
    pub watchlist: &'static str,
    /// `Settings`
    pub settings: &'static str,
    /// `Signed in`
    pub sessions: &'static str,
    /// `Your data`
    pub export: &'static str,
    /// `Member since`
    pub joined: &'static str,
    /// `Policies supported`
    pub supported: &'static str,
    /// `Your public page`
    pub profile: &'static str,
    /// `More`
    pub more: &'static str,
    /// `Back`
    pub back: &'static str,
    /// `You watch nothing yet`
    pub none_watched: &'static str,
    /// `Press «Watch» on a policy, and you hear when its text, its rank or its comments change…`
    pub none_watched_more: &'static str,
    /// `match count { 1 => "You watch one policy.".to_owned(), _ => format!("You watch {count}…`
    pub watched_count: fn(usize) -> String,
    /// `Watch no more`
    pub unwatch: &'static str,
    /// `Nothing happened yet`
    pub none_told: &'static str,
    /// `Here stands what happens to policies that you watch, and who answers your comments.`
    pub none_told_more: &'static str,
    /// `match count { 0 => "You have read everything.".to_owned(), 1 => "One is new.".to_owned…`
    pub unread: fn(usize) -> String,
    /// `More than 99 are new.`
    pub unread_many: &'static str,
    /// `new`
    pub is_new: &'static str,
    /// `Mark all as read`
    pub read_all: &'static str,
    /// `have a look`
    pub have_a_look: &'static str,
    /// `They are kept for 90 days. How often you get them by mail:`
    pub told_more: &'static str,
    /// `@{name} proposed a policy`
    pub told_created: fn(&str) -> String,
    /// `@{name} edited the text`
    pub told_edited: fn(&str) -> String,
    /// `@{name} commented`
    pub told_commented: fn(&str) -> String,
    /// `@{name} answered your comment`
    pub told_replied: fn(&str) -> String,
    /// `@{name} changed the tags`
    pub told_tagged: fn(&str) -> String,
    /// `@{name} objected to the merge that you proposed`
    pub told_objected: fn(&str) -> String,
    /// `There is an official response`
    pub told_responded: &'static str,
    /// `There is progress`
    pub told_milestone: &'static str,
    /// `A merge is proposed`
    pub told_merge_proposed: &'static str,
    /// `It was merged, and its votes count on`
    pub told_merged: &'static str,
    /// `It was closed`
    pub told_retired: &'static str,
    /// `It was hidden until somebody has looked at it`
    pub told_hidden: &'static str,
    /// `It is shown again`
    pub told_shown: &'static str,
    /// `It was taken away`
    pub told_deleted: &'static str,
    /// `Its rank changed, {ranks}`
    pub told_rank_moved: fn(&str) -> String,
    /// `Your report was decided`
    pub told_report_decided: &'static str,
    /// `A role of yours changed`
    pub told_role_changed: &'static str,
    /// `3 to 30 letters and digits. Everybody sees it. Your old name stays blocked for 90 days…`
    pub name_hint: &'static str,
    /// `Save member name`
    pub save_name: &'static str,
    /// `Your member name is saved.`
    pub saved_name: &'static str,
    /// `Your name`
    pub real_name: &'static str,
    /// `You need not tell it. Others see it only if you say so.`
    pub real_name_more: &'static str,
    /// `First name`
    pub first_name: &'static str,
    /// `Last name`
    pub last_name: &'static str,
    /// `Show my name on my public page`
    pub show_real_name: &'static str,
    /// `Save name`
    pub save_real: &'static str,
    /// `Your name is saved.`
    pub saved_real: &'static str,
    /// `Mail`
    pub digest: &'static str,
    /// `A summary of what happened to policies that you watch, without what you have read here…`
    pub digest_more: &'static str,
    /// `How often`
    pub digest_question: &'static str,
    /// `Choose how often mail comes`
    pub choose_digest: &'static str,
    /// `Every Monday`
    pub digest_weekly: &'static str,
    /// `Every day on which something happened`
    pub digest_daily: &'static str,
    /// `Never`
    pub digest_never: &'static str,
    /// `Save mail frequency`
    pub save_digest: &'static str,
    /// `How often you get mail is saved.`
    pub saved_digest: &'static str,
    /// `Mail goes to {address}.`
    pub present_email: fn(&str) -> String,
    /// `We send a link to the new address. It counts once you open that link; until then every…`
    pub email_more: &'static str,
    /// `New e-mail address`
    pub new_email: &'static str,
    /// `Send a link`
    pub save_email: &'static str,
    /// `A link is on its way to the new address, if it can be used here. Open it within a day.`
    pub asked_email: &'static str,
    /// `A new password ends every login but this one.`
    pub password_more: &'static str,
    /// `Present password`
    pub present_password: &'static str,
    /// `Change password`
    pub save_password: &'static str,
    /// `Your password is changed. Every other device was signed out.`
    pub saved_password: &'static str,
    /// `Theme and language`
    pub look: &'static str,
    /// `For this browser. The buttons at the foot of each page do the same.`
    pub look_more: &'static str,
    /// `What is shown for everybody is decided by the community:`
    pub privacy_more: &'static str,
    /// `the rules`
    pub rules: &'static str,
    /// `Where you are signed in`
    pub signed_in_at: &'static str,
    /// `Each browser in which you are signed in. One that you do not know: end it, and change…`
    pub sessions_more: &'static str,
    /// `Since`
    pub since: &'static str,
    /// `Last seen`
    pub last_seen: &'static str,
    /// `this browser`
    pub this_session: &'static str,
    /// `unknown`
    pub unknown_network: &'static str,
    /// `End`
    pub end_session: &'static str,
    /// `End the login of {since}`
    pub end_session_of: fn(&str) -> String,
    /// `End all others`
    pub end_others: &'static str,
    /// `That login has ended.`
    pub session_ended: &'static str,
    /// `All other logins have ended.`
    pub others_ended: &'static str,
    /// `One file in JSON with everything that is kept about you:`
    pub export_more: &'static str,
    /// `your names, your address, your settings, when and from where you signed in;`
    pub export_account: &'static str,
    /// `every payment, every vote, and what it cost;`
    pub export_votes: &'static str,
    /// `the policies and the comments that you wrote;`
    pub export_written: &'static str,
    /// `what you watch, and what you were told.`
    pub export_told: &'static str,
    /// `Your password is not in it: only a hash of it is kept, from which nobody gets it back.`
    pub export_not: &'static str,
    /// `Download your data`
    pub export_button: &'static str,
    /// `Leave`
    pub leave: &'static str,
    /// `Your account ends, and what is personal is erased.`
    pub leave_short: &'static str,
    /// `The account @{name} ends for good:`
    pub leave_who: fn(&str) -> String,
    /// `All your votes are taken back. What counted on closed days stays counted.`
    pub leave_votes: &'static str,
    /// `Your address, your name, your logins, your watchlist and your notifications are erased…`
    pub leave_personal: &'static str,
    /// `Policies and comments stay, without your name. Remove comments first if you want them…`
    pub leave_written: &'static str,
    /// `Your member name is blocked for 90 days. With the same address you can register again.`
    pub leave_name: &'static str,
    /// `Download your data first`
    pub leave_export: &'static str,
    /// `I want my account to end. There is no way back.`
    pub leave_sure: &'static str,
    /// `Tick the box if you are sure`
    pub leave_unsure: &'static str,
    /// `End my account`
    pub leave_button: &'static str,
    /// `Stay`
    pub stay: &'static str,
    /// `Save theme and language`
    pub save_look: &'static str,
    /// `Theme and language are saved.`
    pub saved_look: &'static str,
    /// `New notifications`
    pub new_notifications: &'static str,
}
