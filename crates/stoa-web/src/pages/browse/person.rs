//! The page of somebody: what they proposed, what they may do, and as much of their votes as the
//! community shows.
//!
//! Votes, and how many are unspent, are for everybody only where the ledger shows who votes for what:
//! elsewhere such figures would tell which name of the ledger is whose.

use maud::{Markup, html};
use stoa_votes::model::{NotDone, PolicyId, PrivacyMode, Role};
use stoa_votes::ops::profile::Profile;
use stoa_votes::ops::public_votes::AllocationPage;
use stoa_votes::rules::ranking::RankingBoard;
use uuid::Uuid;

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::pages::policy::title;
use crate::parts::ranked;
use crate::route::Outcome;
use crate::texts::browse::BrowseTexts;
use crate::visit::Visit;

/// Proposed policies that are shown, the newest.
const MOST_CREATED: usize = 50;
/// Policies with votes of a page.
const MOST_VOTES: i32 = 50;

/// Who sees what somebody has votes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Everybody,
    OnlySelf,
    Nobody,
}

/// `GET /users/{name}`
pub async fn show(visit: Visit) -> Outcome {
    let asked = visit.param("name");
    let user = visit.votes().find_person(asked).await?;
    if user.name != asked {
        return Ok(Answer::moved(&links::person(&user.name)));
    }
    let profile = visit.votes().profile(user.id).await?;
    let board = visit.votes().board().await?;
    let is_self = visit.viewer.as_ref().is_some_and(|it| it.id() == user.id);
    let sight = match visit.notice.rules.privacy {
        PrivacyMode::Public => Sight::Everybody,
        PrivacyMode::Pseudonymous | PrivacyMode::Tallies if is_self => Sight::OnlySelf,
        PrivacyMode::Pseudonymous | PrivacyMode::Tallies => Sight::Nobody,
    };
    let created = titles(
        &visit,
        &board,
        profile.created.iter().rev().take(MOST_CREATED),
    )
    .await?;
    let main = html! {
        (header(&visit, &profile, sight))
        section.sec aria-labelledby="h-made" {
            h2 #h-made { (visit.texts.browse.created_title) }
            (proposed(&visit, &board, &profile, &created))
        }
        section.sec aria-labelledby="h-votes" {
            h2 #h-votes { (visit.texts.browse.votes_title) }
            (votes(&visit, &board, &profile, sight).await?)
        }
    };
    let name = format!("@{}", profile.name);
    let joined = (visit.texts.browse.joined)(&visit.texts.format.day(profile.joined));
    let about = About {
        title: &name,
        description: &joined,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

fn header(visit: &Visit, profile: &Profile, sight: Sight) -> Markup {
    let (texts, format) = (&visit.texts.browse, &visit.texts.format);
    let created = i64::try_from(profile.created.len()).unwrap_or(i64::MAX);
    let voted = i64::try_from(profile.voted_for).unwrap_or(i64::MAX);
    html! {
        h1 { "@" (profile.name) }
        @if let Some(name) = &profile.real_name { p.lead { (name) } }
        p.meta {
            span { ((texts.joined)(&format.day(profile.joined))) }
            @for role in &profile.roles { span.badge.is-info { (role_name(texts, *role)) } }
        }
        dl.facts {
            div { dt { (texts.created_figure) } dd { (format.number(created)) } }
            @if sight != Sight::Nobody {
                div { dt { (texts.unspent_figure) } dd { (format.number(profile.balance)) } }
                div { dt { (texts.voted_figure) } dd { (format.number(voted)) } }
            }
        }
        @if sight == Sight::OnlySelf { p.small.muted { (texts.votes_hidden_own) } }
    }
}

/// What a role is called.
#[must_use]
pub fn role_name(texts: &BrowseTexts, role: Role) -> &'static str {
    match role {
        Role::Admin => texts.role_admin,
        Role::EditPolicies => texts.role_edit_policies,
        Role::EditUsers => texts.role_edit_users,
        Role::ModerateTags => texts.role_moderate_tags,
        Role::ModerateComments => texts.role_moderate_comments,
        Role::MergePolicies => texts.role_merge_policies,
        Role::FeaturePolicies => texts.role_feature_policies,
        Role::HandleReports => texts.role_handle_reports,
        Role::PublishOfficial => texts.role_publish_official,
    }
}

/// The titles of policies that everybody may read.
async fn titles(
    visit: &Visit,
    board: &RankingBoard,
    policies: impl Iterator<Item = &PolicyId>,
) -> Result<Vec<(PolicyId, String)>, Failure> {
    let mut titles = Vec::new();
    for policy in policies {
        let title = title(visit, board, *policy).await?;
        if !title.is_empty() {
            titles.push((*policy, title));
        }
    }
    Ok(titles)
}

fn proposed(
    visit: &Visit,
    board: &RankingBoard,
    profile: &Profile,
    created: &[(PolicyId, String)],
) -> Markup {
    let (texts, format) = (&visit.texts.browse, &visit.texts.format);
    let older = profile.created.len().saturating_sub(MOST_CREATED);
    html! {
        @if created.is_empty() { p.muted { ((texts.created_none)(&profile.name)) } }
        @else {
            ul.lines { @for (policy, title) in created {
                li {
                    (ranked::name(title, *policy))
                    @if let Some(line) = board.line(*policy) {
                        div.meta { span.num { ((visit.texts.front.votes)(&format.number(line.facts.total))) } }
                    }
                }
            } }
        }
        @if older > 0 {
            p.muted { ((texts.created_more)(&format.number(i64::try_from(older).unwrap_or(0)))) }
        }
    }
}

async fn votes(
    visit: &Visit,
    board: &RankingBoard,
    profile: &Profile,
    sight: Sight,
) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.browse, &visit.texts.format);
    match sight {
        Sight::Nobody => return Ok(html! { p.muted { (texts.votes_hidden) } }),
        Sight::OnlySelf => return Ok(html! { p { a href="/votes" { (texts.own_votes) } } }),
        Sight::Everybody => {}
    }
    let after = Uuid::try_parse(visit.query.get("after")).ok().map(PolicyId);
    let page = match visit
        .votes()
        .votes_of(profile.user, after, MOST_VOTES)
        .await
    {
        // Who chose the mode may have changed it since the rules were read.
        Err(NotDone::Refused(_)) => AllocationPage {
            votes: Vec::new(),
            next: None,
        },
        other => other?,
    };
    let mut shown = Vec::new();
    for (policy, total) in &page.votes {
        shown.push((*policy, title(visit, board, *policy).await?, *total));
    }
    let path = links::person(&profile.name);
    Ok(html! {
        @if shown.is_empty() { p.muted { ((texts.votes_none)(&profile.name)) } }
        @else {
            ul.lines { @for (policy, title, total) in &shown {
                li {
                    (ranked::name(title, *policy))
                    div.meta { span.num { ((visit.texts.front.votes)(&format.number(*total))) } }
                }
            } }
        }
        @if let Some(next) = page.next {
            nav.pager aria-label=(texts.votes_title) {
                a.btn href=(links::with_fields(&path, [("after", next.to_string().as_str())])) { (texts.votes_next) }
            }
        }
    })
}
