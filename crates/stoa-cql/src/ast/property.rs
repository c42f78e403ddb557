//! Properties: what stands after `WITH`.

use super::name::Name;
use super::term::Literal;

/// `WITH a = b AND ...`; no name stands there twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Properties(pub Vec<Property>);

/// One property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name; nothing is said about whether it is known.
    pub name: Name,
    /// Its value.
    pub value: PropertyValue,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyValue {
    /// A constant; its text is what counts.
    Literal(Literal),
    /// A keyword that stands without quotes, as it was written.
    Word(Box<str>),
    /// `{'a': 'b'}`; no key stands there twice.
    Map(Vec<(Literal, Literal)>),
}

impl Properties {
    /// The value of a property.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&PropertyValue> {
        let property = self.0.iter().find(|property| property.name == *name)?;
        Some(&property.value)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PropertyValue {
    /// The text of a value that is no map.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Literal(literal) => Some(&literal.text),
            Self::Word(word) => Some(word),
            Self::Map(_) => None,
        }
    }

    /// The texts of a map.
    #[must_use]
    pub fn map(&self) -> Option<impl Iterator<Item = (&str, &str)>> {
        match self {
            Self::Map(entries) => Some(
                entries
                    .iter()
                    .map(|(key, value)| (&*key.text, &*value.text)),
            ),
            Self::Literal(_) | Self::Word(_) => None,
        }
    }
}
