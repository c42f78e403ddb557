//! What a back end answers: rows, or that it is done.

use std::fmt;
use std::sync::Arc;

use crate::rows::Rows;

/// One page of what a statement answers.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The answer itself.
    pub body: Body,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<PagingState>,
    /// What the back end wants the author of the statement to know.
    pub warnings: Vec<String>,
}

/// The answer itself.
#[derive(Debug, Clone, Default)]
pub enum Body {
    /// Nothing to tell. Also what a cluster answers to a change of the schema.
    #[default]
    Done,
    /// Rows, perhaps none.
    Rows(Rows),
    /// Statements use this keyspace from now on.
    UsedKeyspace(String),
    /// The schema changed.
    ChangedSchema(SchemaChange),
}

impl Answer {
    /// An answer of rows, all of them.
    #[must_use]
    pub fn of_rows(rows: Rows) -> Self {
        Self {
            body: Body::Rows(rows),
            ..Self::default()
        }
    }

    /// The rows; `None` if the statement answers none by its nature.
    #[must_use]
    pub fn rows(&self) -> Option<&Rows> {
        match &self.body {
            Body::Rows(rows) => Some(rows),
            Body::Done | Body::UsedKeyspace(_) | Body::ChangedSchema(_) => None,
        }
    }

    /// The rows, or no row of no column.
    #[must_use]
    pub fn into_rows(self) -> Rows {
        match self.body {
            Body::Rows(rows) => rows,
            Body::Done | Body::UsedKeyspace(_) | Body::ChangedSchema(_) => Rows::none(),
        }
    }
}

/// Where a page begins. Its bytes mean something only to the back end that made them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PagingState(Arc<[u8]>);

impl PagingState {
    /// Wraps the bytes of a back end, or of an earlier [`PagingState::as_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Arc::from(bytes))
    }

    /// The bytes, to be kept or sent elsewhere.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for PagingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PagingState({} bytes)", self.0.len())
    }
}

/// A change of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    /// What was done.
    pub change: Change,
    /// What it was done to.
    pub target: Target,
    /// The keyspace that is, or that holds, the target.
    pub keyspace: String,
    /// The target's name; empty for a keyspace.
    pub name: String,
}

/// What was done to a part of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was made.
    Created,
    /// It was altered.
    Updated,
    /// It was removed.
    Dropped,
}

/// A kind of thing in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A keyspace.
    Keyspace,
    /// A table, or a view.
    Table,
    /// A user-defined type.
    UserType,
}
