//! English: proposing a policy.

use crate::texts::create::CreateTexts;

pub(super) const TEXTS: CreateTexts = CreateTexts {
    title: "Propose a policy",
    steps: "Steps",
    step_title: "Title",
    step_similar: "Similar policies",
    step_text: "Text",
    title_hint: "One sentence, 5 to 120 characters.",
    go_on: "Go on",
    similar_question: "Has someone proposed this already?",
    similar_more: "Votes on one policy carry further than votes spread over two, so look at these first.",
    no_similar: "Nothing like it was found.",
    text: "Text",
    text_hint: "What, where, by when. Up to 20,000 characters, with markdown.",
    links: "Links",
    links_hint: "One on each line, up to ten.",
    category: "Category",
    tags: "Tags",
    tags_hint: "Up to ten, with commas between.",
    preview: "Preview",
    publish: |votes| format!("Spend {votes} votes and publish"),
    change: "Change it",
    what_it_costs: "What it costs",
    in_purse: "In your purse",
    to_propose: "To propose a policy",
    left_after: "Left afterwards",
    become_votes: "They become your first votes on the policy. You may take them back later, at the usual price.",
    good: "A good proposal",
    good_one: "asks for one thing;",
    good_where: "says where and by when;",
    good_yes: "can be answered with yes or no.",
    choose_category: "Choose a category",
    purse_changed: "Your votes were changed elsewhere meanwhile. Nothing was published; look at what is left and publish again.",
    too_few: |missing| format!("You need {missing} votes more."),
    back: "Back",
    mine_differs: "Mine is different, go on",
    support_this: "Support this one",
    support_label: |title| format!("Support {title} instead"),
    step_place: "Category and tags",
    step_cost: "Cost",
    party: "Party",
    party_hint: "Only if one stands behind it.",
    choose_party: "Choose a party of the list, or none",
    cost_told: |votes| {
        format!(
            "To publish a policy you spend {votes} votes. Nothing is spent before the last step."
        )
    },
    to_preview: "I agree, show the preview",
};
