//! What may not be done to a page, and why. Each has a code that clients may rely on for ever.

use super::ids::PolicyId;

/// Why something about a page was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PageRefusal {
    /// Too few characters.
    #[error("a title has at least 5 characters")]
    TitleTooShort,
    /// Too many characters.
    #[error("a title has at most 120 characters")]
    TitleTooLong,
    /// A line break, or a character that nobody sees.
    #[error("a title is one line of visible characters")]
    TitleBadCharacter,
    /// Too many characters.
    #[error("a description has at most 20000 characters")]
    DescriptionTooLong,
    /// A character that nobody sees.
    #[error("a text has visible characters only")]
    TextBadCharacter,
    /// Too many links.
    #[error("a policy has at most 10 links")]
    TooManyLinks,
    /// Not an address on the web.
    #[error("a link begins with http:// or https:// and has at most 500 characters")]
    BadLink,
    /// No such category, or one that is not used any more.
    #[error("there is no such category")]
    NoSuchCategory,
    /// No such party, or one that is not active.
    #[error("there is no such party")]
    NoSuchParty,
    /// There is no page of that policy, or nobody may see it.
    #[error("there is no policy {0}")]
    NoSuchPolicy(PolicyId),
    /// The policy has ended.
    #[error("the policy {0} is closed")]
    Closed(PolicyId),
    /// It was made for a page that has changed.
    #[error("the page was changed meanwhile; look at it again")]
    Changed,
    /// Nothing would change.
    #[error("nothing would change")]
    Nothing,
    /// A reason is wanted.
    #[error("say why, in 3 to 500 characters")]
    NoReason,
    /// Too many characters about an edit.
    #[error("a note about an edit has at most 200 characters")]
    NoteTooLong,
    /// Too many characters about a category or party.
    #[error("a category or party is described in at most 2000 characters")]
    AboutTooLong,
    /// An official word that is none, or a novel.
    #[error("a response has 1 to 10000 characters, a status at most 500, a milestone 1 to 500")]
    BadResponse,
    /// The same policy twice on the front page on one day.
    #[error("a policy is on the front page once a day")]
    FeaturedTwice,
    /// Something that people do not see cannot be put where they look.
    #[error("the policy {0} is not shown to people")]
    NotShown(PolicyId),
    /// Others have votes on it.
    #[error("others have votes on this policy, so only a moderator can close it")]
    OthersVote,
    /// A text that was changed too often.
    #[error("this text was changed 500 times, and that is all it can be")]
    TooManyVersions,
    /// The same request identifier came with another content.
    #[error("this request identifier was used for something else")]
    RequestReused,
    /// Too many on the front page on one day.
    #[error("at most 6 policies are on the front page on one day")]
    TooManyFeatured,
    /// An entry that ends before it begins.
    #[error("the last day on the front page is before the first")]
    FeaturedBackwards,
    /// A key that is none.
    #[error("a key has 2 to 30 small letters, digits and -")]
    BadKey,
    /// A name that is none.
    #[error("a name has 2 to 80 visible characters")]
    BadName,
    /// A merge of fewer than two.
    #[error("a merge is of 2 to 20 policies that take votes")]
    BadMerge,
    /// No such proposal.
    #[error("there is no such proposal")]
    NoSuchProposal,
    /// A proposal that was decided.
    #[error("this proposal was decided already")]
    ProposalDecided,
    /// Somebody who owns none of the policies.
    #[error("only owners of the policies are asked")]
    NotAnOwner,
    /// Too many policies of one user in a day.
    #[error("at most 5 policies a day can be created by one person")]
    TooManyPolicies,
}

impl PageRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::TitleTooShort => "title_too_short",
            Self::TitleTooLong => "title_too_long",
            Self::TitleBadCharacter => "title_bad_character",
            Self::DescriptionTooLong => "description_too_long",
            Self::TextBadCharacter => "text_bad_character",
            Self::TooManyLinks => "too_many_links",
            Self::BadLink => "bad_link",
            Self::NoSuchCategory => "no_such_category",
            Self::NoSuchParty => "no_such_party",
            Self::NoSuchPolicy(_) => "no_such_policy",
            Self::Closed(_) => "policy_closed",
            Self::Changed => "page_changed",
            Self::Nothing => "nothing_to_do",
            Self::NoReason => "no_reason",
            Self::NoteTooLong => "note_too_long",
            Self::AboutTooLong => "about_too_long",
            Self::BadResponse => "bad_response",
            Self::FeaturedTwice => "featured_twice",
            Self::NotShown(_) => "policy_not_shown",
            Self::OthersVote => "others_vote",
            Self::TooManyVersions => "too_many_versions",
            Self::RequestReused => "request_reused",
            Self::TooManyFeatured => "too_many_featured",
            Self::FeaturedBackwards => "featured_backwards",
            Self::BadKey => "bad_key",
            Self::BadName => "bad_name",
            Self::BadMerge => "bad_merge",
            Self::NoSuchProposal => "no_such_proposal",
            Self::ProposalDecided => "proposal_decided",
            Self::NotAnOwner => "not_an_owner",
            Self::TooManyPolicies => "too_many_policies",
        }
    }
}
