//! Everything that is kept about a member, to take away: one file of JSON.

use axum::http::header;
use maud::html;
use stoa_types::time_uuid;
use stoa_votes::model::{Comment, Happening, PolicyId};
use stoa_votes::ops::notifications::MOST_NOTIFICATIONS;

use super::{Tab, about, tabs};
use crate::answer::Answer;
use crate::error::Failure;
use crate::json::Json;
use crate::layout;
use crate::login::limits::EXPORT_ACCOUNT;
use crate::pages::votes::ledger;
use crate::route::Outcome;
use crate::visit::Visit;

/// Pages of a list that are read at most.
const MOST_PAGES: usize = 1_000;

/// `GET /settings/export`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.own;
    let main = html! {
        h1 { (texts.export) }
        (tabs(&visit, Tab::Export))
        div.narrow {
            p { (texts.export_more) }
            ul {
                li { (texts.export_account) }
                li { (texts.export_votes) }
                li { (texts.export_written) }
                li { (texts.export_told) }
            }
            p { (texts.export_not) }
            p { a.btn.go href="/settings/export/data" download="stoa.json" { (texts.export_button) } }
        }
    };
    Ok(layout::page(&visit, about(texts.export), main))
}

/// `GET /settings/export/data`
pub async fn data(visit: Visit) -> Outcome {
    let now = visit.app.clock.monotonic();
    let user = visit.viewer()?.id().to_string();
    visit
        .app
        .limits
        .take("export", &user, EXPORT_ACCOUNT, now)?;
    let all = everything(&visit).await?;
    let name = "attachment; filename=\"stoa.json\"";
    let body = format!("{all}\n").into_bytes();
    let answer = Answer::of("application/json; charset=utf-8", body);
    Ok(answer.with_header(header::CONTENT_DISPOSITION, name))
}

async fn everything(visit: &Visit) -> Result<Json, Failure> {
    let mut all = vec![
        ("written_at", moment(visit.now_micros())),
        ("account", account(visit).await?),
        ("sign_ins", sign_ins(visit).await?),
    ];
    if visit.viewer()?.member.is_some() {
        all.push(("votes", ledger::json(visit).await?));
        all.push(("policies", created(visit).await?));
        all.push(("comments", comments(visit).await?));
        all.push(("watched", watched(visit).await?));
        all.push(("notifications", notifications(visit).await?));
    }
    Ok(Json::Object(all))
}

fn moment(micros: i64) -> Json {
    Json::text(ledger::timestamp(micros))
}

async fn account(visit: &Visit) -> Result<Json, Failure> {
    let user = &visit.viewer()?.user;
    let votes = visit.votes();
    let roles = votes.roles(user.id).await?;
    let roles = roles.iter().map(|role| Json::text(role.name()));
    let settings = votes.notification_settings(user.id).await?;
    Ok(Json::Object(vec![
        ("id", Json::text(user.id.to_string())),
        ("name", Json::text(&*user.name)),
        ("email", Json::text(&*user.email)),
        ("first_name", Json::text(&*user.real_name.first)),
        ("last_name", Json::text(&*user.real_name.last)),
        ("real_name_is_shown", Json::Bool(user.real_name.is_shown)),
        ("registered_at", moment(user.created_micros)),
        ("roles", Json::List(roles.collect())),
        ("digest", Json::text(settings.digest.name())),
    ]))
}

async fn sign_ins(visit: &Visit) -> Result<Json, Failure> {
    let viewer = visit.viewer()?;
    let records = visit.votes().sign_ins(viewer.by(), viewer.id()).await?;
    let each = records.iter().map(|it| {
        let at = time_uuid::unix_micros(&it.at).unwrap_or(0);
        Json::Object(vec![
            ("at", moment(at)),
            ("network", Json::text(&*it.network)),
        ])
    });
    Ok(Json::List(each.collect()))
}

async fn created(visit: &Visit) -> Result<Json, Failure> {
    let mut list = Vec::new();
    let viewer = visit.viewer()?;
    for policy in visit.votes().created_by(viewer.id()).await? {
        let shown = visit.votes().page_for(viewer.by(), policy).await?;
        let text = shown.text.map(|it| it.text).unwrap_or_default();
        list.push(Json::Object(vec![
            ("id", Json::text(policy.to_string())),
            ("created_at", moment(policy.made_at_micros())),
            ("state", Json::text(shown.standing.state.name())),
            ("title", Json::text(text.title)),
            ("text", Json::text(text.description)),
            (
                "links",
                Json::List(text.links.into_iter().map(Json::Text).collect()),
            ),
        ]));
    }
    Ok(Json::List(list))
}

async fn comments(visit: &Visit) -> Result<Json, Failure> {
    let author = visit.viewer()?.id();
    let (mut list, mut before) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let page = visit.votes().own_comments(author, before).await?;
        list.extend(page.comments.iter().map(comment));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok(Json::List(list))
}

fn comment(it: &Comment) -> Json {
    Json::Object(vec![
        ("id", Json::text(it.id.to_string())),
        ("policy", Json::text(it.policy.to_string())),
        ("written_at", moment(it.id.made_at_micros())),
        ("state", Json::text(it.state.name())),
        ("subject", Json::text(&*it.subject)),
        ("text", Json::text(&*it.body)),
    ])
}

async fn watched(visit: &Visit) -> Result<Json, Failure> {
    let watched = visit.votes().watchlist(visit.viewer()?.id()).await?;
    let each = watched
        .iter()
        .map(|it: &PolicyId| Json::text(it.to_string()));
    Ok(Json::List(each.collect()))
}

async fn notifications(visit: &Visit) -> Result<Json, Failure> {
    let user = visit.viewer()?.id();
    let (mut list, mut before) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let page = visit
            .votes()
            .notifications(user, before, MOST_NOTIFICATIONS)
            .await?;
        list.extend(page.notifications.iter().map(notification));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok(Json::List(list))
}

fn notification(it: &Happening) -> Json {
    let policy = it
        .policy
        .map_or(Json::Null, |it| Json::text(it.to_string()));
    Json::Object(vec![
        ("at", moment(it.at_micros())),
        ("kind", Json::text(it.kind.name())),
        ("policy", policy),
        ("detail", Json::text(&*it.detail)),
    ])
}
