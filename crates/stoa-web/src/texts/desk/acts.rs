//! Texts: what moderators do to policies.

/// Texts: what moderators do to policies.
#[derive(Debug)]
pub struct ActsTexts {
    /// `Hide`
    pub hide: &'static str,
    /// `Show again`
    pub show: &'static str,
    /// `Close`
    pub retire: &'static str,
    /// `Take away`
    pub delete: &'static str,
    /// `Erase the texts`
    pub redact: &'static str,
    /// `Category and party`
    pub category: &'static str,
    /// `Official response`
    pub official: &'static str,
    /// `Merge`
    pub merge: &'static str,
    /// `Moderate`
    pub look_at: &'static str,
    /// `Moderate the comment of @{author}`
    pub look_at_label: fn(&str) -> String,
    /// `Hide “{title}”?`
    pub hide_title: fn(&str) -> String,
    /// `Only moderators and its owners see it then. Votes stay where they are, and it can be sho`
    pub hide_more: &'static str,
    /// `Hide {title}`
    pub hide_button: fn(&str) -> String,
    /// `Show “{title}” again?`
    pub show_title: fn(&str) -> String,
    /// `Everybody sees it then, in rankings and lists too.`
    pub show_more: &'static str,
    /// `Show {title}`
    pub show_button: fn(&str) -> String,
    /// `Close “{title}”?`
    pub retire_title: fn(&str) -> String,
    /// `All {votes} votes of {people} supporters return to them without a price. The page stays,`
    pub retire_more: fn(&str, &str) -> String,
    /// `Why`
    pub retire_why: &'static str,
    /// `Choose why`
    pub choose_why: &'static str,
    /// `Another one says the same`
    pub why_duplicated: &'static str,
    /// `It has been begun`
    pub why_started: &'static str,
    /// `It cannot be done`
    pub why_unfeasible: &'static str,
    /// `It has been done`
    pub why_done: &'static str,
    /// `Something else`
    pub why_other: &'static str,
    /// `Close {title}, give back {votes} votes`
    pub retire_button: fn(&str, &str) -> String,
    /// `Take “{title}” away?`
    pub delete_title: fn(&str) -> String,
    /// `All {votes} votes of {people} supporters return to them without a price. The page answer`
    pub delete_more: fn(&str, &str) -> String,
    /// `Erase the texts of “{title}”?`
    pub redact_title: fn(&str) -> String,
    /// `It has ended, so it cannot be taken away any more. Every version of its title, text and `
    pub redact_more: &'static str,
    /// `Step 1 of 2: say why`
    pub step_one: &'static str,
    /// `Step 2 of 2: look at what follows`
    pub step_two: &'static str,
    /// `Yes, for good`
    pub sure: &'static str,
    /// `Take {title} away, give back {votes} votes`
    pub delete_button: fn(&str, &str) -> String,
    /// `Erase the texts of {title}`
    pub redact_button: fn(&str) -> String,
    /// `Back`
    pub back: &'static str,
    /// `It was taken away already.`
    pub ended: &'static str,
    /// `Where “{title}” belongs`
    pub place_title: fn(&str) -> String,
    /// `Sort {title} there`
    pub place_button: fn(&str) -> String,
    /// `Official response to “{title}”`
    pub official_title: fn(&str) -> String,
    /// `It stands on the page of the policy, and everybody who watches it is told. It cannot be `
    pub official_more: &'static str,
    /// `What do you publish?`
    pub what: &'static str,
    /// `A response`
    pub a_response: &'static str,
    /// `Up to 10,000 characters, in markdown.`
    pub a_response_more: &'static str,
    /// `How far it is`
    pub a_status: &'static str,
    /// `Words may be left out.`
    pub a_status_more: &'static str,
    /// `A milestone`
    pub a_milestone: &'static str,
    /// `A line for a day that has come, or shall come.`
    pub a_milestone_more: &'static str,
    /// `Status`
    pub status: &'static str,
    /// `Day`
    pub day: &'static str,
    /// `Of a milestone, such as 2026-11-18.`
    pub day_hint: &'static str,
    /// `Text`
    pub text: &'static str,
    /// `Write the day as 2026-11-18`
    pub bad_day: &'static str,
    /// `Choose how far it is`
    pub choose_status: &'static str,
    /// `Choose what you publish`
    pub choose_what: &'static str,
    /// `Publish for {title}`
    pub publish: fn(&str) -> String,
    /// `Published.`
    pub published: &'static str,
    /// `Said before`
    pub before: &'static str,
    /// `What was officially said, the last first`
    pub before_caption: &'static str,
    /// `Only of what everybody can read can be spoken officially.`
    pub not_readable: &'static str,
    /// `Comment by @{author}`
    pub comment_title: fn(&str) -> String,
    /// `Remove this comment`
    pub remove_comment: &'static str,
    /// `A placeholder stays, and answers to it stay. Moderators can read the text for 30 days.`
    pub remove_more: &'static str,
    /// `Remove the comment of @{author}`
    pub remove_button: fn(&str) -> String,
}
