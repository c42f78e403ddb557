//! English: home and rankings.

use crate::texts::front::FrontTexts;

pub(super) const TEXTS: FrontTexts = FrontTexts {
    title: "What should happen next?",
    title_of: |community| format!("What should {community} do next?"),
    lead: |votes, part| {
        format!(
            "Every member is paid {votes} votes each period and spends them on policies. Votes can be taken back; {part} percent of what is taken back is lost. So the order below is what people are ready to pay for."
        )
    },
    spend: |votes| format!("Spend your {votes} votes"),
    propose: "Propose a policy",
    colonnade: |days| {
        format!(
            "Votes in the last {days} days for the leading policies, as columns. The same figures are in the table below."
        )
    },
    blue: "Blue columns carry your votes",
    last_days: |days| format!("Last {days} days"),
    all_rankings: "All rankings",
    featured: "Featured",
    rising: "Rising",
    newest: "New",
    hot_categories: "Hot categories",
    hot_tags: "Hot tags",
    empty: "No policy yet",
    empty_more: "Whoever proposes the first one sets the topic.",
    none_match: "Nothing matches",
    none_match_more: "Try all categories, or another order.",
    show_all: "Show all policies",
    demo: |name, password| {
        format!("This is a demonstration. Sign in as {name} with the password {password}.")
    },
    ranking: "Ranking",
    counted: |count| format!("{count} policies"),
    final_of: |day| format!("Final ranking of {day}"),
    order: "Order",
    all_votes: "All votes",
    days: |days| format!("{days} days"),
    discussed: "Most discussed",
    contested: "Contested",
    random: "Random",
    by_supporters: "Supporters",
    roots: "Square roots",
    filter: "Filter",
    category: "Category",
    every_category: "All",
    party: "Party",
    tag: "Tag",
    any_tag: "any",
    state: "State",
    active: "Open",
    closed: "Closed",
    both: "Both",
    day: "Day",
    show: "Show",
    only_mine: "Only my votes",
    everything: "All policies",
    caption: "Policies, the first first",
    next_page: |count| format!("Next {count}"),
    first_page: "Back to the first",
    ranks: |from, to| format!("Ranks {from} to {to}"),
    move_column: "Move",
    policy_column: "Policy",
    fourteen_days: "14 days",
    race_column: "Race",
    window_votes: |days| format!("{days}-day votes"),
    supporters: |count| match count {
        "1" => "1 supporter".to_owned(),
        _ => format!("{count} supporters"),
    },
    comments: |count| match count {
        "1" => "1 comment".to_owned(),
        _ => format!("{count} comments"),
    },
    you: |votes| format!("you: {votes}"),
    to_beat: |votes, rank| format!("{votes} to beat {rank}"),
    leads_by: |votes| format!("leads by {votes}"),
    not_ranked_before: "not ranked yesterday",
    places_up: |places| format!("{places} places up since yesterday"),
    places_down: |places| format!("{places} places down since yesterday"),
    unchanged: "unchanged since yesterday",
    votes: |votes| format!("{votes} votes"),
    rank_number: |rank| format!("Rank {rank}"),
    not_ranked: "This day is not ranked: it is open, or from before the beginning.",
};
