//! Texts: what is new, tags, categories, parties, people.

/// Texts: what is new, tags, categories, parties, people.
#[derive(Debug)]
pub struct BrowseTexts {
    /// `What’s new`
    pub new_title: &'static str,
    /// `Comments of the last seven days, the newest first.`
    pub new_lead: &'static str,
    /// `Nobody wrote anything in the last seven days`
    pub new_empty: &'static str,
    /// `Open a policy and say what you think of it.`
    pub new_empty_more: &'static str,
    /// `Older comments`
    pub older: &'static str,
    /// `Back to the newest`
    pub newest: &'static str,
    /// `Follow as a feed`
    pub feed: &'static str,
    /// `All news as a feed`
    pub feed_all: &'static str,
    /// `about {policy}`
    pub about: fn(&str) -> String,
    /// `Read the comment of @{name}`
    pub read_on: fn(&str) -> String,
    /// `Tags`
    pub tags: &'static str,
    /// `The larger a tag, the more open policies bear it.`
    pub tags_lead: &'static str,
    /// `No policy bears a tag yet`
    pub tags_empty: &'static str,
    /// `Owners tag their policies; others suggest tags. Tags appear here within an hour.`
    pub tags_empty_more: &'static str,
    /// `All tags`
    pub tag_list: &'static str,
    /// `Find a tag`
    pub tag_find: &'static str,
    /// `No tag has these letters`
    pub tag_none: &'static str,
    /// `By name`
    pub by_name: &'static str,
    /// `Most policies`
    pub by_policies: &'static str,
    /// `Hottest`
    pub by_heat: &'static str,
    /// `Order`
    pub order: &'static str,
    /// `Tag`
    pub tag: &'static str,
    /// `Policies`
    pub policies: &'static str,
    /// `Heat`
    pub heat: &'static str,
    /// `Heat adds up who voted and commented and what was proposed in the last two weeks; every two …`
    pub heat_more: &'static str,
    /// `More tags`
    pub next_tags: &'static str,
    /// `Show`
    pub show: &'static str,
    /// `Tagged {names}`
    pub tagged: fn(&str) -> String,
    /// `and`
    pub and: &'static str,
    /// `Other orders and filters`
    pub in_ranking: &'static str,
    /// `Narrow down`
    pub related_tags: &'static str,
    /// `Everything tagged {tag}`
    pub all_of: fn(&str) -> String,
    /// `Comments lately`
    pub comments_lately: &'static str,
    /// `No open policy bears this`
    pub none_tagged: &'static str,
    /// `Closed policies may. Or propose what is missing.`
    pub none_tagged_more: &'static str,
    /// `Show closed policies too`
    pub closed_too: &'static str,
    /// `Propose a policy`
    pub propose: &'static str,
    /// `All tags`
    pub all_tags: &'static str,
    /// `Categories`
    pub categories: &'static str,
    /// `Every policy is in one category. The hottest stand first.`
    pub categories_lead: &'static str,
    /// `There are no categories yet`
    pub categories_empty: &'static str,
    /// `An admin makes them.`
    pub categories_empty_more: &'static str,
    /// `All categories`
    pub all_categories: &'static str,
    /// `takes no new policies`
    pub category_closed: &'static str,
    /// `No open policy here`
    pub none_here: &'static str,
    /// `Whoever proposes the first one sets the topic.`
    pub none_here_more: &'static str,
    /// `Parties`
    pub parties: &'static str,
    /// `Parties that stand behind policies.`
    pub parties_lead: &'static str,
    /// `No party takes part here`
    pub parties_empty: &'static str,
    /// `Policies are proposed by people, and judged by what they say.`
    pub parties_empty_more: &'static str,
    /// `All parties`
    pub all_parties: &'static str,
    /// `match count { "1" => "1 open policy".to_owned(), _ => format!("{count} open policies") }`
    pub counted: fn(&str) -> String,
    /// `heat {heat}`
    pub heat_of: fn(&str) -> String,
    /// `New here`
    pub newest_here: &'static str,
    /// `Joined {day}`
    pub joined: fn(&str) -> String,
    /// `Policies proposed`
    pub created_figure: &'static str,
    /// `Votes unspent`
    pub unspent_figure: &'static str,
    /// `Policies voted for`
    pub voted_figure: &'static str,
    /// `Roles`
    pub roles: &'static str,
    /// `Proposed policies`
    pub created_title: &'static str,
    /// `@{name} has not proposed anything yet.`
    pub created_none: fn(&str) -> String,
    /// `And {count} older ones.`
    pub created_more: fn(&str) -> String,
    /// `Votes`
    pub votes_title: &'static str,
    /// `@{name} has no votes on anything now.`
    pub votes_none: fn(&str) -> String,
    /// `In this community nobody sees who votes for what.`
    pub votes_hidden: &'static str,
    /// `Only you see these figures: in this community nobody sees who votes for what.`
    pub votes_hidden_own: &'static str,
    /// `More votes`
    pub votes_next: &'static str,
    /// `My votes`
    pub own_votes: &'static str,
    /// `Admin`
    pub role_admin: &'static str,
    /// `Edits policies`
    pub role_edit_policies: &'static str,
    /// `Looks after accounts`
    pub role_edit_users: &'static str,
    /// `Looks after tags`
    pub role_moderate_tags: &'static str,
    /// `Looks after comments`
    pub role_moderate_comments: &'static str,
    /// `Merges policies`
    pub role_merge_policies: &'static str,
    /// `Chooses the front page`
    pub role_feature_policies: &'static str,
    /// `Answers reports`
    pub role_handle_reports: &'static str,
    /// `Speaks officially`
    pub role_publish_official: &'static str,
}
