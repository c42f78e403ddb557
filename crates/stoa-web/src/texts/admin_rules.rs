//! Texts: deciding what holds.

/// Texts: deciding what holds.
#[derive(Debug)]
pub struct AdminRulesTexts {
    /// `Rules of this community`
    pub title: &'static str,
    /// `What holds is decided for days to come, so that everybody knows it before. A decision …`
    pub about: &'static str,
    /// `Holds now`
    pub now: &'static str,
    /// `Decided for later`
    pub coming: &'static str,
    /// `Over`
    pub over: &'static str,
    /// `Everything that was decided`
    pub history: &'static str,
    /// `From`
    pub from: &'static str,
    /// `State`
    pub state: &'static str,
    /// `Decided by`
    pub decided_by: &'static str,
    /// `from the start`
    pub from_the_start: &'static str,
    /// `whoever runs this site`
    pub operator: &'static str,
    /// `Setting`
    pub setting: &'static str,
    /// `Votes each period`
    pub salary: &'static str,
    /// `What everybody is paid. 0 to 1,000,000.`
    pub salary_hint: &'static str,
    /// `Paid out`
    pub period: &'static str,
    /// `every Monday`
    pub every_week: &'static str,
    /// `on the first of every month`
    pub every_month: &'static str,
    /// `every so many days`
    pub every_some_days: &'static str,
    /// `every {days} days`
    pub every_days: fn(u16) -> String,
    /// `Days of a period`
    pub period_days: &'static str,
    /// `Only for “every so many days”. 1 to 366, counted from 1 January 1970.`
    pub period_days_hint: &'static str,
    /// `A new policy costs`
    pub cost: &'static str,
    /// `Votes that its author puts on it. 0 to 1,000,000.`
    pub cost_hint: &'static str,
    /// `Lost when votes are withdrawn, in percent`
    pub penalty: &'static str,
    /// `0 to 100. What was withdrawn before keeps its price.`
    pub penalty_hint: &'static str,
    /// `{number} percent`
    pub percent: fn(&str) -> String,
    /// `{number} votes`
    pub votes: fn(&str) -> String,
    /// `Nobody is paid beyond`
    pub unspent: &'static str,
    /// `So many unspent votes. Empty: no limit.`
    pub unspent_hint: &'static str,
    /// `no limit`
    pub no_limit: &'static str,
    /// `Who is paid`
    pub presence: &'static str,
    /// `only who is there during the period`
    pub present_only: &'static str,
    /// `everybody`
    pub everybody: &'static str,
    /// `Rankings look back, in days`
    pub window: &'static str,
    /// `What the home page shows first. 1 to 366.`
    pub window_hint: &'static str,
    /// `{number} days`
    pub days: fn(u16) -> String,
    /// `Decide something else`
    pub change: &'static str,
    /// `Nothing is written before you have seen what changes.`
    pub change_more: &'static str,
    /// `First day`
    pub first_day: &'static str,
    /// `A day on which a period begins, such as {days}.`
    pub first_day_hint: fn(&str) -> String,
    /// `See what changes`
    pub preview: &'static str,
    /// `What changes on {day}`
    pub what_changes: fn(&str) -> String,
    /// `Nothing is written yet.`
    pub nothing_written: &'static str,
    /// `Until then`
    pub until_then: &'static str,
    /// `From then`
    pub from_then: &'static str,
    /// `changes`
    pub changes: &'static str,
    /// `The next pay days`
    pub pay_days: &'static str,
    /// `Pay day`
    pub pay_day: &'static str,
    /// `Votes for each member`
    pub paid_each: &'static str,
    /// `Another decision holds from {day}.`
    pub other_later: fn(&str) -> String,
    /// `A decision cannot be taken back. Another one can follow it from a later day.`
    pub no_way_back: &'static str,
    /// `Decide this from {day}`
    pub decide: fn(&str) -> String,
    /// `Decided. It holds from {day}.`
    pub decided: fn(&str) -> String,
    /// `Enter a whole number`
    pub enter_number: &'static str,
    /// `Enter a day, such as 2027-01-04`
    pub enter_day: &'static str,
    /// `Choose how often votes are paid out`
    pub enter_period: &'static str,
    /// `This is what holds then already. Change something.`
    pub same: &'static str,
    /// `What the public ledger shows`
    pub privacy: &'static str,
    /// `This can be chosen until the first day is closed, and then holds for ever.`
    pub privacy_open: &'static str,
    /// `The first day is closed, so this holds for ever.`
    pub privacy_locked: &'static str,
    /// `Who votes for what`
    pub public: &'static str,
    /// `Names stand beside votes.`
    pub public_more: &'static str,
    /// `Single votes, under names that change every year`
    pub pseudonymous: &'static str,
    /// `Everybody can recount every vote, and nobody is named.`
    pub pseudonymous_more: &'static str,
    /// `Totals alone`
    pub tallies: &'static str,
    /// `Nothing of single persons, and so less that others can check.`
    pub tallies_more: &'static str,
    /// `Choose this`
    pub choose: &'static str,
    /// `Chosen.`
    pub chosen: &'static str,
}
