//! Properties of a `WITH`, read as Cassandra reads them.
//!
//! Every constant counts as its text: `gc_grace_seconds = '7'` and `comment = 12` are fine. What
//! has the wrong form is a syntax error, as in Cassandra's `PropertyDefinitions`; whether a value
//! makes sense is asked later and is another class of error.

use std::collections::BTreeMap;

use stoa_cql::ast::{Properties, PropertyValue};

use crate::refusal::{Refusal, RefusalKind};

/// The properties of a statement.
#[derive(Debug, Clone, Copy)]
pub struct PropertyReader<'a>(pub &'a Properties);

impl<'a> PropertyReader<'a> {
    /// Refuses properties that are not among `known`.
    ///
    /// # Errors
    /// A syntax error for the first unknown one.
    pub fn refuse_unknown(self, known: &[&str]) -> Result<(), Refusal> {
        let unknown = self
            .0
            .0
            .iter()
            .find(|it| !known.contains(&it.name.as_str()));
        match unknown {
            Some(property) => Err(syntax(format!(
                "Unknown property '{}'",
                property.name.as_str()
            ))),
            None => Ok(()),
        }
    }

    /// Whether it was given.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// The text of a constant.
    ///
    /// # Errors
    /// A syntax error if it is a map.
    pub fn text(self, name: &str) -> Result<Option<&'a str>, Refusal> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let problem = || {
            syntax(format!(
                "Invalid value for property '{name}'. It should be a string"
            ))
        };
        value.text().map(Some).ok_or_else(problem)
    }

    /// The entries of a map.
    ///
    /// # Errors
    /// A syntax error if it is a constant.
    pub fn map(self, name: &str) -> Result<Option<BTreeMap<String, String>>, Refusal> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        match value.map() {
            Some(entries) => Ok(Some(
                entries
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .collect(),
            )),
            // Cassandra's grammar takes `{}` for an empty map, ours might say so with a constant.
            None if is_empty_map(value) => Ok(Some(BTreeMap::new())),
            None => Err(syntax(format!(
                "Invalid value for property '{name}'. It should be a map."
            ))),
        }
    }

    /// True or false, in any of the words Cassandra knows for them.
    ///
    /// # Errors
    /// A syntax error if it is none of them.
    pub fn boolean(self, name: &str) -> Result<Option<bool>, Refusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match text.to_lowercase().as_str() {
            "1" | "true" | "yes" => Ok(Some(true)),
            "0" | "false" | "no" => Ok(Some(false)),
            _ => Err(syntax(format!(
                "Invalid boolean value {text} for '{name}'. Positive values can be '1', 'true' or \
                 'yes'. Negative values can be '0', 'false' or 'no'."
            ))),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// A syntax error if it is none, or beyond 32 bits.
    pub fn integer(self, name: &str) -> Result<Option<i32>, Refusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let problem = |_| syntax(format!("Invalid integer value {text} for '{name}'"));
        text.parse().map(Some).map_err(problem)
    }

    /// A number.
    ///
    /// # Errors
    /// A syntax error if it is none.
    pub fn double(self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let problem = || syntax(format!("Invalid double value {text} for '{name}'"));
        parse_double(text).map(Some).ok_or_else(problem)
    }
}

fn is_empty_map(value: &PropertyValue) -> bool {
    matches!(value, PropertyValue::Map(entries) if entries.is_empty())
}

/// A number as Java's `Double.parseDouble` reads it, but for hexadecimal ones.
#[must_use]
pub fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_word = |word: &str| text.trim_start_matches(['+', '-']) == word;
    if is_word("NaN") || is_word("Infinity") {
        return text.parse().ok();
    }
    let number = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    let is_decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    match number.bytes().all(is_decimal) {
        true => number.parse().ok(),
        false => None,
    }
}

fn syntax(message: String) -> Refusal {
    Refusal::new(RefusalKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::parse_double;

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        let cases = [
            ("1", Some(1.0)),
            (" 0.5 ", Some(0.5)),
            ("1e-3", Some(0.001)),
            ("2d", Some(2.0)),
            ("x", None),
            ("", None),
            ("inf", None),
            ("1 2", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_double(text), expected, "{text}");
        }
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
    }
}
