//! What a moderator did to a page last. It stands in the page itself, so that whoever comes next can
//! write it into the public log.

use uuid::Uuid;

use super::happening::HappeningKind;
use super::ids::UserId;

/// What a moderator did to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAct {
    /// A time UUID: when, and the entry of the moderation log.
    pub id: Uuid,
    /// Who.
    pub by: UserId,
    /// What.
    pub action: PageAction,
    /// Why.
    pub reason: String,
}

/// What moderators do to pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageAction {
    /// Hides it.
    Hide,
    /// Shows it again.
    Show,
    /// Sorts it elsewhere.
    Place,
    /// Edits its text.
    Edit,
    /// Erases its texts.
    Redact,
}

impl PageAction {
    /// Every action with its name in tables and in the log.
    pub const NAMES: [(Self, &'static str); 5] = [
        (Self::Hide, "hide_policy"),
        (Self::Show, "show_policy"),
        (Self::Place, "place_policy"),
        (Self::Edit, "edit_policy"),
        (Self::Redact, "redact_policy"),
    ];

    /// Its name in tables and in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(action, _)| *action == self);
        found.map_or("", |(_, name)| name)
    }

    /// The action of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(action, _)| *action)
    }

    /// What those are told who watch the policy. Edits are told apart, and the rest is not.
    #[must_use]
    pub fn told(self) -> Option<HappeningKind> {
        match self {
            Self::Hide => Some(HappeningKind::Hidden),
            Self::Show => Some(HappeningKind::Shown),
            Self::Place | Self::Edit | Self::Redact => None,
        }
    }
}
