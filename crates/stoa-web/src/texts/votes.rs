//! Texts: my votes.

/// Texts: my votes.
#[derive(Debug)]
pub struct VotesTexts {
    /// `My votes`
    pub title: &'static str,
    /// `Next pay: {votes} votes on {day}`
    pub next_pay: fn(&str, &str) -> String,
    /// `Budget`
    pub budget: &'static str,
    /// `On policies`
    pub on_policies: &'static str,
    /// `Burned`
    pub burned: &'static str,
    /// `Left to spend`
    pub left: &'static str,
    /// `of {votes} paid`
    pub of_paid: fn(&str) -> String,
    /// `Your votes by policy`
    pub by_policy: &'static str,
    /// `Policy`
    pub policy: &'static str,
    /// `Now`
    pub now: &'static str,
    /// `New total`
    pub new_total: &'static str,
    /// `Change`
    pub change: &'static str,
    /// `Price`
    pub price: &'static str,
    /// `none`
    pub no_price: &'static str,
    /// `edited`
    pub edited: &'static str,
    /// `{votes} burned`
    pub burns: fn(&str) -> String,
    /// `Take 10 from {title}`
    pub fewer_of: fn(&str) -> String,
    /// `Add 10 to {title}, you have {left} left`
    pub more_of: fn(&str, &str) -> String,
    /// `New total for {title}`
    pub total_for: fn(&str) -> String,
    /// `=match count { 0 => "No edits".to_owned(), 1 => "One edit".to_owned(), _ => format!("{`
    pub edits: fn(usize) -> String,
    /// `Adds`
    pub adds: &'static str,
    /// `Returns`
    pub returns: &'static str,
    /// `Burns`
    pub burns_all: &'static str,
    /// `Left`
    pub left_after: &'static str,
    /// `Work out price`
    pub work_out: &'static str,
    /// `Save`
    pub save: &'static str,
    /// `Save, burn {votes}`
    pub save_burn: fn(&str) -> String,
    /// `This takes {missing} votes more than you have. Nothing was saved.`
    pub too_much: fn(&str) -> String,
    /// `{title}: enter a whole number, 0 to 1,000,000,000`
    pub bad_number: fn(&str) -> String,
    /// `Changed in another window`
    pub changed: &'static str,
    /// `Your votes were saved elsewhere; that save stands, and «Now» shows it. Your edits belo`
    pub changed_more: &'static str,
    /// `Your votes were saved elsewhere; that save stands. What you asked for here was not saved`
    pub changed_here: &'static str,
    /// `Go on with my edits`
    pub go_on: &'static str,
    /// `Drop them and reload`
    pub drop_them: &'static str,
    /// `Saved`
    pub saved: &'static str,
    /// `You can undo the last save free of charge until {until}.`
    pub undo_until: fn(&str) -> String,
    /// `Undo`
    pub undo: &'static str,
    /// `Undone. Everything is as it was before.`
    pub undone: &'static str,
    /// `No votes placed yet`
    pub none: &'static str,
    /// `You have {votes} to begin with.`
    pub none_more: fn(&str) -> String,
    /// `See the ranking`
    pub see_ranking: &'static str,
    /// `Statement`
    pub statement: &'static str,
    /// `Newest first. What policies gave back when they closed, and payments, are in the figur`
    pub statement_more: &'static str,
    /// `Day`
    pub day: &'static str,
    /// `Entry`
    pub entry: &'static str,
    /// `Votes`
    pub votes: &'static str,
    /// `Receipt`
    pub receipt: &'static str,
    /// `Receipt {seq}`
    pub receipt_of: fn(i64) -> String,
    /// `Vote`
    pub kind_vote: &'static str,
    /// `Proposed`
    pub kind_create: &'static str,
    /// `Undone`
    pub kind_undo: &'static str,
    /// `Account ended`
    pub kind_final: &'static str,
    /// `Older entries`
    pub older: &'static str,
    /// `This record counts for {day}, which is still open. Its receipt is ready when the day i`
    pub receipt_not_yet: fn(&str) -> String,
    /// `The public ledger of {day} shows totals only.`
    pub receipt_hidden: fn(&str) -> String,
    /// `Your record is this line of the public ledger:`
    pub receipt_line: &'static str,
    /// `Hash of the line`
    pub line_hash: &'static str,
    /// `Hash of the day`
    pub day_hash: &'static str,
    /// `Export CSV`
    pub export_csv: &'static str,
    /// `Export JSON`
    pub export_json: &'static str,
    /// `Check against the public ledger`
    pub check_ledger: &'static str,
    /// `The whole statement`
    pub whole: &'static str,
    /// `Newest entries`
    pub newest: &'static str,
    /// `What you are paid and what you vote will stand here.`
    pub statement_none: &'static str,
    /// `Pay`
    pub kind_paid: &'static str,
    /// `Taken back`
    pub kind_taken: &'static str,
    /// `Before`
    pub before: &'static str,
    /// `Saved elsewhere`
    pub other_window: &'static str,
    /// `Your edit`
    pub your_edit: &'static str,
    /// `What was changed elsewhere, beside your edits`
    pub both_sides: &'static str,
}
