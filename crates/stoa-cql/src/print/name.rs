//! Names: when they need quotes.

use std::fmt::{self, Display, Formatter};

use crate::ast::{Name, QualifiedName};
use crate::keyword::{Freedom, Keyword};

impl Display for Name {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let is_free = |keyword: Keyword| keyword.is_name();
        write_name(self, is_free, formatter)
    }
}

impl Display for QualifiedName {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write_keyspace(self, formatter)?;
        self.name.fmt(formatter)
    }
}

fn write_keyspace(name: &QualifiedName, formatter: &mut Formatter<'_>) -> fmt::Result {
    match &name.keyspace {
        Some(keyspace) => write!(formatter, "{keyspace}."),
        None => Ok(()),
    }
}

/// Writes a name, in quotes unless it reads back as itself without them.
fn write_name(
    name: &Name,
    is_free: impl FnOnce(Keyword) -> bool,
    formatter: &mut Formatter<'_>,
) -> fmt::Result {
    let text = name.as_str();
    let starts_well = text.starts_with(|first: char| first.is_ascii_lowercase());
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if starts_well && text.bytes().all(is_plain) && Keyword::of(text.as_bytes()).is_none_or(is_free)
    {
        return formatter.write_str(text);
    }
    write!(formatter, "\"{}\"", text.replace('"', "\"\""))
}

/// The name of a function. Before a parenthesis, some words mean something else.
pub(super) struct FunctionName<'a>(pub(super) &'a QualifiedName);

impl Display for FunctionName<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write_keyspace(self.0, formatter)?;
        BareFunctionName(&self.0.name).fmt(formatter)
    }
}

/// The name of a function that has no keyspace.
pub(super) struct BareFunctionName<'a>(pub(super) &'a Name);

impl Display for BareFunctionName<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if *self.0 == "expr" {
            return formatter.write_str("\"expr\"");
        }
        let is_free = |keyword: Keyword| match keyword.freedom() {
            Freedom::Free | Freedom::NativeType => true,
            Freedom::Name | Freedom::Reserved => {
                matches!(keyword, Keyword::Token | Keyword::Count)
            }
        };
        write_name(self.0, is_free, formatter)
    }
}

/// The name of a user-defined type, which is never a keyword without quotes.
pub(super) struct TypeName<'a>(pub(super) &'a QualifiedName);

impl Display for TypeName<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write_keyspace(self.0, formatter)?;
        let name = &self.0.name;
        if crate::parser::is_kept_type_name(name.as_str()) {
            return write!(formatter, "\"{}\"", name.as_str());
        }
        write_name(name, |_| false, formatter)
    }
}

/// A name where a keyword would be taken for itself.
pub(super) struct NoKeyword<'a>(pub(super) &'a Name);

impl Display for NoKeyword<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write_name(self.0, |_| false, formatter)
    }
}

/// A column that is selected: `json` and `distinct` mean something there.
pub(super) struct SelectedColumn<'a>(pub(super) &'a Name);

impl Display for SelectedColumn<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let is_free = |keyword: Keyword| {
            keyword.is_name() && !matches!(keyword, Keyword::Json | Keyword::Distinct)
        };
        write_name(self.0, is_free, formatter)
    }
}

/// The name of a role, which may be empty but then has single quotes.
pub(super) struct RoleName<'a>(pub(super) &'a Name);

impl Display for RoleName<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.0.as_str().is_empty() {
            return formatter.write_str("''");
        }
        self.0.fmt(formatter)
    }
}
