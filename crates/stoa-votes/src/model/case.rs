//! A report, and the case that people decide about.

use std::fmt;

use stoa_types::time_uuid;
use uuid::Uuid;

use super::ids::{CommentId, PolicyId, UserId};

/// What sort of thing is reported or looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetKind {
    /// A policy.
    Policy,
    /// A comment.
    Comment,
    /// A tag.
    Tag,
    /// What a user does.
    User,
    /// Somebody cannot register or sign in.
    Access,
    /// An account that may be the second one of somebody.
    Account,
}

impl TargetKind {
    /// Every kind with its name in tables.
    pub const NAMES: [(Self, &'static str); 6] = [
        (Self::Policy, "policy"),
        (Self::Comment, "comment"),
        (Self::Tag, "tag"),
        (Self::User, "user"),
        (Self::Access, "access"),
        (Self::Account, "duplicate_account"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(kind, _)| *kind == self);
        found.map_or("", |(_, name)| name)
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(kind, _)| *kind)
    }
}

/// What is reported or looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A policy.
    Policy(PolicyId),
    /// A comment of a policy.
    Comment(PolicyId, CommentId),
    /// A tag.
    Tag(Uuid),
    /// What a user does.
    User(UserId),
    /// That somebody cannot register or sign in; each is a thing of its own.
    Access(Uuid),
    /// An account that may be the second one of somebody.
    Account(UserId),
}

impl Target {
    /// What sort of thing it is.
    #[must_use]
    pub fn kind(self) -> TargetKind {
        match self {
            Self::Policy(_) => TargetKind::Policy,
            Self::Comment(..) => TargetKind::Comment,
            Self::Tag(_) => TargetKind::Tag,
            Self::User(_) => TargetKind::User,
            Self::Access(_) => TargetKind::Access,
            Self::Account(_) => TargetKind::Account,
        }
    }

    /// Its identifier, as it stands in tables.
    #[must_use]
    pub fn id(self) -> Uuid {
        match self {
            Self::Policy(policy) => policy.0,
            Self::Comment(_, comment) => comment.0,
            Self::User(user) | Self::Account(user) => user.0,
            Self::Tag(id) | Self::Access(id) => id,
        }
    }

    /// The policy that it belongs to.
    #[must_use]
    pub fn policy(self) -> Option<PolicyId> {
        match self {
            Self::Policy(policy) | Self::Comment(policy, _) => Some(policy),
            Self::Tag(_) | Self::User(_) | Self::Access(_) | Self::Account(_) => None,
        }
    }

    /// What stands so in tables.
    #[must_use]
    pub fn of_parts(kind: TargetKind, id: Uuid, policy: Option<PolicyId>) -> Option<Self> {
        Some(match kind {
            TargetKind::Policy => Self::Policy(PolicyId(id)),
            TargetKind::Comment => Self::Comment(policy?, CommentId(id)),
            TargetKind::Tag => Self::Tag(id),
            TargetKind::User => Self::User(UserId(id)),
            TargetKind::Access => Self::Access(id),
            TargetKind::Account => Self::Account(UserId(id)),
        })
    }

    /// Whether it can be hidden until somebody has looked at it.
    #[must_use]
    pub fn can_be_hidden(self) -> bool {
        matches!(self, Self::Policy(_) | Self::Comment(..))
    }
}

impl fmt::Display for Target {
    /// As the public log names it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comment(policy, comment) => write!(f, "comment {policy}/{comment}"),
            _ => write!(f, "{} {}", self.kind().name(), self.id()),
        }
    }
}

/// Why something is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportReason {
    /// Advertising.
    Spam,
    /// It attacks people.
    Abuse,
    /// It does not belong there.
    OffTopic,
    /// It is there already.
    Duplicate,
    /// It breaks the law.
    Illegal,
    /// What the reporter says.
    Other,
}

impl ReportReason {
    /// Every reason with its name in tables.
    pub const NAMES: [(Self, &'static str); 6] = [
        (Self::Spam, "spam"),
        (Self::Abuse, "abuse"),
        (Self::OffTopic, "off_topic"),
        (Self::Duplicate, "duplicate"),
        (Self::Illegal, "illegal"),
        (Self::Other, "other"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(reason, _)| *reason == self);
        found.map_or("", |(_, name)| name)
    }

    /// The reason of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(reason, _)| *reason)
    }
}

/// That a user reported something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Who.
    pub reporter: UserId,
    /// When; a time UUID.
    pub id: Uuid,
    /// The case that it belongs to.
    pub case: Uuid,
    /// Why.
    pub reason: ReportReason,
    /// Why, in the reporter's words; may be empty.
    pub words: String,
}

/// The state of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CaseState {
    /// Nobody looks at it yet.
    Open,
    /// A moderator looks at it.
    Taken,
    /// It was decided; what follows is not done yet.
    Decided,
    /// All is done. Reports of others open a new one.
    Closed,
}

impl CaseState {
    /// Every state with its name in tables.
    pub const NAMES: [(Self, &'static str); 4] = [
        (Self::Open, "open"),
        (Self::Taken, "taken"),
        (Self::Decided, "decided"),
        (Self::Closed, "closed"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(state, _)| *state == self);
        found.map_or("", |(_, name)| name)
    }

    /// The state of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(state, _)| *state)
    }

    /// Whether it is still to be decided.
    #[must_use]
    pub fn is_undecided(self) -> bool {
        matches!(self, Self::Open | Self::Taken)
    }
}

/// What is done to something that was rightly reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// A comment is removed.
    Remove,
    /// A policy or a comment stays hidden.
    Hide,
    /// Nothing further; what was hidden is shown again.
    Nothing,
}

/// What people decide about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The reports were right.
    Upheld(Measure),
    /// They were not; what was hidden is shown again.
    Rejected,
}

impl Decision {
    /// Every decision with its name in tables.
    pub const NAMES: [(Self, &'static str); 4] = [
        (Self::Upheld(Measure::Remove), "removed"),
        (Self::Upheld(Measure::Hide), "hidden"),
        (Self::Upheld(Measure::Nothing), "upheld"),
        (Self::Rejected, "rejected"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(decision, _)| *decision == self);
        found.map_or("", |(_, name)| name)
    }

    /// The decision of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(decision, _)| *decision)
    }

    /// Whether it can be carried out on such a thing.
    #[must_use]
    pub fn fits(self, target: Target) -> bool {
        match self {
            Self::Upheld(Measure::Remove) => target.kind() == TargetKind::Comment,
            Self::Upheld(Measure::Hide) => target.can_be_hidden(),
            Self::Upheld(Measure::Nothing) | Self::Rejected => true,
        }
    }
}

/// Something that people should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What.
    pub target: Target,
    /// Which case of it: when it was opened; a time UUID.
    pub id: Uuid,
    /// The state.
    pub state: CaseState,
    /// The last thing that was done; a time UUID.
    pub act: Uuid,
    /// How strong the signs were that opened it; 0 if a report did.
    pub score: i64,
    /// What somebody wrote who cannot get in.
    pub about: String,
    /// Who took or decided it.
    pub handled_by: Option<UserId>,
    /// Since when its target is hidden for it; a time UUID.
    pub hiding: Option<Uuid>,
    /// What was decided.
    pub decision: Option<Decision>,
    /// Why.
    pub reason: String,
}

impl Case {
    /// A case that is opened now.
    #[must_use]
    pub fn new(target: Target, id: Uuid, score: i64, about: &str) -> Self {
        Self {
            target,
            id,
            state: CaseState::Open,
            act: id,
            score,
            about: about.to_owned(),
            handled_by: None,
            hiding: None,
            decision: None,
            reason: String::new(),
        }
    }

    /// Whether its target was hidden for it and is to be shown again.
    #[must_use]
    pub fn shows_again(&self) -> bool {
        let shows = matches!(
            self.decision,
            Some(Decision::Rejected | Decision::Upheld(Measure::Nothing))
        );
        shows && self.hiding.is_some()
    }

    /// When the last thing was done, in microseconds since 1970.
    #[must_use]
    pub fn act_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.act).unwrap_or(0)
    }
}
