//! Texts: search.

/// Texts: search.
#[derive(Debug)]
pub struct SearchTexts {
    /// `Search`
    pub title: &'static str,
    /// `Search for`
    pub label: &'static str,
    /// `Policies, tags, people and comments`
    pub hint: &'static str,
    /// `Nothing matches “{words}”`
    pub none: fn(&str) -> String,
    /// `Try a shorter word.`
    pub none_more: &'static str,
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
}
