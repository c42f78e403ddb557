//! Both sides of a conflict: what was saved elsewhere since a form was made, beside what was wanted.

use maud::{Markup, html};

use crate::visit::Frame;

/// The votes on one policy.
pub(crate) struct Side {
    /// What the policy is called.
    pub(crate) title: String,
    /// What there was when the form was made, if the form told.
    pub(crate) before: Option<i64>,
    /// What there is now.
    pub(crate) now: i64,
    /// What was wanted, if anything else than before.
    pub(crate) wanted: Option<i64>,
}

/// The table of them.
pub(crate) fn both(frame: &Frame, sides: &[Side]) -> Markup {
    let (texts, format) = (&frame.texts.votes, &frame.texts.format);
    let number = |votes: Option<i64>| votes.map_or("–".to_owned(), |votes| format.number(votes));
    html! {
        table.tbl {
            caption { (texts.both_sides) }
            thead { tr {
                th scope="col" { (texts.policy) }
                th.n scope="col" { (texts.before) }
                th.n scope="col" { (texts.other_window) }
                th.n scope="col" { (texts.your_edit) }
            } }
            tbody { @for side in sides {
                tr {
                    th scope="row" { (side.title) }
                    td.n { (number(side.before)) }
                    td.n { b { (format.number(side.now)) } }
                    td.n { (number(side.wanted)) }
                }
            } }
        }
    }
}
