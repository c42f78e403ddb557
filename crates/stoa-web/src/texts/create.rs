//! Texts: proposing a policy.

/// Texts: proposing a policy.
#[derive(Debug)]
pub struct CreateTexts {
    /// `Propose a policy`
    pub title: &'static str,
    /// `Steps`
    pub steps: &'static str,
    /// `Title`
    pub step_title: &'static str,
    /// `Similar policies`
    pub step_similar: &'static str,
    /// `Text`
    pub step_text: &'static str,
    /// `One sentence, 5 to 120 characters.`
    pub title_hint: &'static str,
    /// `Go on`
    pub go_on: &'static str,
    /// `Has someone proposed this already?`
    pub similar_question: &'static str,
    /// `Votes on one policy carry further than votes spread over two, so look at these first.`
    pub similar_more: &'static str,
    /// `Nothing like it was found.`
    pub no_similar: &'static str,
    /// `Text`
    pub text: &'static str,
    /// `What, where, by when. Up to 20,000 characters, with markdown.`
    pub text_hint: &'static str,
    /// `Links`
    pub links: &'static str,
    /// `One on each line, up to ten.`
    pub links_hint: &'static str,
    /// `Category`
    pub category: &'static str,
    /// `Tags`
    pub tags: &'static str,
    /// `Up to ten, with commas between.`
    pub tags_hint: &'static str,
    /// `Preview`
    pub preview: &'static str,
    /// `Spend {votes} votes and publish`
    pub publish: fn(&str) -> String,
    /// `Change it`
    pub change: &'static str,
    /// `What it costs`
    pub what_it_costs: &'static str,
    /// `In your purse`
    pub in_purse: &'static str,
    /// `To propose a policy`
    pub to_propose: &'static str,
    /// `Left afterwards`
    pub left_after: &'static str,
    /// `They become your first votes on the policy. You may take them back later, at the usual`
    pub become_votes: &'static str,
    /// `A good proposal`
    pub good: &'static str,
    /// `asks for one thing;`
    pub good_one: &'static str,
    /// `says where and by when;`
    pub good_where: &'static str,
    /// `can be answered with yes or no.`
    pub good_yes: &'static str,
    /// `Choose a category`
    pub choose_category: &'static str,
    /// `Your votes were changed elsewhere meanwhile. Nothing was published; look at what is le`
    pub purse_changed: &'static str,
    /// `You need {missing} votes more.`
    pub too_few: fn(&str) -> String,
    /// `Back`
    pub back: &'static str,
    /// `Mine is different, go on`
    pub mine_differs: &'static str,
    /// `Support this one`
    pub support_this: &'static str,
    /// `Support {title} instead`
    pub support_label: fn(&str) -> String,
    /// `Category and tags`
    pub step_place: &'static str,
    /// `Cost`
    pub step_cost: &'static str,
    /// `Party`
    pub party: &'static str,
    /// `Only if one stands behind it.`
    pub party_hint: &'static str,
    /// `Choose a party of the list, or none`
    pub choose_party: &'static str,
    /// `To publish a policy you spend {votes} votes. Nothing is spent before the last step.`
    pub cost_told: fn(&str) -> String,
    /// `I agree, show the preview`
    pub to_preview: &'static str,
}
