//! Values as CQL writes them, as scripts bind them, and as JSON.

/// A value, not yet written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// One that is written the same way everywhere, quotes included.
    Plain(String),
    /// A list or a vector.
    Sequence(Vec<Term>),
    /// A set.
    Set(Vec<Term>),
    /// A map.
    Map(Vec<(Term, Term)>),
    /// A tuple.
    Tuple(Vec<Term>),
    /// A value of a user-defined type, by the names of its fields.
    User(Vec<(String, Term)>),
    /// No value.
    Null,
}

impl Term {
    /// A value written as it stands.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }

    /// The term of a CQL statement.
    #[must_use]
    pub fn literal(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Sequence(items) => format!("[{}]", joined(items, Self::literal)),
            Self::Set(items) => format!("{{{}}}", joined(items, Self::literal)),
            Self::Map(entries) => {
                let one =
                    |(key, value): &(Self, Self)| format!("{}: {}", key.literal(), value.literal());
                format!("{{{}}}", joined(entries, one))
            }
            Self::Tuple(items) => format!("({})", joined(items, Self::literal)),
            Self::User(fields) => {
                let one = |(name, value): &(String, Self)| format!("{name}: {}", value.literal());
                format!("{{{}}}", joined(fields, one))
            }
            Self::Null => "null".to_owned(),
        }
    }

    /// The term of a `@ bind` line.
    #[must_use]
    pub fn bound(&self) -> String {
        match self {
            Self::Plain(_) | Self::Null => self.literal(),
            Self::Sequence(items) => format!("[{}]", joined(items, Self::bound)),
            Self::Set(items) => format!("{{{}}}", joined(items, Self::bound)),
            Self::Map(entries) => {
                let one =
                    |(key, value): &(Self, Self)| format!("{}: {}", key.bound(), value.bound());
                format!("{{{}}}", joined(entries, one))
            }
            Self::Tuple(items) => format!("({})", joined(items, Self::bound)),
            Self::User(fields) => {
                format!("({})", joined(fields, |(_, value)| value.bound()))
            }
        }
    }

    /// Whether a set or a map in it has several elements, whose order is not the one written.
    pub(super) fn is_reordered(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Null => false,
            Self::Sequence(items) | Self::Tuple(items) => items.iter().any(Self::is_reordered),
            Self::Set(items) => items.len() > 1 || items.iter().any(Self::is_reordered),
            Self::Map(entries) => {
                let is_inside =
                    |(key, value): &(Self, Self)| key.is_reordered() || value.is_reordered();
                entries.len() > 1 || entries.iter().any(is_inside)
            }
            Self::User(fields) => fields.iter().any(|(_, value)| value.is_reordered()),
        }
    }

    /// The value as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        match self {
            Self::Plain(text) => json_scalar(text),
            Self::Sequence(items) | Self::Set(items) | Self::Tuple(items) => {
                format!("[{}]", joined(items, Self::json))
            }
            Self::Map(entries) => {
                let one = |(key, value): &(Self, Self)| {
                    format!("{}: {}", json_key(&key.json()), value.json())
                };
                format!("{{{}}}", joined(entries, one))
            }
            Self::User(fields) => {
                let one = |(name, value): &(String, Self)| format!("\"{name}\": {}", value.json());
                format!("{{{}}}", joined(fields, one))
            }
            Self::Null => "null".to_owned(),
        }
    }
}

fn joined<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(one).collect();
    items.join(", ")
}

/// Numbers, true and false as they are, everything else as a string.
fn json_scalar(text: &str) -> String {
    if let Some(quoted) = text.strip_prefix('\'') {
        let words = quoted.strip_suffix('\'').unwrap_or(quoted);
        return json_string(&words.replace("''", "'"));
    }
    let is_number = text
        .strip_prefix('-')
        .unwrap_or(text)
        .starts_with(|first: char| first.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
    match text {
        "true" | "false" => text.to_owned(),
        _ if is_number && !text.get(1..).unwrap_or_default().contains('-') => text.to_owned(),
        _ if is_number && text.contains(['e', 'E']) => text.to_owned(),
        _ => json_string(text),
    }
}

/// Keys of objects are strings.
fn json_key(json: &str) -> String {
    match json.starts_with('"') {
        true => json.to_owned(),
        false => json_string(json),
    }
}

fn json_string(words: &str) -> String {
    format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_three_forms() {
        let user = Term::User(vec![
            ("f0".to_owned(), Term::plain("'it''s'")),
            ("f1".to_owned(), Term::Null),
        ]);
        let map = Term::Map(vec![(Term::plain("1"), user)]);
        assert_eq!(map.literal(), "{1: {f0: 'it''s', f1: null}}");
        assert_eq!(map.bound(), "{1: ('it''s', null)}");
        assert_eq!(map.json(), r#"{"1": {"f0": "it's", "f1": null}}"#);
    }

    #[test]
    fn json_numbers_stay_numbers() {
        for number in ["0", "-7", "1.50", "1E-10", "4.9E-324"] {
            assert_eq!(Term::plain(number).json(), number);
        }
        for text in [
            "NaN",
            "-Infinity",
            "1h",
            "0xff",
            "13814000-1dd2-11b2-8080-808080808080",
        ] {
            assert_eq!(Term::plain(text).json(), format!("\"{text}\""));
        }
    }
}
