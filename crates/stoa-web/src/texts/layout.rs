//! Texts: the head, the foot, the ways between pages.

/// Texts: the head, the foot, the ways between pages.
#[derive(Debug)]
pub struct LayoutTexts {
    /// `Skip to content`
    pub skip: &'static str,
    /// `Main`
    pub main_nav: &'static str,
    /// `Ranking`
    pub ranking: &'static str,
    /// `My votes`
    pub my_votes: &'static str,
    /// `Create`
    pub create: &'static str,
    /// `Desk`
    pub desk: &'static str,
    /// `Search`
    pub search: &'static str,
    /// `{votes} votes`
    pub purse: fn(&str) -> String,
    /// `+{votes} on {day}`
    pub more_on: fn(&str, &str) -> String,
    /// `Sign in`
    pub sign_in: &'static str,
    /// `Sign out`
    pub sign_out: &'static str,
    /// `Register`
    pub register: &'static str,
    /// `Confirm your e-mail address to vote.`
    pub confirm_first: &'static str,
    /// `Send the link once more`
    pub send_again: &'static str,
    /// `Last closed day: {day}, hash`
    pub last_closed: fn(&str) -> String,
    /// `No day is closed yet.`
    pub none_closed: &'static str,
    /// `Theme`
    pub theme: &'static str,
    /// `System`
    pub system: &'static str,
    /// `Light`
    pub light: &'static str,
    /// `Dark`
    pub dark: &'static str,
    /// `Language`
    pub language: &'static str,
    /// `Times are in UTC.`
    pub times: &'static str,
    /// `More pages`
    pub foot_nav: &'static str,
    /// `What’s new`
    pub whats_new: &'static str,
    /// `Tags`
    pub tags: &'static str,
    /// `Categories`
    pub categories: &'static str,
    /// `Rules`
    pub rules: &'static str,
    /// `Moderation log`
    pub log: &'static str,
    /// `Public ledger`
    pub ledger: &'static str,
    /// `Help`
    pub help: &'static str,
}
