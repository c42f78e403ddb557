//! Roles: who has which, since when and by whom; giving one and taking one.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{NotDone, Role, UserId};
use stoa_votes::tables::roles::Grant;

use super::{name, page};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/roles";

/// `GET /admin/roles`
pub async fn show(visit: Visit) -> Outcome {
    list(&visit, &Mistakes::default()).await
}

/// `POST /admin/roles`: gives a role.
pub async fn grant(visit: Visit) -> Outcome {
    let role = Role::of_name(visit.form.get("role"));
    let mut mistakes = Mistakes::default();
    let named = visit.form.trimmed("name");
    if named.is_empty() {
        mistakes.add("name", visit.texts.account.enter_name);
    }
    if role.is_none() {
        mistakes.add("role", visit.texts.admin.choose_role);
    }
    let Some(role) = role.filter(|_| mistakes.is_empty()) else {
        return Ok(list(&visit, &mistakes).await?.with_status(422));
    };
    let by = visit.viewer()?.by();
    let found = match visit.votes().find_account(by, named).await {
        Ok(found) => found,
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, not_done.into(), field_of)?;
            return Ok(list(&visit, &mistakes).await?.with_status(422));
        }
    };
    match visit.votes().grant_role(by, found.user, role).await {
        Ok(()) => Ok(Answer::see(&told("granted", found.user, role))),
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, not_done.into(), field_of)?;
            Ok(list(&visit, &mistakes).await?.with_status(422))
        }
    }
}

/// `POST /admin/roles/revoke`: takes a role. The last admin stays one, since nobody could make
/// another.
pub async fn revoke(visit: Visit) -> Outcome {
    let role = Role::of_name(visit.form.get("role"));
    let user = visit.form.get("user").parse().ok().map(UserId);
    let here = visit.at(LIST);
    let mut mistakes = Mistakes::default();
    let (Some(role), Some(user)) = (role, user) else {
        mistakes.add_whole(visit.texts.failed.bad_request_more);
        return Ok(list(&here, &mistakes).await?.with_status(422));
    };
    if role == Role::Admin {
        let admins = visit.votes().grants(Role::Admin).await?;
        if admins.iter().all(|grant| grant.user == user) {
            mistakes.add("name", visit.texts.admin.last_admin);
            return Ok(list(&here, &mistakes).await?.with_status(422));
        }
    }
    let by = visit.viewer()?.by();
    visit.votes().revoke_role(by, user, role).await?;
    Ok(Answer::see(&told("revoked", user, role)))
}

fn field_of(code: &str) -> &'static str {
    match code {
        "no_such_user" | "account_ended" => "name",
        _ => "",
    }
}

/// The list, with what was just done.
fn told(what: &str, user: UserId, role: Role) -> String {
    let user = user.to_string();
    links::with_fields(LIST, [(what, user.as_str()), ("role", role.name())])
}

/// What was just done, in words; nothing if the address does not say it.
async fn news(visit: &Visit) -> Result<Option<String>, Failure> {
    let texts = &visit.texts.admin;
    let query = &visit.query;
    let (user, says) = match (query.find("granted"), query.find("revoked")) {
        (Some(user), _) => (user, texts.granted),
        (None, Some(user)) => (user, texts.revoked),
        (None, None) => return Ok(None),
    };
    let (Ok(user), Some(role)) = (user.parse(), Role::of_name(query.get("role"))) else {
        return Ok(None);
    };
    match visit.votes().user(UserId(user)).await {
        Ok(user) => Ok(Some(says(&user.name, (texts.role_name)(role)))),
        Err(NotDone::Refused(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn list(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.admin;
    let mut names = Names::default();
    let mut all = Vec::new();
    for (role, _) in Role::NAMES {
        let grants = visit.votes().grants(role).await?;
        let people = grants.iter().flat_map(|it| [it.user, it.changed_by]);
        let people = people.filter(|it| !it.0.is_nil());
        names.read(visit, people.collect()).await?;
        all.push((role, grants));
    }
    let news = news(visit).await?;
    let main = html! {
        h1 { (texts.roles) }
        (mistakes.summary(visit))
        @if let Some(news) = news { p.note.is-good role="status" { (news) } }
        p.text { (texts.roles_about) }
        table.tbl.fold role="table" {
            caption.vh { (texts.roles) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.role) }
                th role="columnheader" scope="col" { (texts.person) }
                th role="columnheader" scope="col" { (texts.since) }
                th role="columnheader" scope="col" { (texts.given_by) }
                th role="columnheader" scope="col" { (texts.action) }
            } }
            tbody role="rowgroup" { @for (role, grants) in &all { (rows(visit, &names, *role, grants)) } }
        }
        (form(visit, mistakes))
    };
    Ok(page(visit, LIST, texts.roles, &main))
}

/// Everybody who has a role, one in a row.
fn rows(visit: &Visit, names: &Names, role: Role, grants: &[Grant]) -> Markup {
    let (texts, format) = (&visit.texts.admin, &visit.texts.format);
    let named = (texts.role_name)(role);
    let begun = |grant: &Grant| time_uuid::unix_micros(&grant.change).unwrap_or(0);
    html! {
        @if grants.is_empty() {
            tr role="row" {
                th role="rowheader" scope="row" { (named) div.small.muted { ((texts.role_about)(role)) } }
                td.muted role="cell" colspan="4" { (texts.nobody) }
            }
        }
        @for (at, grant) in grants.iter().enumerate() {
            @let who = names.of(visit, grant.user);
            tr role="row" {
                th role="rowheader" scope="row" {
                    (named)
                    @if at == 0 { div.small.muted { ((texts.role_about)(role)) } }
                }
                td role="cell" data-l=(texts.person) { b { "@" (who) } }
                td role="cell" data-l=(texts.since) { (format.moment(begun(grant))) }
                td role="cell" data-l=(texts.given_by) { (name(visit, names, grant.changed_by)) }
                td role="cell" {
                    (forms::form(visit, "/admin/roles/revoke", &html! {
                        (forms::hidden("user", &grant.user.to_string()))
                        (forms::hidden("role", role.name()))
                        button.btn.sm.is-bad { (texts.revoke) span.vh { ": " (named) ", @" (who) } }
                    }))
                }
            }
        }
    }
}

fn form(visit: &Visit, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.admin;
    let typed = &visit.form;
    html! {
        section.sec aria-labelledby="h-grant" {
            h2 #h-grant { (texts.grant) }
            form.narrow method="post" action=(LIST) novalidate {
                (forms::token(visit))
                (forms::field(Field { name: "name", label: texts.grant_name, value: typed.get("name"), most: 254, ..Field::default() }, mistakes))
                div.field {
                    (forms::above("role", texts.role, "", mistakes))
                    select.in #f-role name="role" aria-invalid=[forms::invalid("role", mistakes)]
                        aria-describedby=[forms::described("role", "", mistakes)] {
                        option value="" {}
                        @for (role, value) in Role::NAMES {
                            option value=(value) selected[typed.get("role") == value] { ((texts.role_name)(role)) }
                        }
                    }
                }
                button.btn.go { (texts.grant_button) }
            }
        }
    }
}
