//! What owners say to a merge that was proposed: they agree, or object with a reason.

use maud::{Markup, html};
use stoa_votes::model::{Day, PolicyId};
use stoa_votes::ops::page::ShownPage;
use stoa_votes::rules::ranking::RankingBoard;
use stoa_votes::tables::proposals::{Proposal, ProposalState};
use uuid::Uuid;

use super::{Names, title};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::markdown;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// Days in which owners may object.
const DAYS: i32 = 7;

/// The merges of a policy that owners are being asked about.
pub(super) async fn asked(visit: &Visit, policy: PolicyId) -> Result<Vec<Proposal>, Failure> {
    let mut open = visit.votes().open_proposals().await?;
    open.retain(|it| it.state == ProposalState::Open && it.sources.contains(&policy));
    Ok(open)
}

/// `GET /policies/{policy}/-/consent`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, None, &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/consent`
pub async fn submit(visit: Visit) -> Outcome {
    let proposal = Uuid::try_parse(visit.form.get("proposal")).ok();
    match answered(&visit, proposal).await {
        Err(failure) => {
            let field = |code: &str| match code {
                "no_reason" => "why",
                _ => "",
            };
            let status = failure.form_status();
            let mistakes = Mistakes::refused(&visit, failure, field)?;
            let page = page(&visit, proposal, &mistakes).await?;
            Ok(page.with_status(status))
        }
        done => done,
    }
}

async fn answered(visit: &Visit, proposal: Option<Uuid>) -> Outcome {
    let id = proposal.ok_or(Failure::BadRequest)?;
    let owner = visit.viewer()?.id();
    let address = links::of_policy(visit.policy()?, "consent");
    match visit.form.get("do") {
        "agree" => {
            let after = visit.votes().agree_to_merge(owner, id).await?;
            Ok(match after.state {
                ProposalState::Done { target } => Answer::see(&links::policy(target, "")),
                _ => Answer::see(&format!("{address}?done=agreed")),
            })
        }
        "object" => {
            let why = visit.form.get("why");
            visit.votes().object_to_merge(owner, id, why).await?;
            Ok(Answer::see(&format!("{address}?done=objected")))
        }
        _ => Err(Failure::BadRequest),
    }
}

/// The page; what is wrong is wrong with one of the proposals.
async fn page(visit: &Visit, wrong: Option<Uuid>, mistakes: &Mistakes) -> Outcome {
    let (policy, viewer) = (visit.policy()?, visit.viewer()?);
    let shown = visit.votes().page_for(viewer.by(), policy).await?;
    let board = visit.votes().board().await?;
    let texts = &visit.texts.acts;
    let name = &shown.page.title;
    let none = Mistakes::default();
    let mut sections = Vec::new();
    for it in asked(visit, policy).await? {
        let mistakes = if wrong == Some(it.id) {
            mistakes
        } else {
            &none
        };
        sections.push(section(visit, &board, &shown, &it, mistakes).await?);
    }
    let done = match visit.query.get("done") {
        "agreed" => Some(texts.merge_agreed),
        "objected" => Some(texts.merge_objected),
        _ => None,
    };
    let heading = (texts.merges_of)(name);
    let main = html! {
        div.narrow {
            h1 { (heading) }
            p { a href=(links::policy(policy, name)) { "← " (name) } }
            @if let Some(done) = done { p.note.is-good role="status" { (done) } }
            (mistakes.summary(visit))
            @if sections.is_empty() { p.muted { (texts.no_merges) } }
            @for section in &sections { (section) }
        }
    };
    let about = About {
        title: &heading,
        place: Place::Ranking,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

async fn section(
    visit: &Visit,
    board: &RankingBoard,
    shown: &ShownPage,
    it: &Proposal,
    mistakes: &Mistakes,
) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.acts, &visit.texts.format);
    let mut sources = Vec::new();
    for source in &it.sources {
        sources.push((*source, title(visit, board, *source).await?));
    }
    let mut names = Names::default();
    names.read(visit, vec![it.moderator]).await?;
    let until = Day::of_micros(it.proposed_micros()).plus(DAYS);
    let by = names.of(visit, it.moderator);
    Ok(html! {
        section.sec {
            h2 { ((texts.merge_into)(&it.page.text.title)) }
            p.meta { span { ((texts.merge_by)(by)) } span { ((texts.merge_until)(&format.day(until))) } span { ((texts.merge_consents)(it.agreed.len())) } }
            p { (texts.merge_sources) }
            ul { @for (source, name) in &sources { li { a href=(links::policy(*source, name)) { (name) } } } }
            details {
                summary { (texts.merge_text) }
                div.note.text { (markdown::html(&it.page.text.description)) }
            }
            p { (texts.merge_means) }
            @if shown.page.is_owned_by(visit.viewer()?.id()) { (answers(visit, shown, it, mistakes)?) }
        }
    })
}

fn answers(
    visit: &Visit,
    shown: &ShownPage,
    it: &Proposal,
    mistakes: &Mistakes,
) -> Result<Markup, Failure> {
    let texts = &visit.texts.acts;
    let address = links::of_policy(shown.page.policy, "consent");
    let has_agreed = it.agreed.contains(&visit.viewer()?.id());
    let typed = match mistakes.is_empty() {
        true => "",
        false => visit.form.get("why"),
    };
    Ok(html! {
        @if has_agreed { p.note.is-good { (texts.merge_agreed) } } @else {
            (forms::form(visit, &address, &html! {
                (forms::hidden("proposal", &it.id.to_string()))
                button.btn.go name="do" value="agree" { (texts.merge_agree) }
            }))
        }
        details open[!mistakes.is_empty()] {
            summary { (texts.merge_object) }
            form method="post" action=(address) novalidate {
                (forms::token(visit))
                (forms::hidden("proposal", &it.id.to_string()))
                (forms::area(Field { name: "why", label: texts.reason, hint: texts.reason_merge, value: typed, ..Field::default() }, 3, mistakes))
                button.btn.is-bad name="do" value="object" { (texts.merge_object) }
            }
        }
    })
}
