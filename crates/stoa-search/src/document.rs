//! What is indexed: something with an identifier, a title and a text.

use uuid::Uuid;

/// How many bytes of a title are indexed.
pub const MOST_TITLE_BYTES: usize = 1_000;
/// How many bytes of a text are indexed.
pub const MOST_TEXT_BYTES: usize = 100_000;
/// How many tags are indexed.
pub const MOST_TAGS: usize = 50;

/// What sort of thing a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A policy.
    Policy,
    /// A comment.
    Comment,
    /// A tag.
    Tag,
    /// A person.
    Person,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Policy, Self::Comment, Self::Tag, Self::Person];

    /// Its name in the index.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Comment => "comment",
            Self::Tag => "tag",
            Self::Person => "person",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that can be found. What is longer than the limits of this module is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// Its identifier; with the kind, what a later document replaces.
    pub id: Uuid,
    /// Its title, or its name.
    pub title: String,
    /// What it says.
    pub text: String,
    /// Its tags, as people write them.
    pub tags: Vec<String>,
    /// The key of its category, to filter by.
    pub category: Option<String>,
    /// The name of its state, to filter by.
    pub state: Option<String>,
    /// What it belongs to, and is read with: the policy of a comment.
    pub parent: Option<Uuid>,
    /// When it was last changed, in microseconds since 1970.
    pub stamp_micros: i64,
}

impl Document {
    /// A document with a title and nothing else.
    #[must_use]
    pub fn new(kind: Kind, id: Uuid, title: impl Into<String>) -> Self {
        Self {
            kind,
            id,
            title: title.into(),
            text: String::new(),
            tags: Vec::new(),
            category: None,
            state: None,
            parent: None,
            stamp_micros: 0,
        }
    }
}

/// What a document is found by: its kind and its identifier.
pub(crate) fn key(kind: Kind, id: Uuid) -> String {
    format!("{}:{id}", kind.name())
}

/// The kind and the identifier of a key.
pub(crate) fn of_key(key: &str) -> Option<(Kind, Uuid)> {
    let (kind, id) = key.split_once(':')?;
    Some((Kind::of_name(kind)?, Uuid::parse_str(id).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_kind_and_identifier() {
        for kind in Kind::ALL {
            let id = Uuid::from_u128(5);
            assert_eq!(of_key(&key(kind, id)), Some((kind, id)));
        }
        for bad in ["", "policy", "policy:", "party:5", "policy:5"] {
            assert_eq!(of_key(bad), None);
        }
    }
}
