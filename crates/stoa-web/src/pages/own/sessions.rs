//! Where one is signed in, with the way to end each login, and where one signed in lately.

use maud::html;
use stoa_types::time_uuid;
use stoa_votes::ops::own_logins::OwnLogin;
use stoa_votes::rules::secrets::Secret;

use super::{Tab, about, tabs};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::login::cookies::{Cookie, Kind};
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// The login of this browser.
fn this_one(visit: &Visit) -> Result<Secret, Failure> {
    let login = visit.login.as_deref().ok_or(Failure::SignInFirst)?;
    Ok(Secret::shown(login))
}

/// `GET /settings/sessions`
pub async fn show(visit: Visit) -> Outcome {
    let viewer = visit.viewer()?;
    let own = visit.votes().own_logins(viewer.id()).await?;
    let records = visit.votes().sign_ins(viewer.by(), viewer.id()).await?;
    let here = this_one(&visit)?.digest();
    let (texts, account, format) = (&visit.texts.own, &visit.texts.account, &visit.texts.format);
    let main = html! {
        h1 { (texts.sessions) }
        (tabs(&visit, Tab::Sessions))
        @match visit.query.get("ended") {
            "1" => { p.note.is-good role="status" { (texts.session_ended) } },
            "others" => { p.note.is-good role="status" { (texts.others_ended) } },
            _ => {},
        }
        section aria-labelledby="h-own" {
            h2 #h-own { (texts.signed_in_at) }
            table.tbl.fold role="table" {
                caption { (texts.sessions_more) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (account.network) }
                    th role="columnheader" scope="col" { (texts.since) }
                    th role="columnheader" scope="col" { (texts.last_seen) }
                    th role="columnheader" scope="col" { span.vh { (texts.end_session) } }
                } }
                tbody role="rowgroup" { @for it in &own {
                    tr role="row" {
                        th role="rowheader" scope="row" {
                            @if it.network.is_empty() { (texts.unknown_network) } @else { (it.network) }
                            @if it.digest == here { " " span.badge.is-info { (texts.this_session) } }
                        }
                        td role="cell" data-l=(texts.since) { (format.moment(it.created_micros)) }
                        td role="cell" data-l=(texts.last_seen) { (format.moment(it.seen_micros)) }
                        td role="cell" { (end_button(&visit, it)) }
                    }
                } }
            }
            @if own.len() > 1 {
                div.gap-t { (forms::form(&visit, "/settings/sessions", &html! {
                    button.btn.is-bad name="others" value="1" { (texts.end_others) }
                })) }
            }
        }
        section.sec aria-labelledby="h-in" {
            h2 #h-in { (account.sign_ins) }
            table.tbl {
                caption { (account.sign_ins_more) }
                thead { tr { th scope="col" { (account.when) } th scope="col" { (account.network) } } }
                tbody { @for it in &records {
                    tr {
                        th scope="row" { (format.moment(time_uuid::unix_micros(&it.at).unwrap_or(0))) }
                        td { (it.network) }
                    }
                } }
            }
        }
    };
    Ok(layout::page(&visit, about(texts.sessions), main))
}

fn end_button(visit: &Visit, it: &OwnLogin) -> maud::Markup {
    let texts = &visit.texts.own;
    let since = visit.texts.format.moment(it.created_micros);
    forms::form(
        visit,
        "/settings/sessions",
        &html! {
            (forms::hidden("end", &it.digest))
            button.btn.sm aria-label=((texts.end_session_of)(&since)) { (texts.end_session) }
        },
    )
}

/// `POST /settings/sessions`
pub async fn submit(visit: Visit) -> Outcome {
    let user = visit.viewer()?.id();
    let here = this_one(&visit)?;
    if visit.form.get("others") == "1" {
        visit.votes().end_other_logins(user, &here).await?;
        return Ok(Answer::see("/settings/sessions?ended=others"));
    }
    let digest = visit.form.get("end");
    visit.votes().end_login(user, digest).await?;
    if digest == here.digest() {
        return Ok(Answer::see("/").with_cookie(Cookie::gone(Kind::Login)));
    }
    Ok(Answer::see("/settings/sessions?ended=1"))
}
