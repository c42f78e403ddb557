//! Merges: those that owners are being asked about, and those of a year.

use maud::{Markup, html};
use stoa_votes::model::Day;
use stoa_votes::tables::proposals::{Proposal, ProposalState};
use uuid::Uuid;

use super::{Tab, done};
use crate::error::Failure;
use crate::links;
use crate::pages::policy::Names;
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// Proposals of a page.
const MOST: usize = 25;

/// `GET /desk/merges`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.desk.merges;
    let this_year = visit.today().civil().year;
    let year = visit.query.number("year").unwrap_or(this_year);
    let before = Uuid::try_parse(visit.query.get("before")).ok();
    let mut names = Names::default();
    let open = visit.votes().open_proposals().await?;
    let of_year = i32::try_from(year).map_err(|_| Failure::BadRequest)?;
    let past = visit
        .votes()
        .proposals_of_year(of_year, before, MOST)
        .await?;
    let next = past.last().filter(|_| past.len() >= MOST);
    let next = next.map(|it| it.proposed.to_string());
    let main = html! {
        (done(&visit, &[("withdrawn", texts.withdrawn)]))
        p.row { a.btn.go href="/desk/merges/new" { (visit.texts.desk.new_merge) } }
        section.sec aria-labelledby="h-open" {
            h2 #h-open { (texts.under_way) }
            @if open.is_empty() {
                div.empty { (icons::mark()) h3 { (texts.none) } p.flush { (texts.none_more) } }
            } @else { (list(&visit, &open, &mut names).await?) }
        }
        @if !past.is_empty() {
            section.sec aria-labelledby="h-year" {
                h2 #h-year { ((texts.of_year)(year)) }
                (list(&visit, &past, &mut names).await?)
                @if let Some(before) = &next {
                    @let year = year.to_string();
                    nav.pager aria-label=(texts.earlier) {
                        a.btn href=(links::with_fields("/desk/merges", [("year", year.as_str()), ("before", before)])) { (texts.earlier) }
                    }
                }
            }
        }
        p.row.pad { a href=(links::with_fields("/desk/merges", [("year", (year - 1).to_string().as_str())])) { ((texts.of_year)(year - 1)) } }
    };
    Ok(super::page(&visit, Tab::Merges, texts.list, &main))
}

/// Proposals, with how each stands.
pub(super) async fn list(
    visit: &Visit,
    proposals: &[Proposal],
    names: &mut Names,
) -> Result<Markup, Failure> {
    let moderators = proposals.iter().map(|it| it.moderator);
    names.read(visit, moderators.collect()).await?;
    let (texts, format) = (&visit.texts.desk.merges, &visit.texts.format);
    Ok(html! {
        ul.lines { @for it in proposals {
            li {
                span.name { a href=(address(it.id)) { ((texts.proposal)(title(visit, it))) } }
                div.meta {
                    (badge(visit, it))
                    span { ((texts.source_count)(it.sources.len())) }
                    span { ((texts.by_on)(&moderator(visit, names, it), &format.day(Day::of_micros(it.proposed_micros())))) }
                }
            }
        } }
    })
}

/// The page of a proposal.
pub(super) fn address(id: Uuid) -> String {
    format!("/desk/merges/{id}")
}

/// What the new policy is called, if that is not erased.
pub(super) fn title<'a>(visit: &'a Visit, it: &'a Proposal) -> &'a str {
    match it.page.text.title.as_str() {
        "" => visit.texts.desk.merges.erased,
        title => title,
    }
}

/// Who proposed it.
pub(super) fn moderator(visit: &Visit, names: &Names, it: &Proposal) -> String {
    match it.moderator.0.is_nil() {
        true => visit.texts.desk.somebody.to_owned(),
        false => format!("@{}", names.of(visit, it.moderator)),
    }
}

/// How a proposal stands.
pub(super) fn badge(visit: &Visit, it: &Proposal) -> Markup {
    let texts = &visit.texts.desk.merges;
    let (class, text) = match it.state {
        ProposalState::Open => ("badge is-wait", texts.state_open),
        ProposalState::Objected { .. } => ("badge is-bad", texts.state_objected),
        ProposalState::Withdrawn => ("badge", texts.state_withdrawn),
        ProposalState::Accepted { .. } => ("badge is-info", texts.state_accepted),
        ProposalState::Done { .. } => ("badge is-good", texts.state_done),
    };
    html! { span class=(class) { (text) } " " }
}
