//! A comment: what somebody said about a policy, and what became of it.

use uuid::Uuid;

use super::ids::{CommentId, PolicyId, UserId};

/// The state of a comment. No way leads back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommentState {
    /// As it was written.
    Shown,
    /// A placeholder; moderators may still read the text.
    Removed,
    /// A placeholder; the text is gone.
    Erased,
}

impl CommentState {
    /// Every state with its name in tables.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Shown, "shown"),
        (Self::Removed, "removed"),
        (Self::Erased, "erased"),
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
}

/// That a comment was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// When; a time UUID, and the entry of the moderation log.
    pub id: Uuid,
    /// Who removed it: the author, or a moderator.
    pub by: UserId,
    /// Why; empty when the author did.
    pub reason: String,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// About which policy.
    pub policy: PolicyId,
    /// Which; the time of it is that of writing.
    pub id: CommentId,
    /// Under which comment it stands.
    pub parent: Option<CommentId>,
    /// The comment that it answers: its parent, or one below that stands as deep as any may.
    pub answers: Option<CommentId>,
    /// How deep it stands; 1 is not under another.
    pub depth: i32,
    /// Who wrote it.
    pub author: UserId,
    /// What it is about; may be empty.
    pub subject: String,
    /// What it says; empty for whoever may not read it.
    pub body: String,
    /// The text: the comment itself, or its last edit; a time UUID.
    pub version: Uuid,
    /// The state.
    pub state: CommentState,
    /// How it was removed.
    pub removal: Option<Removal>,
    /// The case that it is hidden for.
    pub hidden_for: Option<Uuid>,
}

impl Comment {
    /// Whether the text is another than at first.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.version != self.id.0
    }

    /// Whether everybody may read the text.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.state == CommentState::Shown && self.hidden_for.is_none()
    }

    /// What everybody may read of it: all, or a placeholder.
    #[must_use]
    pub fn for_everybody(self) -> Self {
        if self.is_readable() {
            return self;
        }
        Self {
            subject: String::new(),
            body: String::new(),
            ..self
        }
    }
}

/// What a user thinks of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It helps.
    Up,
    /// Nothing, or nothing any more.
    None,
    /// It does not help.
    Down,
}

impl Mark {
    /// As it stands in tables.
    #[must_use]
    pub fn number(self) -> i8 {
        match self {
            Self::Up => 1,
            Self::None => 0,
            Self::Down => -1,
        }
    }

    /// What stands so in tables.
    #[must_use]
    pub fn of_number(number: i8) -> Self {
        match number.signum() {
            1 => Self::Up,
            -1 => Self::Down,
            _ => Self::None,
        }
    }
}

/// How many users think what of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Those whom it helps.
    pub up: u32,
    /// Those whom it does not.
    pub down: u32,
}
