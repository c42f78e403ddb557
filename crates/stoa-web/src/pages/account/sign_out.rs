//! Signing out: the login is gone at once, on every instance.

use stoa_votes::rules::secrets::Secret;

use crate::answer::Answer;
use crate::login::cookies::{Cookie, Kind};
use crate::route::Outcome;
use crate::visit::Visit;

/// `POST /sign-out`
pub async fn submit(visit: Visit) -> Outcome {
    if let Some(login) = &visit.login {
        visit.votes().sign_out(&Secret::shown(login)).await?;
    }
    Ok(Answer::see("/").with_cookie(Cookie::gone(Kind::Login)))
}
