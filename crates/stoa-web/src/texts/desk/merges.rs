//! Texts: merging policies.

/// Texts: merging policies.
#[derive(Debug)]
pub struct MergesTexts {
    /// `Merge workbench`
    pub workbench: &'static str,
    /// `Choose what to join. A new policy is made; the sources keep their pages, comments and hi`
    pub workbench_more: &'static str,
    /// `Draft, nobody told yet`
    pub draft: &'static str,
    /// `Sources`
    pub sources: &'static str,
    /// `Two to twenty policies that take votes.`
    pub sources_hint: &'static str,
    /// `Nothing chosen yet. Add policies by their address or by words.`
    pub no_sources: &'static str,
    /// `Add policies`
    pub add: &'static str,
    /// `The address of a policy, or words to search for.`
    pub add_hint: &'static str,
    /// `Look up and count`
    pub look: &'static str,
    /// `No policy found for “{words}”`
    pub nothing_found: fn(&str) -> String,
    /// `{votes} votes`
    pub votes: fn(&str) -> String,
    /// `{count} supporters`
    pub supporters: fn(&str) -> String,
    /// `If nobody objects`
    pub result: &'static str,
    /// `Result of the merge`
    pub result_caption: &'static str,
    /// `Votes`
    pub votes_row: &'static str,
    /// `Supporters`
    pub supporters_row: &'static str,
    /// `{count} twice`
    pub twice: fn(&str) -> String,
    /// `too many to count here`
    pub many: &'static str,
    /// `Rank`
    pub rank_row: &'static str,
    /// `and`
    pub rank_and: &'static str,
    /// `Owners`
    pub owners_row: &'static str,
    /// `Takes effect`
    pub effect_row: &'static str,
    /// `{day}, after 7 days`
    pub after_days: fn(&str) -> String,
    /// `Choose two or more to see what they amount to.`
    pub two_needed: &'static str,
    /// `Title of the merged policy`
    pub title: &'static str,
    /// `Text`
    pub text: &'static str,
    /// `In markdown. Say what was merged and why: owners read it before they agree.`
    pub text_hint: &'static str,
    /// `Category`
    pub category: &'static str,
    /// `Party`
    pub party: &'static str,
    /// `None`
    pub no_party: &'static str,
    /// `Propose to the owners`
    pub propose: &'static str,
    /// `The owners are asked.`
    pub proposed: &'static str,
    /// `Merges`
    pub list: &'static str,
    /// `Under way`
    pub under_way: &'static str,
    /// `No merge is under way`
    pub none: &'static str,
    /// `When two policies say the same, propose to merge them.`
    pub none_more: &'static str,
    /// `Proposed in {year}`
    pub of_year: fn(i64) -> String,
    /// `Earlier ones`
    pub earlier: &'static str,
    /// `Owners are asked`
    pub state_open: &'static str,
    /// `An owner objected`
    pub state_objected: &'static str,
    /// `Called off`
    pub state_withdrawn: &'static str,
    /// `Being carried out`
    pub state_accepted: &'static str,
    /// `Done`
    pub state_done: &'static str,
    /// `proposed by {name} on {day}`
    pub by_on: fn(&str, &str) -> String,
    /// `{count} policies`
    pub source_count: fn(usize) -> String,
    /// `{agreed} of {all} owners agreed`
    pub agreed_count: fn(usize, usize) -> String,
    /// `Merge into “{title}”`
    pub proposal: fn(&str) -> String,
    /// `a policy that was taken away`
    pub erased: &'static str,
    /// `If nobody objects, it is done on {day}. If all owners agree, at once.`
    pub due: fn(&str) -> String,
    /// `@{name} objected on {day}:`
    pub objection: fn(&str, &str) -> String,
    /// `It was called off, or too few of the policies were left.`
    pub called_off: &'static str,
    /// `The new policy`
    pub new_policy: &'static str,
    /// `The new text`
    pub new_text: &'static str,
    /// `What is merged, with votes and owners`
    pub sources_caption: &'static str,
    /// `Policy`
    pub policy: &'static str,
    /// `Consent`
    pub consent: &'static str,
    /// `agrees`
    pub agrees: &'static str,
    /// `no answer yet`
    pub silent: &'static str,
    /// `Call the merge off`
    pub withdraw: &'static str,
    /// `Nobody is asked any more, and nothing changes.`
    pub withdraw_more: &'static str,
    /// `The merge is called off.`
    pub withdrawn: &'static str,
}
