//! Texts: the desk of accounts.

/// Texts: the desk of accounts.
#[derive(Debug)]
pub struct DeskUsersTexts {
    /// `Members`
    pub title: &'static str,
    /// `Member name or e-mail address`
    pub find: &'static str,
    /// `The whole name, in any spelling. Looking at an account is written down.`
    pub find_hint: &'static str,
    /// `Find`
    pub search: &'static str,
    /// `Nobody is called “{name}”`
    pub nobody: fn(&str) -> String,
    /// `Duplicate signals`
    pub suspected: &'static str,
    /// `Signs open a case; people decide. Nothing ever follows from a score by itself.`
    pub suspected_more: &'static str,
    /// `Accounts that signs speak against, the first first`
    pub suspected_caption: &'static str,
    /// `No account to look at`
    pub none_suspected: &'static str,
    /// `When enough signs come together, the account appears here.`
    pub none_suspected_more: &'static str,
    /// `Account`
    pub account: &'static str,
    /// `Score`
    pub score: &'static str,
    /// `Since`
    pub since: &'static str,
    /// `State`
    pub state: &'static str,
    /// `Open case`
    pub open_case: &'static str,
    /// `Member @{name}`
    pub user: fn(&str) -> String,
    /// `An account that has ended`
    pub ended: &'static str,
    /// `Address not confirmed`
    pub unverified: &'static str,
    /// `Active`
    pub active: &'static str,
    /// `Left`
    pub left: &'static str,
    /// `Voided`
    pub voided: &'static str,
    /// `Merged into another account`
    pub merged: &'static str,
    /// `Joined`
    pub joined: &'static str,
    /// `Unspent votes`
    pub unspent: &'static str,
    /// `Policies created`
    pub created: &'static str,
    /// `Policies voted for`
    pub voted_for: &'static str,
    /// `Roles`
    pub roles: &'static str,
    /// `none`
    pub no_roles: &'static str,
    /// `See the public profile`
    pub profile: &'static str,
    /// `Ended on {day} by @{name}:`
    pub ended_on: fn(&str, &str) -> String,
    /// `The account that stays:`
    pub kept: &'static str,
    /// `Signs of a second account`
    pub signals: &'static str,
    /// `Together {score} points; from 100 on people look at it.`
    pub signals_more: fn(i64) -> String,
    /// `Signs, and what each is about`
    pub signals_caption: &'static str,
    /// `Sign`
    pub signal: &'static str,
    /// `About`
    pub about: &'static str,
    /// `There are none.`
    pub no_signals: &'static str,
    /// `Registered from the same network`
    pub same_network: &'static str,
    /// `Registered with the same browser`
    pub same_agent: &'static str,
    /// `Throw-away e-mail address`
    pub disposable_email: &'static str,
    /// `Votes much alike`
    pub similar_votes: &'static str,
    /// `Reported by`
    pub reported: &'static str,
    /// `Sign-ins`
    pub sign_ins: &'static str,
    /// `Show the sign-ins`
    pub see_sign_ins: &'static str,
    /// `That you looked is written down for admins.`
    pub see_sign_ins_more: &'static str,
    /// `There are none.`
    pub no_sign_ins: &'static str,
    /// `When`
    pub when: &'static str,
    /// `Network`
    pub network: &'static str,
    /// `Cases`
    pub cases: &'static str,
    /// `The case about what this member does`
    pub case_user: &'static str,
    /// `The case about these signs`
    pub case_account: &'static str,
    /// `Merge into the other account`
    pub merge: &'static str,
    /// `The account of @{name} ends: its votes are taken back, dated today. The other one stays `
    pub merge_more: fn(&str) -> String,
    /// `The account that stays`
    pub into: &'static str,
    /// `End @{name} as a second account`
    pub merge_button: fn(&str) -> String,
    /// `Void for fraud`
    pub void: &'static str,
    /// `The account of @{name} ends: its votes on {votes} policies are taken back, dated today. `
    pub void_more: fn(&str, &str) -> String,
    /// `Yes, end it for good`
    pub sure: &'static str,
    /// `Void the account of @{name}`
    pub void_button: fn(&str) -> String,
    /// `This is your own account: somebody else has to decide about it.`
    pub own_account: &'static str,
    /// `Nobody has this name or address`
    pub nobody_so_called: &'static str,
}
