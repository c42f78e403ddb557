//! Types.

use std::fmt::{self, Display, Formatter};

use super::{Quoted, list, name};
use crate::ast::{CqlType, NativeType};

impl Display for NativeType {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Display for CqlType {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native(native) => native.fmt(formatter),
            Self::Custom(class) => Quoted(class).fmt(formatter),
            Self::List(element) => write!(formatter, "list<{element}>"),
            Self::Set(element) => write!(formatter, "set<{element}>"),
            Self::Map(key, value) => write!(formatter, "map<{key}, {value}>"),
            Self::Tuple(fields) => write!(formatter, "tuple<{}>", list(fields)),
            Self::Vector(element, dimension) => {
                write!(formatter, "vector<{element}, {dimension}>")
            }
            Self::Frozen(inner) => write!(formatter, "frozen<{inner}>"),
            Self::UserType(user_type) => name::TypeName(user_type).fmt(formatter),
        }
    }
}
