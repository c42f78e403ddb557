//! A user: the account of a person, what it may do, and how it ended.

use stoa_types::time_uuid;
use uuid::Uuid;

use super::day::Day;
use super::ids::{RequestId, UserId};

/// The state of a user. The last three are for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserState {
    /// Being registered: the name and the address are not its own yet. Nobody sees it.
    Joining,
    /// Registered; the address is not confirmed.
    Unverified,
    /// May do what users do.
    Active,
    /// Went away.
    Left,
    /// Ended for fraud.
    Voided,
    /// Was a second account of somebody.
    Merged,
}

impl UserState {
    /// Every state with its name in tables.
    pub const NAMES: [(Self, &'static str); 6] = [
        (Self::Joining, "joining"),
        (Self::Unverified, "unverified"),
        (Self::Active, "active"),
        (Self::Left, "left"),
        (Self::Voided, "voided"),
        (Self::Merged, "merged"),
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

    /// Whether the account has ended.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Left | Self::Voided | Self::Merged)
    }

    /// Whether the address was confirmed and the account has not ended.
    #[must_use]
    pub fn is_confirmed(self) -> bool {
        self == Self::Active
    }
}

/// How an account ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// [`UserState::Left`], [`UserState::Voided`] or [`UserState::Merged`].
    pub state: UserState,
    /// A time UUID: when, and the entry of the moderation log.
    pub id: Uuid,
    /// Who ended it.
    pub by: UserId,
    /// Why.
    pub reason: String,
    /// The account that stays, of one that was merged.
    pub into: Option<UserId>,
}

impl Ending {
    /// When that was, in microseconds since 1970.
    #[must_use]
    pub fn at_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.id).unwrap_or(0)
    }
}

/// A user. What is personal is empty once the account has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Who.
    pub id: UserId,
    /// The state.
    pub state: UserState,
    /// The name as it is shown.
    pub name: String,
    /// The name as it is claimed.
    pub name_key: String,
    /// The address as mail is sent to it.
    pub email: String,
    /// The address as it is claimed.
    pub email_key: String,
    /// The hash of the password.
    pub password: String,
    /// The request that the password comes from.
    pub password_by: Option<RequestId>,
    /// When the registration began, in microseconds since 1970.
    pub created_micros: i64,
    /// Logins from before do not count.
    pub logins_from_micros: i64,
    /// The registration, or the change of name or address, that is under way; a time UUID.
    pub attempt: Option<Uuid>,
    /// How the account ended.
    pub ending: Option<Ending>,
    /// The name in the world, if the user told it.
    pub real_name: RealName,
}

/// The name of a user in the world, as far as it was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RealName {
    /// The first name, or nothing.
    pub first: String,
    /// The last name, or nothing.
    pub last: String,
    /// Whether others see it; only if the user said so.
    pub is_shown: bool,
}

impl RealName {
    /// The name as others see it, if they do.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        let parts = [self.first.as_str(), self.last.as_str()];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let name = parts.collect::<Vec<_>>().join(" ");
        (self.is_shown && !name.is_empty()).then_some(name)
    }
}

impl User {
    /// The day of joining, from which votes are paid.
    #[must_use]
    pub fn joined(&self) -> Day {
        Day::of_micros(self.created_micros)
    }
}

/// What a user may do beyond what all may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Everything, and give roles to others.
    Admin,
    /// Edit policies of others.
    EditPolicies,
    /// End accounts, and merge them.
    EditUsers,
    /// Rename, merge and delete tags.
    ModerateTags,
    /// Delete comments.
    ModerateComments,
    /// Merge policies.
    MergePolicies,
    /// Put policies on the front page.
    FeaturePolicies,
    /// Answer reports.
    HandleReports,
    /// Publish official responses.
    PublishOfficial,
}

impl Role {
    /// Every role with its name in tables.
    pub const NAMES: [(Self, &'static str); 9] = [
        (Self::Admin, "admin"),
        (Self::EditPolicies, "edit_policies"),
        (Self::EditUsers, "edit_users"),
        (Self::ModerateTags, "moderate_tags"),
        (Self::ModerateComments, "moderate_comments"),
        (Self::MergePolicies, "merge_policies"),
        (Self::FeaturePolicies, "feature_policies"),
        (Self::HandleReports, "handle_reports"),
        (Self::PublishOfficial, "publish_official"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(role, _)| *role == self);
        found.map_or("", |(_, name)| name)
    }

    /// The role of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(role, _)| *role)
    }
}

/// Who does something that not everybody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Whoever runs the program, as for the first admin. In tables it is the nil UUID.
    Operator,
    /// A user, whose roles are looked at.
    User(UserId),
}

impl By {
    /// As it stands in tables.
    #[must_use]
    pub fn id(self) -> UserId {
        match self {
            Self::Operator => UserId(Uuid::nil()),
            Self::User(user) => user,
        }
    }
}
