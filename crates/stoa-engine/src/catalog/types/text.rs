//! Types as CQL text, read back: what [`DataType`]'s `Display` prints, for the stored schema.
//!
//! ```text
//! type := 'class' | name | "name" | name '<' part ( ',' part )* '>'      part := type | number
//! ```
//! This is not the parser of statements: it must read what earlier versions stored, whatever
//! becomes of the language.

use std::sync::Arc;

use stoa_types::{DataType, UserType};
use thiserror::Error;

use super::resolve::MAX_DEPTH;

/// The text is no type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a type: {0}")]
pub struct TypeTextError(pub String);

/// Reads a type; `find` looks user types up.
///
/// # Errors
/// What is no type, or names a user type that is not there.
pub fn parse(
    text: &str,
    find: &dyn Fn(&str) -> Option<Arc<UserType>>,
) -> Result<DataType, TypeTextError> {
    let mut parser = Parser {
        rest: text,
        depth: 0,
        find,
    };
    match parser.data_type() {
        Some(data_type) if parser.rest.is_empty() => Ok(data_type),
        _ => Err(TypeTextError(text.to_owned())),
    }
}

/// The names of user types that stand in a text, in order.
#[must_use]
pub fn names(text: &str) -> Vec<String> {
    let found = std::cell::RefCell::new(Vec::new());
    let note = |name: &str| {
        found.borrow_mut().push(name.to_owned());
        let unknown = UserType {
            keyspace: String::new(),
            name: name.to_owned(),
            fields: Vec::new(),
            is_frozen: false,
        };
        Some(Arc::new(unknown))
    };
    let _ = parse(text, &note);
    found.into_inner()
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
    find: &'a dyn Fn(&str) -> Option<Arc<UserType>>,
}

impl Parser<'_> {
    fn data_type(&mut self) -> Option<DataType> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let found = self.any();
        self.depth -= 1;
        found
    }

    fn any(&mut self) -> Option<DataType> {
        if let Some(class) = self.quoted('\'') {
            return Some(DataType::Custom(class));
        }
        if let Some(name) = self.quoted('"') {
            return self.user_type(&name);
        }
        let word = self.word()?;
        if self.take("<").is_none() {
            return match DataType::from_native_name(&word) {
                Some(native) => Some(native),
                None => self.user_type(&word),
            };
        }
        let found = match word.as_str() {
            "frozen" => self.data_type()?.frozen(),
            "list" => DataType::list(self.data_type()?),
            "set" => DataType::set(self.data_type()?),
            "map" => {
                let key = self.data_type()?;
                self.take(", ")?;
                DataType::map(key, self.data_type()?)
            }
            "tuple" => {
                let mut fields = vec![self.data_type()?];
                while self.take(", ").is_some() {
                    fields.push(self.data_type()?);
                }
                DataType::tuple(fields)
            }
            "vector" => {
                let element = self.data_type()?;
                self.take(", ")?;
                let dimension = self.word()?.parse().ok().filter(|it| *it > 0)?;
                DataType::vector(element, dimension)
            }
            _ => return None,
        };
        self.take(">")?;
        Some(found)
    }

    fn user_type(&self, name: &str) -> Option<DataType> {
        let found = (self.find)(name)?;
        Some(DataType::UserDefined(Box::new(UserType::clone(&found))))
    }

    fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn word(&mut self) -> Option<String> {
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let rest = self.rest.trim_start_matches(is_inside);
        let word = self.rest.strip_suffix(rest)?;
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// What stands in these quotes, which are doubled inside.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut rest = self.rest.strip_prefix(quote)?;
        let mut text = String::new();
        loop {
            let (before, after) = rest.split_once(quote)?;
            text.push_str(before);
            match after.strip_prefix(quote) {
                Some(more) => {
                    text.push(quote);
                    rest = more;
                }
                None => {
                    self.rest = after;
                    return Some(text);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stoa_types::UserField;

    fn user(name: &str) -> UserType {
        UserType {
            keyspace: "ks".to_owned(),
            name: name.to_owned(),
            fields: vec![UserField {
                name: "a".to_owned(),
                data_type: DataType::list(DataType::Int),
            }],
            is_frozen: false,
        }
    }

    #[test]
    fn every_printed_type_is_read_back() {
        let int = DataType::Int;
        let odd = DataType::UserDefined(Box::new(user("A \"b\"")));
        let mut types = vec![
            DataType::list(int.clone()),
            DataType::map(DataType::Text, DataType::set(int.clone()).frozen()).frozen(),
            DataType::map(int.clone(), DataType::list(int.clone()).frozen()),
            DataType::tuple(vec![DataType::list(int.clone()), odd.clone()]),
            DataType::vector(DataType::list(int.clone()), 7),
            DataType::vector(DataType::vector(int, 2), 7),
            DataType::UserDefined(Box::new(user("u"))),
            odd.clone().frozen(),
            DataType::list(odd.frozen()),
            DataType::Custom("org.example.It".to_owned()),
        ];
        types.extend(DataType::NATIVE);
        let find = |name: &str| Some(Arc::new(user(name)));
        for data_type in types {
            let text = data_type.to_string();
            assert_eq!(parse(&text, &find), Ok(data_type), "{text}");
        }
    }

    #[test]
    fn what_is_no_type_is_an_error() {
        let deep = "list<".repeat(1000);
        for text in [
            "",
            "list<",
            "list<>",
            "list<int",
            "map<int>",
            "int>",
            "u",
            "\"u",
            "vector<int, 0>",
            &deep,
        ] {
            assert!(parse(text, &|_| None).is_err(), "{text}");
        }
    }

    #[test]
    fn user_types_are_found_in_a_text() {
        let text = "map<frozen<\"A b\">, frozen<tuple<int, frozen<u>>>>";
        assert_eq!(names(text), ["A b", "u"]);
    }
}
