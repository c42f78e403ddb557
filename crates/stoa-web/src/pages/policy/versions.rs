//! Every version of a policy's text, with what changed from the one before.

use maud::{Markup, html};
use stoa_votes::model::{By, PolicyId, TextVersion};
use stoa_votes::rules::difference::{Piece, difference};

use super::Names;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::markdown;
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// `GET /policies/{policy}/-/versions`
pub async fn show(visit: Visit) -> Outcome {
    let policy = visit.policy()?;
    let versions = of(&visit, policy).await?;
    let last = versions.first().ok_or(Failure::NotFound)?;
    let mut names = Names::default();
    names
        .read(&visit, versions.iter().map(|it| it.author).collect())
        .await?;
    let heading = (visit.texts.policy.versions_of)(&last.text.title);
    let main = html! {
        h1 { (heading) }
        p { a href=(links::policy(policy, &last.text.title)) { "← " (last.text.title) } }
        @for (at, version) in versions.iter().enumerate() {
            section.sec {
                h2 { (heading_of(&visit, &names, version)) }
                @if !version.note.is_empty() { p.small.muted { (version.note) } }
                div.text { (changed(&visit, versions.get(at + 1), version)) }
            }
        }
    };
    Ok(layout::page(
        &visit,
        About {
            title: &heading,
            ..About::default()
        },
        main,
    ))
}

/// The versions that whoever looks may read, the last first.
pub(super) async fn of(visit: &Visit, policy: PolicyId) -> Result<Vec<TextVersion>, Failure> {
    let votes = visit.votes();
    Ok(match &visit.viewer {
        Some(viewer) => votes.versions_for(By::User(viewer.id()), policy).await?,
        None => votes.versions(policy).await?,
    })
}

/// Which version, when, by whom.
pub(super) fn heading_of(frame: &Frame, names: &Names, version: &TextVersion) -> String {
    let day = frame.texts.format.moment(version.at_micros());
    (frame.texts.policy.version)(version.version, &day, names.of(frame, version.author))
}

/// What changed between two versions, title and text.
pub(super) fn changed(frame: &Frame, old: Option<&TextVersion>, new: &TextVersion) -> Markup {
    let Some(old) = old else {
        return html! { p { (frame.texts.policy.first_version) } (markdown::html(&new.text.description)) };
    };
    html! {
        @if old.text.title != new.text.title {
            p { del { (old.text.title) } " " ins { (new.text.title) } }
        }
        (pieces(&old.text.description, &new.text.description))
        @if old.text.links != new.text.links {
            ul.small {
                @for link in old.text.links.iter().filter(|it| !new.text.links.contains(it)) { li { del { (link) } } }
                @for link in new.text.links.iter().filter(|it| !old.text.links.contains(it)) { li { ins { (link) } } }
            }
        }
    }
}

/// What changed between two texts.
pub(super) fn pieces(old: &str, new: &str) -> Markup {
    html! {
        p { @for piece in &difference(old, new) { @match piece {
            Piece::Kept(text) => (lines(text)),
            Piece::Removed(text) => del { (lines(text)) },
            Piece::Added(text) => ins { (lines(text)) },
        } } }
    }
}

fn lines(text: &str) -> Markup {
    html! {
        @for (at, line) in text.split('\n').enumerate() { @if at > 0 { br; } (line) }
    }
}
