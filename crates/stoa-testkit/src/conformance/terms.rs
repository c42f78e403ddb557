//! Values to bind, as a script writes them.
//!
//! ```text
//! null  unset  empty            no value; leave it; zero bytes
//! 0xCAFE                        native bytes, whatever the type
//! 7  true  'it''s'              scalars, as CQL has them; quotes may be left out
//! [1, 2]  (1, 'a')              lists, vectors; tuples, user-defined types
//! {1, 2}  {1: 'a', 2: 'b'}      sets; maps
//! ```

use stoa_session::bind::{BoundValues, Cell};
use stoa_session::{Column, ToCql};
use stoa_types::{DataType, ManualClock, Value, text};

/// Binds a list of terms to variables.
///
/// # Errors
/// What is wrong with the terms.
pub fn bind(terms: &str, variables: &[Column]) -> Result<BoundValues, String> {
    let mut reader = Reader { left: terms.trim() };
    let mut values = BoundValues::default();
    for (position, variable) in variables.iter().enumerate() {
        if position > 0 {
            reader.expect(',')?;
        }
        bind_one(&mut reader, variable, &mut values)?;
    }
    match reader.left.trim() {
        "" => Ok(values),
        more => Err(format!("more terms than variables: {more}")),
    }
}

fn bind_one(
    reader: &mut Reader<'_>,
    variable: &Column,
    values: &mut BoundValues,
) -> Result<(), String> {
    if let Some(bytes) = reader.hex()? {
        return values
            .push_cell(Cell::Bytes(&bytes))
            .map_err(|error| error.to_string());
    }
    let value = match reader.word(&["unset", "null", "empty"]) {
        Some("unset") => Value::Unset,
        Some("null") => Value::Null,
        Some(_) => Value::Empty,
        None => reader.value(&variable.data_type)?,
    };
    values
        .push(variable, &value as &dyn ToCql)
        .map_err(|error| error.to_string())
}

struct Reader<'a> {
    left: &'a str,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        self.left = self.left.trim_start();
    }

    fn takes(&mut self, mark: char) -> bool {
        self.skip_space();
        match self.left.strip_prefix(mark) {
            Some(rest) => {
                self.left = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.takes(mark) {
            return Ok(());
        }
        Err(format!("expected `{mark}` before {:?}", self.left))
    }

    /// One of some words, standing alone.
    fn word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        self.skip_space();
        let end = self
            .left
            .find([',', ')', ']', '}', ':'])
            .unwrap_or(self.left.len());
        let (word, rest) = self.left.split_at_checked(end)?;
        let found = words.iter().find(|known| **known == word.trim())?;
        self.left = rest;
        Some(found)
    }

    /// Native bytes; a blob's own text reads the same.
    fn hex(&mut self) -> Result<Option<Vec<u8>>, String> {
        self.skip_space();
        let Some(rest) = self.left.strip_prefix("0x") else {
            return Ok(None);
        };
        let end = rest
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(rest.len());
        let (digits, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.left = rest;
        let clock = ManualClock::at_micros(0);
        match text::parse(&DataType::Blob, digits, &clock) {
            Ok(Value::Blob(bytes)) => Ok(Some(bytes)),
            _ => Err(format!("not whole bytes: 0x{digits}")),
        }
    }

    fn value(&mut self, data_type: &DataType) -> Result<Value, String> {
        if self.word(&["null"]).is_some() {
            return Ok(Value::Null);
        }
        match data_type {
            DataType::List { element, .. } => self.sequence('[', ']', element).map(Value::List),
            DataType::Vector { element, .. } => self.sequence('[', ']', element).map(Value::Vector),
            DataType::Set { element, .. } => self.sequence('{', '}', element).map(Value::Set),
            DataType::Map { key, value, .. } => self.entries(key, value),
            DataType::Tuple(types) => self.fields(types.iter()).map(Value::Tuple),
            DataType::UserDefined(user) => {
                let types = user.fields.iter().map(|field| &field.data_type);
                self.fields(types).map(Value::UserDefined)
            }
            scalar => self.scalar(scalar),
        }
    }

    fn sequence(
        &mut self,
        open: char,
        close: char,
        element: &DataType,
    ) -> Result<Vec<Value>, String> {
        self.expect(open)?;
        let mut values = Vec::new();
        while !self.takes(close) {
            if !values.is_empty() {
                self.expect(',')?;
            }
            values.push(self.value(element)?);
        }
        Ok(values)
    }

    fn entries(&mut self, key: &DataType, value: &DataType) -> Result<Value, String> {
        self.expect('{')?;
        let mut entries = Vec::new();
        while !self.takes('}') {
            if !entries.is_empty() {
                self.expect(',')?;
            }
            let first = self.value(key)?;
            self.expect(':')?;
            entries.push((first, self.value(value)?));
        }
        Ok(Value::Map(entries))
    }

    fn fields<'t>(
        &mut self,
        types: impl Iterator<Item = &'t DataType>,
    ) -> Result<Vec<Value>, String> {
        self.expect('(')?;
        let mut values = Vec::new();
        for field in types {
            if self.takes(')') {
                return Ok(values);
            }
            if !values.is_empty() {
                self.expect(',')?;
            }
            values.push(self.value(field)?);
        }
        self.expect(')')?;
        Ok(values)
    }

    fn scalar(&mut self, data_type: &DataType) -> Result<Value, String> {
        self.skip_space();
        let word = match self.left.strip_prefix('\'') {
            Some(quoted) => self.quoted(quoted)?,
            None => {
                let end = self
                    .left
                    .find([',', ')', ']', '}', ':'])
                    .unwrap_or(self.left.len());
                let (word, rest) = self.left.split_at_checked(end).unwrap_or((self.left, ""));
                self.left = rest;
                word.trim().to_owned()
            }
        };
        let clock = ManualClock::at_micros(0);
        text::parse(data_type, &word, &clock).map_err(|error| error.to_string())
    }

    fn quoted(&mut self, quoted: &'a str) -> Result<String, String> {
        let mut word = String::new();
        let mut left = quoted;
        loop {
            let (part, rest) = left.split_once('\'').ok_or("a quote is not closed")?;
            word.push_str(part);
            match rest.strip_prefix('\'') {
                Some(more) => {
                    word.push('\'');
                    left = more;
                }
                None => {
                    self.left = rest;
                    return Ok(word);
                }
            }
        }
    }
}
