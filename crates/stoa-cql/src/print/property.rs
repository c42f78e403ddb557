//! Properties.

use std::fmt::{self, Display, Formatter};

use super::{Entries, conjunction};
use crate::ast::{Properties, Property, PropertyValue};

/// Without `WITH`.
impl Display for Properties {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        conjunction(&self.0).fmt(formatter)
    }
}

impl Display for Property {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {}", self.name, self.value)
    }
}

impl Display for PropertyValue {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => literal.fmt(formatter),
            Self::Word(word) => formatter.write_str(word),
            Self::Map(entries) => write!(formatter, "{{{}}}", Entries(entries)),
        }
    }
}
