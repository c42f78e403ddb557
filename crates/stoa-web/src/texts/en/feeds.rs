//! English: feeds.

use crate::texts::feeds::FeedTexts;

pub(super) const TEXTS: FeedTexts = FeedTexts {
    all_news: "All news",
    comments: "New comments",
    ranking: "Final rankings",
    of: |what| format!("News: {what}"),
    created: |policy| format!("New policy: {policy}"),
    edited: |policy| format!("New text: {policy}"),
    commented: |name, policy| format!("@{name} on {policy}"),
    responded: |policy| format!("Official response: {policy}"),
    milestone: |policy| format!("Progress: {policy}"),
    merged: |policy| format!("Merged: {policy}"),
    retired: |policy| format!("Closed: {policy}"),
};
