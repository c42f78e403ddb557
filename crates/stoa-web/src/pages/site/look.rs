//! The form in the foot: light or dark, and the language.

use crate::answer::Answer;
use crate::links;
use crate::login::cookies::{Cookie, Kind};
use crate::route::Outcome;
use crate::texts;
use crate::visit::{Theme, Visit};

/// `POST /settings/look`
pub async fn change(visit: Visit) -> Outcome {
    let mut answer = Answer::see(links::own_path(visit.form.get("then")).unwrap_or("/"));
    if let Some(theme) = visit.form.find("theme") {
        answer = answer.with_cookie(match Theme::of_name(theme) {
            Theme::System => Cookie::gone(Kind::Theme),
            chosen => Cookie::kept(Kind::Theme, chosen.name()),
        });
    }
    if let Some(texts) = visit.form.find("language").and_then(texts::of_code) {
        answer = answer.with_cookie(Cookie::kept(Kind::Language, texts.code));
    }
    Ok(answer)
}
