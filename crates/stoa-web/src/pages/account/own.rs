//! One's own account: who one is, the way out, where one signed in.

use maud::html;
use stoa_types::time_uuid;

use crate::layout::{self, About};
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /account`
pub async fn show(visit: Visit) -> Outcome {
    let viewer = visit.viewer()?;
    let records = visit.votes().sign_ins(viewer.by(), viewer.id()).await?;
    let (texts, format) = (&visit.texts.account, &visit.texts.format);
    let main = html! {
        h1 { (texts.account) }
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
        (forms::form(&visit, "/sign-out", &html! { button.btn { (texts.sign_out) } }))
        section.sec aria-labelledby="h-in" {
            h2 #h-in { (texts.sign_ins) }
            table.tbl {
                caption { (texts.sign_ins_more) }
                thead { tr { th scope="col" { (texts.when) } th scope="col" { (texts.network) } } }
                tbody { @for it in &records {
                    tr {
                        th scope="row" { (format.moment(time_uuid::unix_micros(&it.at).unwrap_or(0))) }
                        td { (it.network) }
                    }
                } }
            }
        }
    };
    Ok(layout::page(
        &visit,
        About {
            title: texts.account,
            ..About::default()
        },
        main,
    ))
}
