//! Texts: administration.

use stoa_votes::model::Role;

/// Texts: administration.
#[derive(Debug)]
pub struct AdminTexts {
    /// `Administration`
    pub title: &'static str,
    /// `Overview`
    pub overview: &'static str,
    /// `Rules`
    pub rules: &'static str,
    /// `Categories`
    pub categories: &'static str,
    /// `Parties`
    pub parties: &'static str,
    /// `Front page`
    pub front_page: &'static str,
    /// `Roles`
    pub roles: &'static str,
    /// `Outbox`
    pub outbox: &'static str,
    /// `Tasks`
    pub tasks: &'static str,
    /// `Instances`
    pub instances: &'static str,
    /// `Log`
    pub log: &'static str,
    /// `Audit`
    pub audit: &'static str,
    /// `Acts`
    pub acts: &'static str,
    /// `Change`
    pub change: &'static str,
    /// `Change {name}`
    pub change_named: fn(&str) -> String,
    /// `Save`
    pub save: &'static str,
    /// `Add`
    pub add: &'static str,
    /// `Saved.`
    pub saved: &'static str,
    /// `Back to the list`
    pub back: &'static str,
    /// `Name`
    pub name: &'static str,
    /// `2 to 80 characters.`
    pub name_hint: &'static str,
    /// `Description`
    pub about_field: &'static str,
    /// `What belongs here. It may be empty.`
    pub about_hint: &'static str,
    /// `State`
    pub state: &'static str,
    /// `In use`
    pub in_use: &'static str,
    /// `Retired`
    pub not_in_use: &'static str,
    /// `Retire`
    pub retire: &'static str,
    /// `Retire {name}`
    pub retire_named: fn(&str) -> String,
    /// `Use again`
    pub use_again: &'static str,
    /// `Use {name} again`
    pub use_again_named: fn(&str) -> String,
    /// `Action`
    pub action: &'static str,
    /// `Every policy is in one category. A category that is retired keeps its policies, and …`
    pub categories_about: &'static str,
    /// `No category yet`
    pub no_categories: &'static str,
    /// `Nobody can propose a policy before there is one. Add the first below.`
    pub no_categories_more: &'static str,
    /// `Add a category`
    pub add_category: &'static str,
    /// `Key`
    pub key: &'static str,
    /// `Stands in addresses and never changes. 2 to 30 small letters, digits and -.`
    pub key_hint: &'static str,
    /// `There is a category with this key already`
    pub key_taken: &'static str,
    /// `Place in the list`
    pub position: &'static str,
    /// `A whole number; the smallest stands first.`
    pub position_hint: &'static str,
    /// `Enter a whole number`
    pub enter_number: &'static str,
    /// `Policies can name a party that stands behind them. As long as no party is in use, …`
    pub parties_about: &'static str,
    /// `No parties`
    pub no_parties: &'static str,
    /// `That is how a community begins. Add one only if parties matter here.`
    pub no_parties_more: &'static str,
    /// `Add a party`
    pub add_party: &'static str,
    /// `What it stands for. It may be empty.`
    pub party_about_hint: &'static str,
    /// `What stands first on the home page, in this order; six policies on one day at most. …`
    pub front_about: &'static str,
    /// `Chosen policies`
    pub front_chosen: &'static str,
    /// `Nothing is chosen`
    pub front_none: &'static str,
    /// `Add a policy below by the address of its page.`
    pub front_none_more: &'static str,
    /// `Place`
    pub place: &'static str,
    /// `Place of {title}`
    pub place_of: fn(&str) -> String,
    /// `Policy`
    pub policy: &'static str,
    /// `First day`
    pub first_day: &'static str,
    /// `First day of {title}`
    pub first_day_of: fn(&str) -> String,
    /// `Last day`
    pub last_day: &'static str,
    /// `Last day of {title}`
    pub last_day_of: fn(&str) -> String,
    /// `Take off`
    pub take_off: &'static str,
    /// `Take {title} off`
    pub take_off_named: fn(&str) -> String,
    /// `put here by`
    pub put_by: &'static str,
    /// `Shown today`
    pub shown_today: &'static str,
    /// `Later`
    pub shown_later: &'static str,
    /// `Over`
    pub shown_before: &'static str,
    /// `Add a policy`
    pub add_policy: &'static str,
    /// `Address of its page`
    pub policy_address: &'static str,
    /// `Copy it from the browser. Leave it empty to add none.`
    pub policy_address_hint: &'static str,
    /// `This is not the address of a policy`
    pub no_policy_address: &'static str,
    /// `Enter a day, such as 2027-01-04`
    pub enter_day: &'static str,
    /// `Enter the days of {title}, such as 2027-01-04`
    pub enter_day_of: fn(&str) -> String,
    /// `Somebody else changed the front page meanwhile`
    pub front_changed: &'static str,
    /// `Below is what you typed. Saving it now replaces what the other one chose:`
    pub front_changed_more: &'static str,
    /// `Save the front page`
    pub front_save: &'static str,
    /// `Who may do more than all. Giving and taking a role stands in the public log, and whom …`
    pub roles_about: &'static str,
    /// `Role`
    pub role: &'static str,
    /// `Member`
    pub person: &'static str,
    /// `Since`
    pub since: &'static str,
    /// `Given by`
    pub given_by: &'static str,
    /// `whoever runs this site`
    pub operator: &'static str,
    /// `Nobody`
    pub nobody: &'static str,
    /// `Take away`
    pub revoke: &'static str,
    /// `Give a role`
    pub grant: &'static str,
    /// `Member name or e-mail address`
    pub grant_name: &'static str,
    /// `Give the role`
    pub grant_button: &'static str,
    /// `Choose a role`
    pub choose_role: &'static str,
    /// `@{name} has the role: {role}.`
    pub granted: fn(&str, &str) -> String,
    /// `@{name} does not have the role any more: {role}.`
    pub revoked: fn(&str, &str) -> String,
    /// `This is the last admin. Make somebody else an admin first.`
    pub last_admin: &'static str,
    /// What a role is called.
    pub role_name: fn(Role) -> &'static str,
    /// What a role allows.
    pub role_about: fn(Role) -> &'static str,
    /// `Go to {page}`
    pub go_to: fn(&str) -> String,
    /// `{votes} votes for each member, {period}`
    pub rules_fact: fn(&str, &str) -> String,
    /// `The next decision holds from {day}.`
    pub rules_next: fn(&str) -> String,
    /// `Nothing else is decided for later.`
    pub rules_stay: &'static str,
    /// `{count} in use`
    pub count_in_use: fn(usize) -> String,
    /// `{count} policies chosen for today`
    pub count_featured: fn(usize) -> String,
    /// `{count} admins`
    pub count_admins: fn(usize) -> String,
    /// `Mail waits here until a server sends it, or somebody hands out its link.`
    pub no_mail_server: &'static str,
    /// `{count} mails of today wait`
    pub count_mails: fn(usize, bool) -> String,
}
