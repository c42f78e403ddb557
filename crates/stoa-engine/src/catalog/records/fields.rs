//! Fields of a JSON record, with errors that say which record and which field.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{FORMAT, RecordError};

/// An object within a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    record: &'a str,
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The object of a whole record, whose format must be one that we know.
    pub(super) fn of_record(record: &'a str, value: &'a Value) -> Result<Self, RecordError> {
        let fields = Self::of_value(record, value)?;
        match fields.number("format")? {
            FORMAT => Ok(fields),
            format if format > FORMAT => Err(RecordError::NewerFormat {
                record: record.to_owned(),
                format,
            }),
            format => Err(fields.damaged(format!("unknown format {format}"))),
        }
    }

    fn of_value(record: &'a str, value: &'a Value) -> Result<Self, RecordError> {
        match value.as_object() {
            Some(object) => Ok(Self { record, object }),
            None => Err(damaged(record, "an object was expected")),
        }
    }

    pub(super) fn damaged(self, what: impl Into<String>) -> RecordError {
        damaged(self.record, what)
    }

    fn get(self, name: &str) -> Result<&'a Value, RecordError> {
        let found = self.object.get(name);
        found.ok_or_else(|| self.damaged(format!("{name} is missing")))
    }

    fn wrong(self, name: &str) -> RecordError {
        self.damaged(format!("{name} is not what it should be"))
    }

    pub(super) fn text(self, name: &str) -> Result<&'a str, RecordError> {
        self.get(name)?.as_str().ok_or_else(|| self.wrong(name))
    }

    pub(super) fn optional_text(self, name: &str) -> Result<Option<&'a str>, RecordError> {
        match self.get(name)? {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text)),
            _ => Err(self.wrong(name)),
        }
    }

    pub(super) fn boolean(self, name: &str) -> Result<bool, RecordError> {
        self.get(name)?.as_bool().ok_or_else(|| self.wrong(name))
    }

    /// A number of the type that is asked for.
    pub(super) fn number<T: TryFrom<i128>>(self, name: &str) -> Result<T, RecordError> {
        let value = self.get(name)?;
        let number = value
            .as_u64()
            .map(i128::from)
            .or(value.as_i64().map(i128::from));
        let number = number.and_then(|it| T::try_from(it).ok());
        number.ok_or_else(|| self.wrong(name))
    }

    pub(super) fn uuid(self, name: &str) -> Result<Uuid, RecordError> {
        Uuid::parse_str(self.text(name)?).map_err(|_| self.wrong(name))
    }

    pub(super) fn double(self, name: &str) -> Result<f64, RecordError> {
        self.text(name)?.parse().map_err(|_| self.wrong(name))
    }

    pub(super) fn map(self, name: &str) -> Result<BTreeMap<String, String>, RecordError> {
        let object = self
            .get(name)?
            .as_object()
            .ok_or_else(|| self.wrong(name))?;
        let pairs = object.iter().map(|(key, value)| {
            let value = value.as_str().ok_or_else(|| self.wrong(name))?;
            Ok((key.clone(), value.to_owned()))
        });
        pairs.collect()
    }

    pub(super) fn list(self, name: &str) -> Result<&'a [Value], RecordError> {
        let list = self.get(name)?.as_array();
        list.map(Vec::as_slice).ok_or_else(|| self.wrong(name))
    }

    /// A list of pairs, the first of each a text and the second a text or null.
    pub(super) fn pairs(self, name: &str) -> Result<Vec<(&'a str, Option<&'a str>)>, RecordError> {
        let pair = |value: &'a Value| match value.as_array()?.as_slice() {
            [Value::String(first), Value::String(second)] => {
                Some((first.as_str(), Some(second.as_str())))
            }
            [Value::String(first), Value::Null] => Some((first.as_str(), None)),
            _ => None,
        };
        let pairs = self.list(name)?.iter();
        { pairs }
            .map(|it| pair(it).ok_or_else(|| self.wrong(name)))
            .collect()
    }

    /// The objects of a list.
    pub(super) fn objects(self, name: &str) -> Result<Vec<Self>, RecordError> {
        let values = self.list(name)?.iter();
        values.map(|it| Self::of_value(self.record, it)).collect()
    }

    pub(super) fn object(self, name: &str) -> Result<Self, RecordError> {
        Self::of_value(self.record, self.get(name)?)
    }

    pub(super) fn optional_object(self, name: &str) -> Result<Option<Self>, RecordError> {
        match self.get(name)? {
            Value::Null => Ok(None),
            value => Self::of_value(self.record, value).map(Some),
        }
    }

    /// A text or a number.
    pub(super) fn text_or_number(self, name: &str) -> Result<Result<&'a str, i32>, RecordError> {
        match self.get(name)? {
            Value::String(text) => Ok(Ok(text)),
            _ => self.number(name).map(Err),
        }
    }
}

/// A record that is not what it should be.
pub(super) fn damaged(record: &str, what: impl Into<String>) -> RecordError {
    RecordError::Damaged {
        record: record.to_owned(),
        what: what.into(),
    }
}
