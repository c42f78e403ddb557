//! What cannot be said, reported or judged, and why. Each has a code that clients may rely on for
//! ever.

use super::ids::PolicyId;

/// Why something about a comment, a report or a case was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TalkRefusal {
    /// A comment without a text.
    #[error("a comment has a text")]
    BodyEmpty,
    /// A text of too many characters.
    #[error("a comment has at most 10,000 characters")]
    BodyTooLong,
    /// A text with a control character.
    #[error("a comment has no control characters but tabs and ends of lines")]
    BodyBadCharacter,
    /// A subject of too many characters.
    #[error("a subject has at most 200 characters")]
    SubjectTooLong,
    /// A subject with a control character.
    #[error("a subject is one line without control characters")]
    SubjectBadCharacter,
    /// No reason where one is needed.
    #[error("say why")]
    ReasonEmpty,
    /// A reason of too many characters.
    #[error("this has at most 2,000 characters")]
    ReasonTooLong,
    /// A reason with a control character.
    #[error("this has no control characters but tabs and ends of lines")]
    ReasonBadCharacter,
    /// There is no such policy.
    #[error("there is no such policy")]
    NoSuchPolicy,
    /// A policy that is hidden until somebody has looked at it.
    #[error("this policy is hidden until somebody has looked at it")]
    PolicyHidden,
    /// A policy that was taken away.
    #[error("this policy was taken away")]
    PolicyDeleted,
    /// A policy that counts for another one, where comments belong now.
    #[error("this policy was merged; comment on {root}")]
    PolicyMerged {
        /// The one that it counts for.
        root: PolicyId,
    },
    /// There is no such comment.
    #[error("there is no such comment")]
    NoSuchComment,
    /// A comment that was removed.
    #[error("this comment was removed")]
    CommentRemoved,
    /// A comment that is hidden until somebody has looked at it.
    #[error("this comment is hidden until somebody has looked at it")]
    CommentHidden,
    /// Only its author may do this.
    #[error("this comment is somebody else's")]
    NotAuthor,
    /// Only others may do this.
    #[error("this is your own")]
    OwnDoing,
    /// A comment is edited within a day.
    #[error("a comment can be edited for 24 hours")]
    EditTooLate,
    /// More comments in an hour than anybody reads.
    #[error("you have written 30 comments within an hour; go on in the next")]
    TooManyComments,
    /// More reports in an hour than anybody needs.
    #[error("there were too many reports from you within an hour; go on in the next")]
    TooManyReports,
    /// There is nothing that could be reported so.
    #[error("there is no such thing to report")]
    NoSuchTarget,
    /// There is no such case.
    #[error("there is no such case")]
    NoSuchCase,
    /// Somebody else looks at the case.
    #[error("somebody else has taken this case")]
    CaseTaken,
    /// The case must be taken first.
    #[error("take this case first")]
    CaseNotTaken,
    /// The case was decided.
    #[error("this case was decided")]
    CaseDecided,
    /// This cannot be done to such a thing.
    #[error("this cannot be done to it")]
    MeasureImpossible,
}

impl TalkRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::BodyEmpty => "body_empty",
            Self::BodyTooLong => "body_too_long",
            Self::BodyBadCharacter => "body_bad_character",
            Self::SubjectTooLong => "subject_too_long",
            Self::SubjectBadCharacter => "subject_bad_character",
            Self::ReasonEmpty => "reason_empty",
            Self::ReasonTooLong => "reason_too_long",
            Self::ReasonBadCharacter => "reason_bad_character",
            Self::NoSuchPolicy => "no_such_policy",
            Self::PolicyHidden => "policy_hidden",
            Self::PolicyDeleted => "policy_deleted",
            Self::PolicyMerged { .. } => "policy_merged",
            Self::NoSuchComment => "no_such_comment",
            Self::CommentRemoved => "comment_removed",
            Self::CommentHidden => "comment_hidden",
            Self::NotAuthor => "not_author",
            Self::OwnDoing => "own_doing",
            Self::EditTooLate => "edit_too_late",
            Self::TooManyComments => "too_many_comments",
            Self::TooManyReports => "too_many_reports",
            Self::NoSuchTarget => "no_such_target",
            Self::NoSuchCase => "no_such_case",
            Self::CaseTaken => "case_taken",
            Self::CaseNotTaken => "case_not_taken",
            Self::CaseDecided => "case_decided",
            Self::MeasureImpossible => "measure_impossible",
        }
    }
}
