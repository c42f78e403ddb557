//! JSON for people to take away: values in the order that they are given, indented.

use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// Values in a row.
    List(Vec<Json>),
    /// Values by name.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(is_so) => write!(f, "{is_so}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => quoted(f, text),
            Self::List(values) => {
                let each = |f: &mut fmt::Formatter<'_>, value: &Self| value.write(f, depth + 1);
                enclosed(f, depth, ('[', ']'), values, each)
            }
            Self::Object(fields) => {
                let each = |f: &mut fmt::Formatter<'_>, (name, value): &(&str, Self)| {
                    quoted(f, name)?;
                    f.write_str(": ")?;
                    value.write(f, depth + 1)
                };
                enclosed(f, depth, ('{', '}'), fields, each)
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

fn enclosed<T>(
    f: &mut fmt::Formatter<'_>,
    depth: usize,
    (open, close): (char, char),
    inside: &[T],
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    write!(f, "{open}")?;
    for (at, it) in inside.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(f, "{comma}\n{:1$}", "", 2 * (depth + 1))?;
        each(f, it)?;
    }
    if !inside.is_empty() {
        write!(f, "\n{:1$}", "", 2 * depth)?;
    }
    write!(f, "{close}")
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            it if it < ' ' || matches!(it, '\u{7f}' | '\u{2028}' | '\u{2029}') => {
                write!(f, "\\u{:04x}", u32::from(it))?;
            }
            it => write!(f, "{it}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_everybody_reads_them() {
        let value = Json::Object(vec![
            ("text", Json::text("a \"b\" \\ \n\u{1}ä")),
            ("none", Json::Null),
            ("list", Json::List(vec![Json::Number(-1), Json::Bool(true)])),
            ("empty", Json::List(Vec::new())),
        ]);
        let expected = "{\n  \"text\": \"a \\\"b\\\" \\\\ \\n\\u0001ä\",\n  \"none\": null,\n  \
            \"list\": [\n    -1,\n    true\n  ],\n  \"empty\": []\n}";
        assert_eq!(value.to_string(), expected);
    }
}
