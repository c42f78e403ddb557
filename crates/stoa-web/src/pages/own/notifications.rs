//! What a member was told, the last first, and how far it was read.

use maud::{Markup, html};
use stoa_votes::model::{CommentId, Happening, HappeningKind, PolicyId};
use stoa_votes::ops::notifications::Unread;
use stoa_votes::rules::ranking::RankingBoard;
use uuid::Uuid;

use super::{Tab, about, tabs};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::pages::policy::{Names, title};
use crate::parts::{forms, icons};
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// Notifications of a page.
const MOST: i32 = 30;

/// `GET /notifications`
pub async fn show(visit: Visit) -> Outcome {
    let user = visit.viewer()?.id();
    let votes = visit.votes();
    let before = Uuid::try_parse(visit.query.get("before")).ok();
    let told = votes.notifications(user, before, MOST).await?;
    let unread = votes.unread(user).await?;
    let seen = votes.notification_settings(user).await?.seen_through;
    let board = votes.board().await?;
    let mut names = Names::default();
    let actors = told.notifications.iter().map(|it| it.actor);
    names.read(&visit, actors.collect()).await?;
    let mut lines = Vec::new();
    for it in &told.notifications {
        let is_new = seen.is_none_or(|seen| it.at_micros() > micros(seen));
        lines.push(line(&visit, &board, &names, it, is_new).await?);
    }
    let texts = &visit.texts.own;
    let count = match unread {
        Unread::Exactly(count) => (texts.unread)(count),
        Unread::Many => texts.unread_many.to_owned(),
    };
    let newest = told.notifications.first().filter(|_| before.is_none());
    let main = html! {
        h1 { (texts.notifications) }
        (tabs(&visit, Tab::Notifications))
        @if lines.is_empty() {
            div.empty {
                (icons::mark())
                h2 { (texts.none_told) }
                p { (texts.none_told_more) }
                a.btn href="/watchlist" { (texts.watchlist) }
            }
        } @else {
            div.row.apart {
                p.flush role="status" { (count) }
                @if let Some(newest) = newest.filter(|_| unread != Unread::Exactly(0)) {
                    (forms::form(&visit, "/notifications", &html! {
                        (forms::hidden("through", &newest.id.to_string()))
                        button.btn.sm { (texts.read_all) }
                    }))
                }
            }
            ul.lines { @for line in &lines { (line) } }
            @if let Some(next) = told.next {
                nav.pager aria-label=(texts.notifications) {
                    a.btn href={ "/notifications?before=" (next) } { (texts.more) }
                }
            }
        }
        p.small.muted.gap-t { (texts.told_more) " " a href="/settings#h-digest" { (texts.digest) } }
    };
    Ok(layout::page(&visit, about(texts.notifications), main))
}

fn micros(id: Uuid) -> i64 {
    stoa_types::time_uuid::unix_micros(&id).unwrap_or(0)
}

async fn line(
    visit: &Visit,
    board: &RankingBoard,
    names: &Names,
    it: &Happening,
    is_new: bool,
) -> Result<Markup, Failure> {
    let texts = &visit.texts.own;
    let name = match it.policy {
        Some(policy) => title(visit, board, policy).await?,
        None => String::new(),
    };
    let address = address(it, &name);
    let what = what(visit, it, names.of(visit, it.actor));
    let is_told = it.kind == HappeningKind::RankMoved;
    Ok(html! {
        li {
            div.meta {
                @if is_new { span.badge.is-info { (texts.is_new) } " " }
                span { (visit.texts.format.moment(it.at_micros())) }
            }
            p.flush {
                (what)
                @if let Some(address) = address {
                    @let text = if name.is_empty() { texts.have_a_look } else { name.as_str() };
                    ": " a href=(address) { (text) }
                }
            }
            @if !it.detail.is_empty() && !is_told { p.small.flush.muted { "“" (it.detail) "”" } }
        }
    })
}

/// Where it can be seen.
fn address(it: &Happening, name: &str) -> Option<String> {
    let policy: PolicyId = it.policy?;
    Some(match (it.kind, it.about) {
        (HappeningKind::Commented | HappeningKind::Replied, Some(comment)) => {
            links::comment(policy, CommentId(comment))
        }
        (HappeningKind::MergeProposed, _) => links::of_policy(policy, "consent"),
        (HappeningKind::Edited, _) => links::of_policy(policy, "versions"),
        _ => links::policy(policy, name),
    })
}

fn what(frame: &Frame, it: &Happening, actor: &str) -> String {
    let texts = &frame.texts.own;
    let by = match it.kind {
        HappeningKind::Created => texts.told_created,
        HappeningKind::Edited => texts.told_edited,
        HappeningKind::Commented => texts.told_commented,
        HappeningKind::Replied => texts.told_replied,
        HappeningKind::Tagged => texts.told_tagged,
        HappeningKind::MergeObjected => texts.told_objected,
        HappeningKind::Responded => return texts.told_responded.to_owned(),
        HappeningKind::Milestone => return texts.told_milestone.to_owned(),
        HappeningKind::MergeProposed => return texts.told_merge_proposed.to_owned(),
        HappeningKind::Merged => return texts.told_merged.to_owned(),
        HappeningKind::Retired => return texts.told_retired.to_owned(),
        HappeningKind::Hidden => return texts.told_hidden.to_owned(),
        HappeningKind::Shown => return texts.told_shown.to_owned(),
        HappeningKind::Deleted => return texts.told_deleted.to_owned(),
        HappeningKind::RankMoved => return (texts.told_rank_moved)(&it.detail),
        HappeningKind::ReportDecided => return texts.told_report_decided.to_owned(),
        HappeningKind::RoleChanged => return texts.told_role_changed.to_owned(),
    };
    by(actor)
}

/// `POST /notifications`: everything up to one has been read.
pub async fn submit(visit: Visit) -> Outcome {
    let through = Uuid::try_parse(visit.form.get("through"));
    let through = through.map_err(|_| Failure::BadRequest)?;
    let user = visit.viewer()?.id();
    visit.votes().see_notifications(user, through).await?;
    Ok(Answer::see("/notifications"))
}
