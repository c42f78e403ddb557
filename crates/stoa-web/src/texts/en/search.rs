//! English: search.

use crate::texts::search::SearchTexts;

pub(super) const TEXTS: SearchTexts = SearchTexts {
    title: "Search",
    label: "Search for",
    hint: "Policies, tags, people and comments",
    none: |words| format!("Nothing matches “{words}”"),
    none_more: "Try a shorter word.",
    propose: "Propose it",
    policy: "Policy",
    comment: "Comment",
    tag: "Tag",
    person: "Person",
};
