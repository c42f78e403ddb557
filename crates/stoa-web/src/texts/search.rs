//! Texts: search.

/// Texts: search.
#[derive(Debug)]
pub struct SearchTexts {
    /// `Search`
    pub title: &'static str,
    /// `Search: {words}`
    pub title_of: fn(&str) -> String,
    /// `Search for`
    pub label: &'static str,
    /// `Policies, tags, people and comments`
    pub hint: &'static str,
    /// `Nothing matches “{words}”`
    pub none: fn(&str) -> String,
    /// `Try fewer or shorter words.`
    pub none_more: &'static str,
    /// `Search is not ready yet`
    pub not_there: &'static str,
    /// `Its index is being made. Until then, look through the rankings.`
    pub not_there_more: &'static str,
    /// `Propose it`
    pub propose: &'static str,
    /// `Policy`
    pub policy: &'static str,
    /// `Comment`
    pub comment: &'static str,
    /// `Tag`
    pub tag: &'static str,
    /// `Person`
    pub person: &'static str,
    /// `What to search`
    pub kinds: &'static str,
    /// `Everything`
    pub all: &'static str,
    /// `Policies`
    pub policies: &'static str,
    /// `Comments`
    pub comments: &'static str,
    /// `Tags`
    pub tags: &'static str,
    /// `People`
    pub people: &'static str,
    /// `match count { "1" => "1 result".to_owned(), _ => format!("{count} results") }`
    pub counted: fn(&str) -> String,
    /// `Few have all of these words, so others are shown that are close.`
    pub loose: &'static str,
    /// `on {policy}`
    pub on_policy: fn(&str) -> String,
    /// `More results`
    pub next: &'static str,
    /// `Back to the first`
    pub first: &'static str,
}
