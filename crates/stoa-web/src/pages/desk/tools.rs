//! What a moderator can do to a policy, on its page: a link for each, as the roles are.

use maud::{Markup, html};
use stoa_votes::model::PolicyState;
use stoa_votes::ops::page::ShownPage;

use super::{EDITORS, HIDERS, JUDGES, MERGERS, SPEAKERS};
use crate::links;
use crate::visit::Frame;

/// The links; nothing for whoever has no role for any of them.
#[must_use]
pub(crate) fn of_policy(frame: &Frame, shown: &ShownPage) -> Markup {
    let (texts, duties) = (&frame.texts.desk.acts, &frame.duties);
    let page = &shown.page;
    let state = shown.standing.state;
    let is_open = state == PolicyState::Active;
    let may_close = duties.may_any(EDITORS) && state.is_readable();
    let link = |what: &str| links::of_policy(page.policy, what);
    let delete = match state {
        PolicyState::Merged | PolicyState::Retired => texts.redact,
        _ => texts.delete,
    };
    let mut ways: Vec<(String, &str)> = Vec::new();
    if duties.may_any(HIDERS) && state.is_readable() {
        let text = if page.is_hidden {
            texts.show
        } else {
            texts.hide
        };
        ways.push((link("hide"), text));
    }
    if may_close && matches!(state, PolicyState::Active | PolicyState::Withdrawn) {
        ways.push((link("retire"), texts.retire));
    }
    if may_close {
        ways.push((link("delete"), delete));
    }
    if may_close && is_open {
        ways.push((link("category"), texts.category));
    }
    if duties.may_any(SPEAKERS) && shown.is_readable() && shown.standing.merged_to.is_none() {
        ways.push((link("official"), texts.official));
    }
    if duties.may_any(MERGERS) && is_open {
        ways.push((format!("/desk/merges/new?src={}", page.policy), texts.merge));
    }
    html! {
        @if !ways.is_empty() {
            section.panel aria-labelledby="h-tools" {
                h2 #h-tools { (frame.texts.desk.actions) }
                ul.flush { @for (address, text) in &ways { li { a href=(address) { (text) } } } }
            }
        }
    }
}

/// The way to moderate a comment, for those who may.
#[must_use]
pub(crate) fn of_comment(frame: &Frame, comment: &str, author: &str) -> Markup {
    let texts = &frame.texts.desk.acts;
    html! {
        @if frame.duties.may_any(JUDGES) {
            a href={ (comment) "/moderate" } aria-label=((texts.look_at_label)(author)) { (texts.look_at) } " "
        }
    }
}
