//! Names of keyspaces, tables, columns, fields, functions and roles.

use std::borrow::Borrow;

/// A name, folded to lower case unless it was quoted.
///
/// It prints in double quotes where it would not read back as itself without them. Only a column
/// of an old table may be the empty name `""`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<str>);

impl Name {
    /// The name exactly as given, as if it stood in double quotes.
    #[must_use]
    pub fn exact(text: &str) -> Self {
        Self(text.into())
    }

    /// The name as it is without quotes: in lower case.
    #[must_use]
    pub fn folded(text: &str) -> Self {
        let mut text: Box<str> = text.into();
        text.make_ascii_lowercase();
        Self(text)
    }

    /// The name, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.into()
    }
}

/// A name that may say its keyspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedName {
    /// What stands before the dot.
    pub keyspace: Option<Name>,
    /// The name itself.
    pub name: Name,
}

impl QualifiedName {
    /// A name without a keyspace.
    #[must_use]
    pub fn bare(name: Name) -> Self {
        Self {
            keyspace: None,
            name,
        }
    }
}
