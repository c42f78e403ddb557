//! What may not be done with tags, and why. Each has a code that clients may rely on for ever.

/// Why something about a tag was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TagRefusal {
    /// A name of too few characters.
    #[error("a tag has at least 2 characters")]
    TooShort,
    /// A name of too many characters.
    #[error("a tag has at most 30 characters")]
    TooLong,
    /// A character that no tag has.
    #[error("a tag has letters, digits, spaces and hyphens only")]
    BadCharacter,
    /// The tag of this name was deleted.
    #[error("this tag was deleted and cannot be used")]
    Blocked,
    /// There is no such tag.
    #[error("there is no such tag")]
    NoSuchTag,
    /// The tag counts for another one.
    #[error("this tag was merged into another one")]
    Merged,
    /// Another tag has the name.
    #[error("another tag has this name; merge them instead")]
    NameTaken,
    /// A tag cannot be merged into itself.
    #[error("these are one tag")]
    SameTag,
    /// The policy has as many as it may have.
    #[error("a policy has at most 10 tags")]
    TooMany,
    /// The policy has the tag.
    #[error("the policy has this tag")]
    AlreadyTagged,
    /// The policy does not have the tag.
    #[error("the policy does not have this tag")]
    NotTagged,
    /// Too many suggestions within a day.
    #[error("you suggested as many tags as one may on a day")]
    TooManySuggestions,
    /// There is no such policy.
    #[error("there is no such policy")]
    NoSuchPolicy,
    /// The policy is merged, closed or taken away.
    #[error("this policy cannot be changed any more")]
    PolicyNotActive,
    /// A reason of too many bytes.
    #[error("a reason has at most 1000 bytes")]
    ReasonTooLong,
}

impl TagRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::TooShort => "tag_too_short",
            Self::TooLong => "tag_too_long",
            Self::BadCharacter => "tag_bad_character",
            Self::Blocked => "tag_blocked",
            Self::NoSuchTag => "no_such_tag",
            Self::Merged => "tag_merged",
            Self::NameTaken => "tag_name_taken",
            Self::SameTag => "same_tag",
            Self::TooMany => "too_many_tags",
            Self::AlreadyTagged => "already_tagged",
            Self::NotTagged => "not_tagged",
            Self::TooManySuggestions => "too_many_suggestions",
            Self::NoSuchPolicy => "no_such_policy",
            Self::PolicyNotActive => "policy_not_active",
            Self::ReasonTooLong => "reason_too_long",
        }
    }
}
