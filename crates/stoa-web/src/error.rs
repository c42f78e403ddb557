//! What keeps a page from being shown: each has a status, and a page of its own.

use stoa_session::Error;
use stoa_votes::model::{NotDone, RankingRefusal, Refusal};
use stoa_votes::ops::submit::NotAccepted;

/// Why a visit comes to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no such page.
    #[error("there is no such page")]
    NotFound,
    /// There is such a page, but nothing of the kind can be done with it.
    #[error("this cannot be done with this page")]
    WrongMethod,
    /// There was one, and it was taken away.
    #[error("this page was taken away")]
    Gone,
    /// Only for those who are signed in.
    #[error("sign in first")]
    SignInFirst,
    /// Only for those who confirmed their address.
    #[error("confirm your e-mail address first")]
    ConfirmFirst,
    /// Only for others.
    #[error("you may not do this")]
    NotAllowed,
    /// No page of ours made the request, or one from long ago.
    #[error("this form is too old or not ours")]
    Forged,
    /// What was sent makes no sense.
    #[error("this request makes no sense")]
    BadRequest,
    /// Too much was sent.
    #[error("too much was sent")]
    TooLarge,
    /// Too often.
    #[error("too many tries; wait a little")]
    TooMany {
        /// When to come again.
        seconds: u32,
    },
    /// Too much is going on.
    #[error("too much is going on; try again soon")]
    Busy {
        /// When to come again.
        seconds: u32,
    },
    /// The domain refused it.
    #[error("{message}")]
    Refused {
        /// The stable code of the refusal.
        code: String,
        /// What it says, in English.
        message: String,
    },
    /// Nobody knows whether it was done. Asking again with the same request tells.
    #[error("it is not known yet whether this was done: {0}")]
    Unknown(String),
    /// Something is broken here.
    #[error("{0}")]
    Broken(String),
}

impl Failure {
    /// That something is broken here.
    #[must_use]
    pub fn broken(what: &str) -> Self {
        Self::Broken(what.to_owned())
    }

    /// The status of HTTP.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::WrongMethod => 405,
            Self::Gone => 410,
            Self::SignInFirst => 401,
            Self::ConfirmFirst | Self::NotAllowed | Self::Forged => 403,
            Self::BadRequest => 400,
            Self::TooLarge => 413,
            Self::TooMany { .. } => 429,
            Self::Busy { .. } | Self::Unknown(_) => 503,
            Self::Refused { code, .. } => status_of(code),
            Self::Broken(_) => 500,
        }
    }

    /// The status of the page on which a form that was refused is shown once more.
    #[must_use]
    pub fn form_status(&self) -> u16 {
        match self.status() {
            kept @ (409 | 429) => kept,
            _ => 422,
        }
    }

    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::NotFound => "not_found",
            Self::WrongMethod => "wrong_method",
            Self::Gone => "gone",
            Self::SignInFirst => "not_signed_in",
            Self::ConfirmFirst => "email_unverified",
            Self::NotAllowed => "not_allowed",
            Self::Forged => "forged",
            Self::BadRequest => "bad_request",
            Self::TooLarge => "too_large",
            Self::TooMany { .. } => "too_many",
            Self::Busy { .. } => "busy",
            Self::Unknown(_) => "outcome_unknown",
            Self::Refused { code, .. } => code,
            Self::Broken(_) => "broken",
        }
    }

    /// When to come again, if that is known.
    #[must_use]
    pub fn retry_seconds(&self) -> Option<u32> {
        match self {
            Self::TooMany { seconds } | Self::Busy { seconds } => Some(*seconds),
            Self::Unknown(_) => Some(2),
            Self::Refused { code, .. } if status_of(code) == 429 => Some(60),
            _ => None,
        }
    }
}

/// The status of a refusal of the domain. What is not named here is a mistake in what was sent.
fn status_of(code: &str) -> u16 {
    match code {
        "no_such_policy" | "no_such_user" | "no_such_comment" | "no_such_case"
        | "no_such_target" | "no_such_proposal" | "no_such_tag" | "policy_not_listed" => 404,
        "policy_deleted" | "account_ended" => 410,
        "not_signed_in" => 401,
        "not_allowed" | "not_author" | "not_an_owner" | "own_doing" | "votes_not_public" => 403,
        "stale_basis" | "page_changed" | "request_reused" | "already_decided"
        | "proposal_decided" | "case_decided" | "case_taken" => 409,
        "too_many_comments" | "too_many_reports" | "too_many_policies" => 429,
        "clock_off" => 503,
        "bad_cursor" | "window_empty" | "malformed_request_id" => 400,
        _ => 422,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<NotDone> for Failure {
    fn from(not_done: NotDone) -> Self {
        match not_done {
            NotDone::Refused(refused) => Self::Refused {
                code: refused.code().to_owned(),
                message: refused.to_string(),
            },
            NotDone::Unknown(error) => error.into(),
        }
    }
}

impl From<RankingRefusal> for Failure {
    fn from(refusal: RankingRefusal) -> Self {
        NotDone::from(refusal).into()
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused {
            code: refusal.code().to_owned(),
            message: refusal.to_string(),
        }
    }
}

impl From<NotAccepted> for Failure {
    fn from(not_accepted: NotAccepted) -> Self {
        match not_accepted {
            NotAccepted::Unknown(error) => Self::Unknown(error.to_string()),
            other => Self::Refused {
                code: other.code().to_owned(),
                message: other.to_string(),
            },
        }
    }
}
