//! The desk at a glance: what waits for those who have which role.

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, ProgressKind, RankingKind};

use super::queue::{self, Level};
use super::{Tab, by, merges};
use crate::error::Failure;
use crate::links;
use crate::pages::policy::Names;
use crate::route::Outcome;
use crate::visit::Visit;

/// Cases that are shown.
const CASES: usize = 5;
/// Policies that are looked at for an official response.
const LEADING: usize = 10;

/// `GET /desk`
pub async fn show(visit: Visit) -> Outcome {
    let (texts, duties) = (&visit.texts.desk, &visit.duties);
    let mut names = Names::default();
    let main = html! {
        @if duties.may_any(super::JUDGES) { (cases(&visit, &mut names).await?) }
        @if duties.may_any(super::MERGERS) { (proposals(&visit, &mut names).await?) }
        @if duties.may_any(super::EXAMINERS) { (suspected(&visit, &mut names).await?) }
        @if duties.may_any(super::SPEAKERS) { (unanswered(&visit).await?) }
    };
    Ok(super::page(&visit, Tab::Overview, texts.title, &main))
}

async fn cases(visit: &Visit, names: &mut Names) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk;
    let waiting = queue::waiting(visit, None, CASES, names).await?;
    Ok(html! {
        section.gap-t aria-labelledby="h-cases" {
            div.row.apart.base {
                h2 #h-cases { (texts.cases.queue) }
                span.small.muted { (texts.cases.queue_more) }
            }
            @if waiting.is_empty() { p.muted { (texts.nothing_waits_more) } }
            @for it in &waiting { (queue::article(visit, it, names, Level::Third)) }
            p.row.pad { a.btn.sm href="/desk/cases" { (texts.all_cases) } }
        }
    })
}

async fn proposals(visit: &Visit, names: &mut Names) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk;
    let open = visit.votes().open_proposals().await?;
    Ok(html! {
        section.sec aria-labelledby="h-merges" {
            h2 #h-merges { (texts.proposed_merges) }
            @if open.is_empty() { p.muted { (texts.no_merges) } }
            @else { (merges::list(visit, &open, names).await?) }
            p.row.pad { a.btn.sm href="/desk/merges/new" { (texts.new_merge) } }
        }
    })
}

async fn suspected(visit: &Visit, names: &mut Names) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk;
    let cases = visit.votes().suspected_accounts(by(visit)?).await?;
    Ok(html! {
        section.sec aria-labelledby="h-accounts" {
            h2 #h-accounts { (texts.suspected) }
            @if cases.is_empty() { p.muted.flush { (texts.none_suspected) } }
            @else { (super::signals::table(visit, &cases, names).await?) }
        }
    })
}

/// Those who speak officially see which leading policies nobody has spoken about.
async fn unanswered(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk;
    let board = visit.votes().board().await?;
    let leading = board.first(RankingKind::Total, LEADING);
    let mut silent: Vec<(usize, PolicyId, String)> = Vec::new();
    for (rank, (policy, _)) in (1..).zip(leading.into_values()) {
        let page = visit.votes().page(policy).await?;
        let said = visit.votes().progress(&page).await?;
        if said.iter().all(|it| it.kind != ProgressKind::Response) {
            silent.push((rank, policy, page.page.title));
        }
    }
    Ok(html! {
        section.sec aria-labelledby="h-silent" {
            h2 #h-silent { (texts.unanswered) }
            @if silent.is_empty() { p.muted.flush { (texts.all_answered) } }
            @else {
                p.small.muted { (texts.unanswered_more) }
                ul.lines { @for (rank, policy, title) in &silent {
                    li.row.apart {
                        span.name { ((visit.texts.front.rank_number)(*rank)) " " a href=(links::policy(*policy, title)) { (title) } }
                        a.btn.sm href=(links::of_policy(*policy, "official")) aria-label=((texts.respond)(title)) { (texts.respond_short) }
                    }
                } }
            }
        }
    })
}
