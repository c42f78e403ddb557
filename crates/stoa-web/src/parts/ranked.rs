//! A ranking as a table that becomes cards on a phone.

use std::collections::HashMap;

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RankingKind};
use stoa_votes::rules::ranking::{Line, RankedLine};

use super::{charts, moves};
use crate::links;
use crate::visit::Frame;

/// A part of a ranking.
#[derive(Debug)]
pub struct Ranked<'a> {
    /// The policies.
    pub lines: &'a [RankedLine],
    /// By what.
    pub kind: RankingKind,
    /// The ranks of the day before.
    pub before: &'a HashMap<PolicyId, usize>,
    /// The value of the policy that stands before the first of them, if that is known.
    pub ahead: Option<i64>,
    /// The names of categories by key.
    pub categories: &'a HashMap<String, String>,
    /// What the table is.
    pub caption: &'a str,
    /// Whether supporters and the race have columns.
    pub is_wide: bool,
}

/// The table.
#[must_use]
pub fn table(frame: &Frame, it: &Ranked<'_>) -> Markup {
    let texts = &frame.texts.front;
    let value = match it.kind {
        RankingKind::Window(days) => (texts.window_votes)(days),
        RankingKind::SquareRoots => texts.roots.to_owned(),
        _ => frame.texts.policy.votes.to_owned(),
    };
    html! {
        table.tbl.fold.ranks role="table" {
            caption.vh { (it.caption) }
            thead role="rowgroup" { tr role="row" {
                th.rank role="columnheader" scope="col" { span.vh { (frame.texts.policy.rank) } }
                th role="columnheader" scope="col" { (texts.move_column) }
                th role="columnheader" scope="col" { (texts.policy_column) }
                th role="columnheader" scope="col" { (texts.fourteen_days) }
                @if it.is_wide { th.n role="columnheader" scope="col" { (frame.texts.policy.supporters) } }
                th.n role="columnheader" scope="col" { (value) }
                @if it.is_wide && it.kind.is_of_votes() { th.n role="columnheader" scope="col" { (texts.race_column) } }
            } }
            tbody role="rowgroup" {
                @for (at, line) in it.lines.iter().enumerate() { (row(frame, it, at, line)) }
            }
        }
    }
}

fn row(frame: &Frame, it: &Ranked<'_>, at: usize, ranked: &RankedLine) -> Markup {
    let (texts, format) = (&frame.texts.front, &frame.texts.format);
    let line = &ranked.line;
    let facts = &line.facts;
    let policy = line.policy();
    let own = frame.own_votes(policy);
    html! {
        tr role="row" {
            td.rank.num role="cell" { (ranked.rank) }
            td.move role="cell" {
                @if it.kind.is_of_votes() { (moves::shown(frame, it.before.get(&policy).copied(), ranked.rank)) }
            }
            th.what role="rowheader" scope="row" {
                (name(facts.page.as_ref().map_or("", |page| page.title.as_str()), policy))
                div.meta {
                    @if let Some(page) = &facts.page {
                        span { (it.categories.get(&page.category).map_or(page.category.as_str(), String::as_str)) }
                    }
                    @if !it.is_wide { span { ((texts.supporters)(&format.number(facts.breadth.supporters))) } }
                    @if facts.comments > 0 { span { ((texts.comments)(&format.number(facts.comments))) } }
                    @if own > 0 { span.mine { ((texts.you)(&format.number(own))) } }
                }
            }
            td.opt-col role="cell" { (charts::spark(line, frame.today())) }
            @if it.is_wide { td.n.opt-col role="cell" { (format.number(facts.breadth.supporters)) } }
            td.n.votes role="cell" { span.big data-total=[is_live(it.kind).then_some(policy)] data-less=[less(it.kind, ranked)] { (value(frame, it.kind, ranked)) } }
            @if it.is_wide && it.kind.is_of_votes() {
                td.n.gap.small.muted role="cell" { (race(frame, it, at, ranked)) }
            }
        }
    }
}

/// The title of a policy as a link to its page.
#[must_use]
pub fn name(title: &str, policy: PolicyId) -> Markup {
    html! {
        span.name { a href=(links::policy(policy, title)) {
            @if title.is_empty() { (policy) } @else { (title) }
        } }
    }
}

/// The votes on a policy in words, of which the number may change while it is looked at.
#[must_use]
pub fn votes(frame: &Frame, ranked: &Line) -> Markup {
    let told = (frame.texts.front.votes)(PLACE);
    let (before, after) = told.split_once(PLACE).unwrap_or((told.as_str(), ""));
    let total = frame.texts.format.number(ranked.facts.total);
    html! { (before) span data-total=(ranked.policy()) { (total) } (after) }
}

/// What stands for a number until it is known where it goes.
const PLACE: &str = "\u{fffc}";

/// Whether the value that is shown goes with the total, which may change while it is looked at.
fn is_live(kind: RankingKind) -> bool {
    kind != RankingKind::SquareRoots
}

/// By how much the value of some days is less than the total; nothing where it is the total.
fn less(kind: RankingKind, ranked: &RankedLine) -> Option<i64> {
    match kind {
        RankingKind::Window(_) => Some(ranked.line.facts.total - ranked.value),
        _ => None,
    }
}

fn value(frame: &Frame, kind: RankingKind, ranked: &RankedLine) -> String {
    let format = &frame.texts.format;
    match kind {
        RankingKind::Window(_) => format.change(ranked.value),
        RankingKind::SquareRoots => format.number(ranked.value / 100),
        RankingKind::Supporters => format.number(ranked.line.facts.total),
        _ => format.number(ranked.line.facts.total),
    }
}

/// What lies between a policy and the one before it.
fn race(frame: &Frame, it: &Ranked<'_>, at: usize, ranked: &RankedLine) -> Markup {
    let (texts, format) = (&frame.texts.front, &frame.texts.format);
    let before = at.checked_sub(1).and_then(|at| it.lines.get(at));
    let ahead = before.map(|it| it.value).or(it.ahead);
    html! {
        @match (ahead, it.lines.get(at + 1)) {
            (Some(ahead), _) => {
                // Among equals the older stands before, so passing takes one more.
                @let is_older = before.is_some_and(|it| ranked.line.key() < it.line.key());
                @let needed = (ahead - ranked.value + i64::from(!is_older)).max(1);
                ((texts.to_beat)(&format.number(needed), ranked.rank - 1))
            },
            (None, Some(next)) if ranked.rank == 1 => ((texts.leads_by)(&format.number(ranked.value - next.value))),
            (None, _) => {},
        }
    }
}
