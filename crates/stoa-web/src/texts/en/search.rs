//! English: search.

use crate::texts::search::SearchTexts;

pub(super) const TEXTS: SearchTexts = SearchTexts {
    title: "Search",
    title_of: |words| format!("Search: {words}"),
    label: "Search for",
    hint: "Policies, tags, people and comments",
    none: |words| format!("Nothing matches “{words}”"),
    none_more: "Try fewer or shorter words.",
    not_there: "Search is not ready yet",
    not_there_more: "Its index is being made. Until then, look through the rankings.",
    propose: "Propose it",
    policy: "Policy",
    comment: "Comment",
    tag: "Tag",
    person: "Person",
    kinds: "What to search",
    all: "Everything",
    policies: "Policies",
    comments: "Comments",
    tags: "Tags",
    people: "People",
    counted: |count| match count {
        "1" => "1 result".to_owned(),
        _ => format!("{count} results"),
    },
    loose: "Few have all of these words, so others are shown that are close.",
    on_policy: |policy| format!("on {policy}"),
    next: "More results",
    first: "Back to the first",
};
