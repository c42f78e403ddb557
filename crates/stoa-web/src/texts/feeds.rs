//! Texts: feeds.

/// Texts: feeds.
#[derive(Debug)]
pub struct FeedTexts {
    /// `All news`
    pub all_news: &'static str,
    /// `New comments`
    pub comments: &'static str,
    /// `Final rankings`
    pub ranking: &'static str,
    /// `News: {what}`
    pub of: fn(&str) -> String,
    /// `New policy: {policy}`
    pub created: fn(&str) -> String,
    /// `New text: {policy}`
    pub edited: fn(&str) -> String,
    /// `@{name} on {policy}`
    pub commented: fn(&str, &str) -> String,
    /// `Official response: {policy}`
    pub responded: fn(&str) -> String,
    /// `Progress: {policy}`
    pub milestone: fn(&str) -> String,
    /// `Merged: {policy}`
    pub merged: fn(&str) -> String,
    /// `Closed: {policy}`
    pub retired: fn(&str) -> String,
}
