//! Texts: home and rankings.

/// Texts: home and rankings.
#[derive(Debug)]
pub struct FrontTexts {
    /// `What should happen next?`
    pub title: &'static str,
    /// `What should {community} do next?`
    pub title_of: fn(&str) -> String,
    /// `Every member is paid {votes} votes each period and spends them on policies. Votes can `
    pub lead: fn(&str, &str) -> String,
    /// `Spend your {votes} votes`
    pub spend: fn(&str) -> String,
    /// `Propose a policy`
    pub propose: &'static str,
    /// `Votes in the last {days} days for the leading policies, as columns. The same figures a`
    pub colonnade: fn(u16) -> String,
    /// `Blue columns carry your votes`
    pub blue: &'static str,
    /// `Last {days} days`
    pub last_days: fn(u16) -> String,
    /// `All rankings`
    pub all_rankings: &'static str,
    /// `Featured`
    pub featured: &'static str,
    /// `Rising`
    pub rising: &'static str,
    /// `New`
    pub newest: &'static str,
    /// `Hot categories`
    pub hot_categories: &'static str,
    /// `Hot tags`
    pub hot_tags: &'static str,
    /// `No policy yet`
    pub empty: &'static str,
    /// `Whoever proposes the first one sets the topic.`
    pub empty_more: &'static str,
    /// `Nothing matches`
    pub none_match: &'static str,
    /// `Try all categories, or another order.`
    pub none_match_more: &'static str,
    /// `Show all policies`
    pub show_all: &'static str,
    /// `This is a demonstration. Sign in as {name} with the password {password}.`
    pub demo: fn(&str, &str) -> String,
    /// `Ranking`
    pub ranking: &'static str,
    /// `{count} policies`
    pub counted: fn(&str) -> String,
    /// `Final ranking of {day}`
    pub final_of: fn(&str) -> String,
    /// `Order`
    pub order: &'static str,
    /// `All votes`
    pub all_votes: &'static str,
    /// `{days} days`
    pub days: fn(u16) -> String,
    /// `Most discussed`
    pub discussed: &'static str,
    /// `Contested`
    pub contested: &'static str,
    /// `Random`
    pub random: &'static str,
    /// `Supporters`
    pub by_supporters: &'static str,
    /// `Square roots`
    pub roots: &'static str,
    /// `Filter`
    pub filter: &'static str,
    /// `Category`
    pub category: &'static str,
    /// `All`
    pub every_category: &'static str,
    /// `Party`
    pub party: &'static str,
    /// `Tag`
    pub tag: &'static str,
    /// `any`
    pub any_tag: &'static str,
    /// `State`
    pub state: &'static str,
    /// `Open`
    pub active: &'static str,
    /// `Closed`
    pub closed: &'static str,
    /// `Both`
    pub both: &'static str,
    /// `Day`
    pub day: &'static str,
    /// `Show`
    pub show: &'static str,
    /// `Only my votes`
    pub only_mine: &'static str,
    /// `All policies`
    pub everything: &'static str,
    /// `Policies, the first first`
    pub caption: &'static str,
    /// `Next {count}`
    pub next_page: fn(usize) -> String,
    /// `Back to the first`
    pub first_page: &'static str,
    /// `Ranks {from} to {to}`
    pub ranks: fn(usize, usize) -> String,
    /// `Move`
    pub move_column: &'static str,
    /// `Policy`
    pub policy_column: &'static str,
    /// `14 days`
    pub fourteen_days: &'static str,
    /// `Race`
    pub race_column: &'static str,
    /// `{days}-day votes`
    pub window_votes: fn(u16) -> String,
    /// `{count} supporters`
    pub supporters: fn(&str) -> String,
    /// `{count} comments`
    pub comments: fn(&str) -> String,
    /// `you: {votes}`
    pub you: fn(&str) -> String,
    /// `{votes} to beat {rank}`
    pub to_beat: fn(&str, usize) -> String,
    /// `leads by {votes}`
    pub leads_by: fn(&str) -> String,
    /// `not ranked yesterday`
    pub not_ranked_before: &'static str,
    /// `{places} places up since yesterday`
    pub places_up: fn(usize) -> String,
    /// `{places} places down since yesterday`
    pub places_down: fn(usize) -> String,
    /// `unchanged since yesterday`
    pub unchanged: &'static str,
    /// `{votes} votes`
    pub votes: fn(&str) -> String,
    /// `Rank {rank}`
    pub rank_number: fn(usize) -> String,
    /// `This day is not ranked: it is open, or from before the beginning.`
    pub not_ranked: &'static str,
}
