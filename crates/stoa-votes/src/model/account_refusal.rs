//! What an account may not do, and why. Each has a code that clients may rely on for ever.

/// Why something about an account was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccountRefusal {
    /// A name of too few characters.
    #[error("a name has at least 3 characters")]
    NameTooShort,
    /// A name of too many characters.
    #[error("a name has at most 30 characters")]
    NameTooLong,
    /// A character that no name has.
    #[error("a name has letters, digits, and the signs - _ . only")]
    NameBadCharacter,
    /// A name that nobody may have.
    #[error("this name is reserved")]
    NameReserved,
    /// A name that somebody has.
    #[error("this name is taken")]
    NameTaken,
    /// Another spelling of a name that somebody has.
    #[error(
        "this name looks like one that is taken; letters and digits that look alike count as the same"
    )]
    NameLooksAlike,
    /// A first or last name of too many characters.
    #[error("a first or last name has at most 100 characters")]
    RealNameTooLong,
    /// A character that is not for reading.
    #[error("a first or last name is one line without control characters")]
    RealNameBadCharacter,
    /// No e-mail address.
    #[error("this is not an e-mail address")]
    EmailInvalid,
    /// An address that somebody has.
    #[error("there is an account with this e-mail address")]
    EmailTaken,
    /// The address was not confirmed yet.
    #[error("confirm your e-mail address first")]
    EmailUnverified,
    /// Too few bytes.
    #[error("a password has at least 8 characters")]
    PasswordTooShort,
    /// Too many bytes.
    #[error("a password has at most 1024 bytes")]
    PasswordTooLong,
    /// One that everybody tries first.
    #[error("this password is among the first that anybody would try")]
    PasswordTooCommon,
    /// No such user, or not the password. Nobody is told which.
    #[error("the name or the password is wrong")]
    WrongCredentials,
    /// No such token, or one that has expired.
    #[error("this link is not valid any more; ask for a new one")]
    TokenInvalid,
    /// A token that did its work.
    #[error("this link was used already")]
    TokenUsed,
    /// Nobody is signed in by that.
    #[error("you are not signed in")]
    NotSignedIn,
    /// A role that is needed is missing.
    #[error("you may not do this")]
    NotAllowed,
    /// There is no such user.
    #[error("there is no such user")]
    NoSuchUser,
    /// The account has ended.
    #[error("this account has ended")]
    AccountEnded,
    /// An account cannot be merged into itself.
    #[error("an account cannot be merged into itself")]
    SameAccount,
    /// The same request identifier came with another content.
    #[error("this request identifier was used for something else")]
    RequestReused,
}

impl AccountRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NameTooShort => "name_too_short",
            Self::NameTooLong => "name_too_long",
            Self::NameBadCharacter => "name_bad_character",
            Self::NameReserved => "name_reserved",
            Self::NameTaken => "name_taken",
            Self::NameLooksAlike => "name_looks_alike",
            Self::RealNameTooLong => "real_name_too_long",
            Self::RealNameBadCharacter => "real_name_bad_character",
            Self::EmailInvalid => "email_invalid",
            Self::EmailTaken => "email_taken",
            Self::EmailUnverified => "email_unverified",
            Self::PasswordTooShort => "password_too_short",
            Self::PasswordTooLong => "password_too_long",
            Self::PasswordTooCommon => "password_too_common",
            Self::WrongCredentials => "wrong_credentials",
            Self::TokenInvalid => "token_invalid",
            Self::TokenUsed => "token_used",
            Self::NotSignedIn => "not_signed_in",
            Self::NotAllowed => "not_allowed",
            Self::NoSuchUser => "no_such_user",
            Self::AccountEnded => "account_ended",
            Self::SameAccount => "same_account",
            Self::RequestReused => "request_reused",
        }
    }
}
