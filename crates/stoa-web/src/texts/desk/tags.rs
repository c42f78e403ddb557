//! Texts: the desk of tags.

/// Texts: the desk of tags.
#[derive(Debug)]
pub struct DeskTagsTexts {
    /// `Tag desk`
    pub title: &'static str,
    /// `Suggestions`
    pub suggested: &'static str,
    /// `Two who agree are enough without you. The owner of a policy decides too.`
    pub suggested_more: &'static str,
    /// `What people suggest about tags`
    pub suggested_caption: &'static str,
    /// `Nobody suggests a tag`
    pub none_suggested: &'static str,
    /// `Members suggest tags on the pages of policies.`
    pub none_suggested_more: &'static str,
    /// `Policy`
    pub policy: &'static str,
    /// `Suggestion`
    pub suggestion: &'static str,
    /// `put on “{name}”`
    pub put_on: fn(&str) -> String,
    /// `take off “{name}”`
    pub take_off: fn(&str) -> String,
    /// `By`
    pub by: &'static str,
    /// `Do it`
    pub follow: &'static str,
    /// `Decline`
    pub decline: &'static str,
    /// `Do it: {what}, {title}`
    pub follow_label: fn(&str, &str) -> String,
    /// `Decline: {what}, {title}`
    pub decline_label: fn(&str, &str) -> String,
    /// `Done.`
    pub followed: &'static str,
    /// `Declined.`
    pub declined: &'static str,
    /// `Tags`
    pub all: &'static str,
    /// `Tag`
    pub find: &'static str,
    /// `The beginning of a name.`
    pub find_hint: &'static str,
    /// `Find`
    pub search: &'static str,
    /// `Tags by name, counted once an hour`
    pub list_caption: &'static str,
    /// `Name`
    pub name: &'static str,
    /// `Policies`
    pub policies: &'static str,
    /// `{count} more: type the beginning of a name.`
    pub more: fn(usize) -> String,
    /// `No tag begins so`
    pub none: &'static str,
    /// `Tags are counted once an hour. A new one is found by its whole name.`
    pub none_more: &'static str,
    /// `Tag “{name}”`
    pub tag: fn(&str) -> String,
    /// `In use`
    pub state_active: &'static str,
    /// `Merged`
    pub state_merged: &'static str,
    /// `Deleted, its names are blocked`
    pub state_deleted: &'static str,
    /// `It counts for`
    pub counts_for: &'static str,
    /// `Also reached by the names of`
    pub aliases: &'static str,
    /// `Last change by a moderator`
    pub last_act: &'static str,
    /// `See its page`
    pub see: &'static str,
    /// `Rename`
    pub rename: &'static str,
    /// `New name`
    pub new_name: &'static str,
    /// `2 to 30 letters, digits, spaces and hyphens. The old name leads to it too.`
    pub new_name_hint: &'static str,
    /// `Rename “{name}”`
    pub rename_button: fn(&str) -> String,
    /// `Merge into another tag`
    pub merge: &'static str,
    /// `The tag that stays`
    pub into: &'static str,
    /// `Its name. Whatever has this tag has that one then.`
    pub into_hint: &'static str,
    /// `Merge “{name}”`
    pub merge_button: fn(&str) -> String,
    /// `There is no tag of this name`
    pub no_such_tag: &'static str,
    /// `Delete and block`
    pub delete: &'static str,
    /// `It goes from every policy, and nobody can use its names again.`
    pub delete_more: &'static str,
    /// `Yes, delete it for good`
    pub sure: &'static str,
    /// `Delete “{name}”`
    pub delete_button: fn(&str) -> String,
}
