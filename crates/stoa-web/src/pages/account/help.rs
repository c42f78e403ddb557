//! For whoever cannot get in.

use maud::html;

use super::told;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /help`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.account;
    let then = html! { p { a.btn href="/forgot" { (texts.send_link) } } };
    Ok(told(&visit, texts.help, texts.help_more, &then))
}
