//! One merge that was proposed: what of, who agrees, and calling it off.

use std::collections::BTreeSet;

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Day, NotDone, PolicyId, UserId};
use stoa_votes::tables::proposals::{Proposal, ProposalState};

use super::{about, by, done, merges};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::markdown;
use crate::pages::policy::{Names, title};
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// Days that owners have.
const PATIENCE_DAYS: i32 = 7;

/// A policy that is to be merged.
struct Source {
    policy: PolicyId,
    title: String,
    votes: i64,
    owners: Vec<UserId>,
}

/// `GET /desk/merges/{proposal}`
pub async fn show(visit: Visit) -> Outcome {
    let proposal = visit
        .votes()
        .merge_proposal(visit.uuid("proposal")?)
        .await?;
    let mut names = Names::default();
    let sources = sources(&visit, &proposal, &mut names).await?;
    let texts = &visit.texts.desk.merges;
    let heading = (texts.proposal)(merges::title(&visit, &proposal));
    let proposed = Day::of_micros(proposal.proposed_micros());
    let day = visit.texts.format.day(proposed);
    let main = html! {
        p.meta { a href="/desk/merges" { (texts.list) } }
        (done(&visit, &[("proposed", texts.proposed)]))
        header {
            div.meta {
                (merges::badge(&visit, &proposal))
                span { ((texts.by_on)(&merges::moderator(&visit, &names, &proposal), &day)) }
            }
            h1 { (heading) }
        }
        div.split {
            div {
                (state(&visit, &proposal, &names, proposed))
                (table(&visit, &proposal, &sources, &names))
                @if !proposal.page.text.description.is_empty() {
                    section.sec aria-labelledby="h-text" {
                        h2 #h-text { (texts.new_text) }
                        div.text { (markdown::html(&proposal.page.text.description)) }
                    }
                }
            }
            aside {
                @if proposal.state == ProposalState::Open { (withdrawal(&visit, &proposal)) }
            }
        }
    };
    Ok(layout::page(&visit, about(&heading), main))
}

/// `POST /desk/merges/{proposal}`
pub async fn withdraw(visit: Visit) -> Outcome {
    let proposal = visit.uuid("proposal")?;
    visit
        .votes()
        .withdraw_proposal(by(&visit)?, proposal)
        .await?;
    Ok(Answer::see("/desk/merges?done=withdrawn"))
}

async fn sources(
    visit: &Visit,
    proposal: &Proposal,
    names: &mut Names,
) -> Result<Vec<Source>, Failure> {
    let board = visit.votes().board().await?;
    let mut sources = Vec::new();
    for policy in &proposal.sources {
        let owners = match visit.votes().page(*policy).await {
            Ok(shown) => {
                let others = shown.page.co_owners.iter().copied();
                std::iter::once(shown.page.owner).chain(others).collect()
            }
            Err(NotDone::Refused(_)) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        names.read(visit, owners.clone()).await?;
        sources.push(Source {
            policy: *policy,
            title: title(visit, &board, *policy).await?,
            votes: board
                .facts()
                .get(&stoa_votes::rules::ranking::board::facts_key(*policy))
                .map_or(0, |it| it.total),
            owners,
        });
    }
    let mut people = vec![proposal.moderator];
    if let ProposalState::Objected { by, .. } = proposal.state {
        people.push(by);
    }
    names.read(visit, people).await?;
    Ok(sources)
}

/// How it stands, in words.
fn state(visit: &Visit, proposal: &Proposal, names: &Names, proposed: Day) -> Markup {
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    html! {
        @match &proposal.state {
            ProposalState::Open => p.text { ((texts.due)(&format.day(proposed.plus(PATIENCE_DAYS)))) },
            ProposalState::Objected { by, why, at } => {
                @let day = format.day(Day::of_micros(time_uuid::unix_micros(at).unwrap_or(0)));
                div.note.is-bad {
                    p { ((texts.objection)(names.of(visit, *by), &day)) }
                    blockquote.quote { (why) }
                }
            },
            ProposalState::Withdrawn => p.note { (texts.called_off) },
            ProposalState::Accepted { target } | ProposalState::Done { target } => {
                p { a.btn href=(links::policy(*target, &proposal.page.text.title)) { (texts.new_policy) } }
            },
        }
    }
}

fn table(visit: &Visit, proposal: &Proposal, sources: &[Source], names: &Names) -> Markup {
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    let owners: BTreeSet<UserId> = sources
        .iter()
        .flat_map(|it| it.owners.iter().copied())
        .collect();
    let agreed = owners
        .iter()
        .filter(|it| proposal.agreed.contains(it))
        .count();
    let consent = |owner: &UserId| match proposal.agreed.contains(owner) {
        true => texts.agrees,
        false => texts.silent,
    };
    html! {
        section.sec aria-labelledby="h-sources" {
            div.row.apart.base {
                h2 #h-sources { (texts.sources) }
                span.small.muted { ((texts.agreed_count)(agreed, owners.len())) }
            }
            table.tbl.fold role="table" {
                caption.vh { (texts.sources_caption) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.policy) }
                    th.n role="columnheader" scope="col" { (texts.votes_row) }
                    th role="columnheader" scope="col" { (texts.consent) }
                } }
                tbody role="rowgroup" { @for it in sources {
                    tr role="row" {
                        th role="rowheader" scope="row" { span.name { a href=(links::policy(it.policy, &it.title)) {
                            @if it.title.is_empty() { (texts.erased) } @else { (it.title) }
                        } } }
                        td.n role="cell" data-l=(texts.votes_row) { (format.number(it.votes)) }
                        td role="cell" { @for owner in &it.owners { div { "@" (names.of(visit, *owner)) ", " (consent(owner)) } } }
                    }
                } }
            }
        }
    }
}

fn withdrawal(visit: &Visit, proposal: &Proposal) -> Markup {
    let texts = &visit.texts.desk.merges;
    html! {
        section.panel aria-labelledby="h-withdraw" {
            h2 #h-withdraw { (texts.withdraw) }
            p { (texts.withdraw_more) }
            (forms::form(visit, &merges::address(proposal.id), &html! {
                button.btn.is-bad { (texts.withdraw) }
            }))
        }
    }
}
