//! All of one's votes in one table: totals are typed, the price is worked out, one button saves. What
//! was changed in another window is shown, and what was typed is kept.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, Refusal, RequestId};
use stoa_votes::ops::account::Statement;
use stoa_votes::ops::quote::Quote;
use stoa_votes::ops::submit::NotAccepted;
use stoa_votes::rules::ranking::RankingBoard;
use uuid::Uuid;

use super::sides::{Side, both};
use super::{held, saving, statement, undo};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::pages::policy::{title, vote};
use crate::parts::forms::{self, Mistakes};
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// Votes that are moved on one policy at once at most, so that no sum of what is typed overflows.
const MOST_VOTES: i64 = stoa_votes::rules::proposal::MOST_VOTES;

/// What is typed, beside what there is.
struct Edits {
    now: Statement,
    /// What each policy shall have, as it was typed.
    typed: BTreeMap<PolicyId, String>,
    /// What changed elsewhere: what the form was made for.
    before: BTreeMap<PolicyId, i64>,
    request: RequestId,
    quote: Option<Quote>,
    mistakes: Mistakes,
}

/// `GET /votes`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Edits::none(&visit)?).await
}

/// The page with what kept something about votes from being done.
///
/// # Errors
/// Whatever is no refusal.
pub(crate) async fn refused(visit: &Visit, failure: Failure) -> Outcome {
    let status = failure.form_status();
    let mut edits = Edits::none(visit)?;
    edits.mistakes = told(visit, failure)?;
    Ok(page(visit, &edits).await?.with_status(status))
}

/// What a refusal says, also of a policy that is not there or takes no votes.
fn told(visit: &Visit, failure: Failure) -> Result<Mistakes, Failure> {
    let Failure::Refused { code, message } = failure else {
        return Err(failure);
    };
    let mut mistakes = Mistakes::default();
    mistakes.add_whole(&visit.texts.refusal(&code, &message));
    Ok(mistakes)
}

/// `POST /votes`
pub async fn submit(visit: Visit) -> Outcome {
    let member = visit.member()?;
    let mut edits = Edits::of_form(&visit, member.statement.clone());
    let Some(moves) = edits.moves(&visit).await? else {
        return Ok(page(&visit, &edits).await?.with_status(422));
    };
    if moves.is_empty() {
        return page(&visit, &edits).await;
    }
    match visit.votes().quote(member.account, &moves).await {
        Ok(quote) => edits.quote = Some(quote),
        Err(NotAccepted::Refused(Refusal::Overdraft { needed })) => {
            let missing = visit.texts.format.number(needed);
            edits
                .mistakes
                .add_whole(&(visit.texts.votes.too_much)(&missing));
            return Ok(page(&visit, &edits).await?.with_status(422));
        }
        Err(error) => {
            edits.mistakes = told(&visit, error.into())?;
            return Ok(page(&visit, &edits).await?.with_status(422));
        }
    }
    let is_stale = vote::basis(visit.form.get("basis")) != edits.now.basis;
    let wants_save = visit.form.get("do") == "save";
    if is_stale {
        let status = if wants_save { 409 } else { 200 };
        edits.request = visit.new_request();
        return Ok(page(&visit, &edits).await?.with_status(status));
    }
    edits.before.clear();
    let price = edits.quote.as_ref().map_or(0, Quote::price);
    let is_agreed = price == 0 || visit.form.number("price") == Some(price);
    if !wants_save || !is_agreed {
        return page(&visit, &edits).await;
    }
    let saved = saving::save(
        &visit,
        member.account,
        edits.now.basis,
        edits.request,
        moves,
    );
    match saved.await {
        Ok(()) => Ok(Answer::see("/votes?saved=1")),
        Err(NotAccepted::Stale(now)) => {
            let before = std::mem::replace(&mut edits.now, *now);
            edits.before = before
                .positions
                .iter()
                .map(|(policy, it)| (*policy, it.total))
                .collect();
            edits.request = visit.new_request();
            Ok(page(&visit, &edits).await?.with_status(409))
        }
        Err(error) => {
            edits.mistakes = told(&visit, error.into())?;
            Ok(page(&visit, &edits).await?.with_status(422))
        }
    }
}

/// How many votes more or less somebody would have who has some, by what was typed as a total; none
/// if that is no number of votes.
fn change_of(typed: &str, now: i64) -> Option<i64> {
    let total = typed.parse::<i64>().ok().filter(|total| *total >= 0)?;
    let change = total.checked_sub(now)?;
    (-MOST_VOTES..=MOST_VOTES)
        .contains(&change)
        .then_some(change)
}

/// The field of the total of a policy.
fn field_of(policy: PolicyId) -> String {
    format!("v_{policy}")
}

impl Edits {
    /// What there is, with nothing typed.
    fn none(visit: &Visit) -> Result<Self, Failure> {
        Ok(Self {
            now: visit.member()?.statement.clone(),
            typed: BTreeMap::new(),
            before: BTreeMap::new(),
            request: visit.new_request(),
            quote: None,
            mistakes: Mistakes::default(),
        })
    }

    fn of_form(visit: &Visit, now: Statement) -> Self {
        let policy = |id: &str| Uuid::try_parse(id).ok().map(PolicyId);
        let form = &visit.form;
        let typed = form.beginning("v_");
        let typed = typed.filter_map(|(id, text)| Some((policy(id)?, text.trim().to_owned())));
        let mut typed: BTreeMap<PolicyId, String> = typed.collect();
        // A button beside a number: which policy, and by how much.
        let step = form.get("step").split_once(':');
        if let Some((id, by)) = step
            && let (Some(id), Ok(by)) = (policy(id), by.parse::<i64>())
        {
            let total = typed
                .get(&id)
                .and_then(|it| it.parse::<i64>().ok())
                .unwrap_or(0);
            typed.insert(id, total.saturating_add(by).max(0).to_string());
        }
        let before = form.beginning("w_");
        let before = before.filter_map(|(id, text)| Some((policy(id)?, text.parse().ok()?)));
        let quote = None;
        Self {
            now,
            typed,
            before: before.collect(),
            request: visit.request(),
            quote,
            mistakes: Mistakes::default(),
        }
    }

    fn total(&self, policy: PolicyId) -> i64 {
        self.now.positions.get(&policy).map_or(0, |it| it.total)
    }

    /// Votes more or less by policy; none if something typed is no number of votes, which is noted.
    async fn moves(&mut self, visit: &Visit) -> Result<Option<BTreeMap<PolicyId, i64>>, Failure> {
        let board = visit.votes().board().await?;
        let mut moves = BTreeMap::new();
        for (policy, text) in &self.typed {
            let there = self.total(*policy);
            match change_of(text, there) {
                Some(0) => {}
                Some(change) => {
                    moves.insert(*policy, change);
                }
                None => {
                    let name = title(visit, &board, *policy).await?;
                    let what = (visit.texts.votes.bad_number)(&name);
                    self.mistakes.add(&field_of(*policy), &what);
                }
            }
        }
        Ok(self.mistakes.is_empty().then_some(moves))
    }
}

/// A line of the table.
struct Row {
    policy: PolicyId,
    title: String,
    rank: Option<usize>,
    votes: i64,
    now: i64,
    typed: String,
    change: i64,
    price: i64,
}

async fn rows(
    visit: &Visit,
    board: &RankingBoard,
    held: &BTreeMap<PolicyId, i64>,
    edits: &Edits,
) -> Result<Vec<Row>, Failure> {
    let held = held.keys().copied();
    let mut policies: Vec<PolicyId> = held.chain(edits.typed.keys().copied()).collect();
    policies.sort();
    policies.dedup();
    let mut rows = Vec::new();
    for policy in policies {
        let filter = stoa_votes::model::RankingFilter::default();
        let kind = stoa_votes::model::RankingKind::Total;
        let place = board.neighbours(kind, policy, &filter, 0).ok();
        let now = edits.total(policy);
        let typed = edits
            .typed
            .get(&policy)
            .cloned()
            .unwrap_or_else(|| now.to_string());
        let change = change_of(&typed, now).unwrap_or(0);
        let prices = edits.quote.as_ref().map(|quote| &quote.prices);
        rows.push(Row {
            policy,
            title: title(visit, board, policy).await?,
            rank: place.as_ref().map(|it| it.own.rank),
            votes: place.map_or(0, |it| it.own.value),
            now,
            change,
            price: prices.and_then(|it| it.get(&policy)).copied().unwrap_or(0),
            typed,
        });
    }
    rows.sort_by_key(|row| (row.rank.is_none(), row.rank));
    Ok(rows)
}

async fn page(visit: &Visit, edits: &Edits) -> Outcome {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let board = visit.votes().board().await?;
    let held = held(visit, &board).await?;
    let rows = rows(visit, &board, &held, edits).await?;
    let next = visit.notice.next_pay(visit.today());
    let main = html! {
        div.row.apart.base {
            h1 { (texts.title) }
            @if let Some((day, votes)) = next {
                p.muted.small.flush { ((texts.next_pay)(&format.number(votes), &format.day(day))) }
            }
        }
        div #news { (news(visit, edits, &rows).await?) }
        (budget(visit, held.values().sum(), &edits.now))
        @if rows.is_empty() { (none(visit, &edits.now)) } @else { (form(visit, edits, &rows)) }
        (statement::section(visit, &board).await?)
    };
    let about = About {
        title: texts.title,
        place: Place::Votes,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

/// What went wrong, what changed elsewhere, what was just done.
async fn news(visit: &Visit, edits: &Edits, rows: &[Row]) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let until = undo::until(visit).await?;
    Ok(html! {
        @if !edits.mistakes.is_empty() {
            (edits.mistakes.summary(visit))
        } @else if !edits.before.is_empty() {
            div.note.is-info role="alert" tabindex="-1" autofocus {
                h2 { (texts.changed) }
                p { (texts.changed_more) }
                (both_sides(visit, edits, rows))
                p.row { a.btn.sm href="#edit" { (texts.go_on) } " " a.btn.sm href="/votes" { (texts.drop_them) } }
            }
        } @else if visit.query.get("undone") == "1" {
            p.note.is-good role="status" { (texts.undone) }
        }
        @if let Some(until) = until {
            div.note.is-good role="status" {
                p { ((texts.undo_until)(&format.time(until))) }
                (undo::button(visit))
            }
        }
    })
}

/// What was saved elsewhere since the form was made, beside what was typed into it.
fn both_sides(visit: &Visit, edits: &Edits, rows: &[Row]) -> Markup {
    let side = |row: &Row| {
        let before = edits.before.get(&row.policy).copied().unwrap_or(0);
        let typed = row.typed.parse::<i64>().ok();
        (before != row.now).then(|| Side {
            title: row.title.clone(),
            before: Some(before),
            now: row.now,
            wanted: typed.filter(|typed| *typed != before),
        })
    };
    let sides: Vec<Side> = rows.iter().filter_map(side).collect();
    html! { @if !sides.is_empty() { (both(visit, &sides)) } }
}

fn budget(visit: &Visit, placed: i64, now: &Statement) -> Markup {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    // What closed policies gave back is in neither, so what is left is told by the balance.
    let burned = (now.salary - now.balance - placed).max(0);
    let all = now.salary.max(1);
    let (one, other) = (placed.min(all) * 900 / all, burned.min(all) * 900 / all);
    html! {
        section aria-labelledby="h-bud" {
            h2.vh #h-bud { (texts.budget) }
            svg.bar viewBox="0 0 900 24" preserveAspectRatio="none" aria-hidden="true" {
                path.a d={ "M0 0h" (one) "v24H0z" } {}
                path.b d={ "M" (one) " 0h" (other) "v24h-" (other) "z" } {}
            }
            div role="status" aria-live="polite" aria-atomic="true" {
                ul.key-list {
                    li { span.sw.a {} (texts.on_policies) " " b.num { (format.number(placed)) } }
                    li { span.sw.b {} (texts.burned) " " b.num { (format.number(burned)) } }
                    li { span.sw {} (texts.left) " " b.num.price { (format.number(now.balance)) } }
                    li.muted { ((texts.of_paid)(&format.number(now.salary))) }
                }
            }
        }
    }
}

fn none(visit: &Visit, now: &Statement) -> Markup {
    let texts = &visit.texts.votes;
    html! {
        div.empty.gap-t {
            (icons::mark())
            h2 { (texts.none) }
            p { ((texts.none_more)(&visit.texts.format.number(now.balance))) }
            a.btn href="/ranking" { (texts.see_ranking) }
        }
    }
}

fn form(visit: &Visit, edits: &Edits, rows: &[Row]) -> Markup {
    let texts = &visit.texts.votes;
    html! {
        form.gap-t #edit method="post" action="/votes" {
            (forms::token(visit))
            // Enter in a field presses the first button: it works out the price and saves nothing.
            button.vh name="do" value="price" tabindex="-1" aria-hidden="true" {}
            (vote::ask(edits.now.basis, edits.request))
            @if let Some(quote) = &edits.quote { (forms::hidden("price", &quote.price().to_string())) }
            table.tbl.fold.alloc role="table" {
                caption.vh { (texts.by_policy) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.policy) }
                    th.n role="columnheader" scope="col" { (texts.now) }
                    th role="columnheader" scope="col" { (texts.new_total) }
                    th.n role="columnheader" scope="col" { (texts.change) }
                    th.n role="columnheader" scope="col" { (texts.price) }
                } }
                tbody role="rowgroup" { @for row in rows { (line(visit, edits, row)) } }
            }
            (save_bar(visit, edits, rows))
        }
    }
}

fn line(visit: &Visit, edits: &Edits, row: &Row) -> Markup {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let (id, field) = (row.policy.to_string(), field_of(row.policy));
    let left = format.number(edits.now.balance);
    let edited = (row.change != 0).then_some("edited");
    html! {
        tr id={ "r-" (id) } role="row" class=[edited] {
            th role="rowheader" scope="row" {
                span.name { a href=(links::policy(row.policy, &row.title)) { (row.title) } }
                div.meta {
                    @if let Some(rank) = row.rank { span { ((visit.texts.front.rank_number)(rank)) } }
                    span { ((visit.texts.front.votes)(&format.number(row.votes))) }
                    @if row.change != 0 { span.mine { (texts.edited) } }
                }
            }
            td.n role="cell" data-l=(texts.now) { (format.number(row.now)) }
            td role="cell" {
                (forms::hidden(&format!("w_{id}"), &row.now.to_string()))
                span.step {
                    button.btn name="step" value={ (id) ":-10" } data-by="-10" aria-label=((texts.fewer_of)(&row.title)) { "−" }
                    input id={ "f-" (field) } type="number" name=(field) aria-invalid=[forms::invalid(&field, &edits.mistakes)] value=(row.typed) min="0" max=(row.now + edits.now.balance) step="1"
                        inputmode="numeric" aria-label=((texts.total_for)(&row.title));
                    button.btn name="step" value={ (id) ":10" } data-by="10" aria-label=((texts.more_of)(&row.title, &left)) { "+" }
                }
            }
            td.n role="cell" data-l=(texts.change) { b { (format.change(row.change)) } }
            td.n role="cell" data-l=(texts.price) {
                @if row.price > 0 { span.price { ((texts.burns)(&format.number(row.price))) } }
                @else { span.muted { (texts.no_price) } }
            }
        }
    }
}

fn save_bar(visit: &Visit, edits: &Edits, rows: &[Row]) -> Markup {
    let (texts, format) = (&visit.texts.votes, &visit.texts.format);
    let count = rows.iter().filter(|row| row.change != 0).count();
    let added: i64 = rows.iter().map(|row| row.change.max(0)).sum();
    let price = edits.quote.as_ref().map_or(0, Quote::price);
    let taken: i64 = rows.iter().map(|row| (-row.change).max(0)).sum();
    let left = edits
        .quote
        .as_ref()
        .map_or(edits.now.balance, |quote| quote.balance);
    html! {
        div.save {
            div.row.apart {
                p.sum.flush role="status" aria-live="polite" aria-atomic="true" {
                    span { ((texts.edits)(count)) }
                    span { (texts.adds) " " b.num { (format.number(added)) } }
                    span { (texts.returns) " " b.num { (format.number(taken - price)) } }
                    span.price { (texts.burns_all) " " b.num { (format.number(price)) } }
                    span { (texts.left_after) " " b.num { (format.number(left)) } }
                }
                p.row.flush {
                    button.btn name="do" value="price" { (texts.work_out) } " "
                    button.btn.go name="do" value="save" {
                        @if price > 0 { ((texts.save_burn)(&format.number(price))) } @else { (texts.save) }
                    }
                }
            }
        }
    }
}
