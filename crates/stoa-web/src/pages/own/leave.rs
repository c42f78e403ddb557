//! Leaving: what becomes of everything is said first, and the password is asked once more.

use std::sync::Arc;

use maud::html;

use super::{about, limit_passwords};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::login::cookies::{Cookie, Kind};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /settings/leave`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default())
}

/// `POST /settings/leave`
pub async fn submit(visit: Visit) -> Outcome {
    let texts = &visit.texts.own;
    let mut mistakes = Mistakes::default();
    if !visit.form.is_ticked("sure") {
        mistakes.add("sure", texts.leave_unsure);
    }
    if visit.form.get("password").is_empty() {
        mistakes.add("password", visit.texts.account.enter_password);
    }
    if !mistakes.is_empty() {
        return Ok(page(&visit, &mistakes)?.with_status(422));
    }
    limit_passwords(&visit)?;
    let (votes, user) = (Arc::clone(&visit.app.votes), visit.viewer()?.id());
    let password = visit.form.get("password").to_owned();
    let known = visit.hash(async move { votes.check_own_password(user, &password).await });
    if let Err(not_done) = known.await? {
        let field = |code: &str| match code {
            "wrong_credentials" => "password",
            _ => "",
        };
        let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
        return Ok(page(&visit, &mistakes)?.with_status(422));
    }
    visit.votes().leave(user).await?;
    Ok(Answer::see("/").with_cookie(Cookie::gone(Kind::Login)))
}

fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.own;
    let name = &visit.viewer()?.user.name;
    let is_sure = visit.form.is_ticked("sure");
    let main = html! {
        div.narrow {
            h1 { (texts.leave) }
            (mistakes.summary(visit))
            p { ((texts.leave_who)(name)) }
            ul {
                li { (texts.leave_votes) }
                li { (texts.leave_personal) }
                li { (texts.leave_written) }
                li { (texts.leave_name) }
            }
            p { a href="/settings/export" { (texts.leave_export) } }
            form method="post" action="/settings/leave" novalidate {
                (forms::token(visit))
                (forms::field(Field { name: "password", label: visit.texts.account.password, kind: "password", autocomplete: "current-password", ..Field::default() }, mistakes))
                fieldset {
                    @if let Some(what) = mistakes.of("sure") { span.err #e-sure { span aria-hidden="true" { "◆ " } (what) } }
                    label.opt { input #f-sure type="checkbox" name="sure" value="1" checked[is_sure]
                        aria-invalid=[forms::invalid("sure", mistakes)] aria-describedby=[forms::described("sure", "", mistakes)]; " "
                        span { (texts.leave_sure) } }
                }
                p.row {
                    button.btn.is-bad { (texts.leave_button) } " "
                    a.btn href="/settings" { (texts.stay) }
                }
            }
        }
    };
    Ok(layout::page(visit, about(texts.leave), main))
}
