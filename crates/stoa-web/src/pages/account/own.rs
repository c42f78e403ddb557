//! One's own account: who one is, what one has, the way out.

use maud::html;
use stoa_votes::model::Role;

use crate::layout;
use crate::pages::own::{Tab, about, tabs};
use crate::pages::votes::held;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /account`
pub async fn show(visit: Visit) -> Outcome {
    let viewer = visit.viewer()?;
    let supported = match viewer.member {
        Some(_) => {
            let board = visit.votes().board().await?;
            held(&visit, &board).await?.len()
        }
        None => 0,
    };
    let (texts, format) = (&visit.texts.account, &visit.texts.format);
    let own = &visit.texts.own;
    let is_admin = visit.votes().has_role(viewer.id(), Role::Admin).await?;
    let main = html! {
        h1 { (texts.account) }
        (tabs(&visit, Tab::Account))
        @if visit.query.get("sent") == "1" {
            p.note.is-good role="status" { (texts.check_mail_more) }
        }
        @if viewer.member.is_none() {
            div.note.is-info {
                p { (visit.texts.layout.confirm_first) }
                (forms::form(&visit, "/account/confirm", &html! {
                    (forms::hidden("request", &visit.new_request().to_string()))
                    button.btn { (visit.texts.layout.send_again) }
                }))
            }
        }
        p { ((texts.signed_in_as)(&viewer.user.name)) }
        dl.facts {
            div { dt { (own.joined) } dd { (format.day(viewer.user.joined())) } }
            @if let Some(member) = &viewer.member {
                div { dt { (visit.texts.votes.left) } dd.price { (format.number(member.statement.balance)) } }
                div { dt { (own.supported) } dd { (supported) } }
            }
        }
        div.row.gap-t {
            @if viewer.member.is_some() { a.btn href={ "/users/" (viewer.user.name) } { (own.profile) } " " }
            a.btn href="/votes/statement" { (visit.texts.votes.statement) } " "
            @if is_admin { a.btn href="/admin" { (visit.texts.admin.title) } " " }
            (forms::form(&visit, "/sign-out", &html! { button.btn { (texts.sign_out) } }))
        }
    };
    Ok(layout::page(&visit, about(texts.account), main))
}
