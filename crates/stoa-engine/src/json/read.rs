//! JSON to values, with the leniencies of Cassandra's `fromJSONObject`.

use std::cmp::Ordering;

use num_bigint::BigInt;
use stoa_types::text::{self, ParseError};
use stoa_types::{Clock, DataType, Decimal, UserType, Value, compare, frames, native};

use super::parse::{Json, parse};
use super::row::fold_names;
use crate::functions::float_text::double_text;
use crate::refusal::{Refusal, RefusalKind};
use crate::terms::check_digits;

/// Why a JSON value is not one of a type. What class of refusal it is depends on where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FromJsonError {
    /// The value does not fit the type.
    #[error("{0}")]
    Unfit(String),
    /// The value is invalid wherever it stands.
    #[error("{0}")]
    Invalid(String),
    /// Cassandra fails at it.
    #[error("{0}")]
    Server(String),
}

impl FromJsonError {
    /// The refusal of a value of a column in `INSERT JSON`.
    #[must_use]
    pub fn for_column(self, name: &str) -> Refusal {
        match self {
            Self::Unfit(reason) => {
                Refusal::invalid(format!("Error decoding JSON value for {name}: {reason}"))
            }
            Self::Invalid(reason) => Refusal::invalid(reason),
            Self::Server(reason) => Refusal::server(reason),
        }
    }

    /// The refusal of an argument of `from_json`.
    #[must_use]
    pub fn for_function(self) -> Refusal {
        match self {
            Self::Unfit(reason) => Refusal::new(RefusalKind::FunctionFailure, reason),
            Self::Invalid(reason) => Refusal::invalid(reason),
            Self::Server(reason) => Refusal::server(reason),
        }
    }
}

/// Turns a JSON value into the native bytes of a type; `None` is null.
///
/// The clock is for timestamps given as `now`.
///
/// # Errors
/// When the value does not fit the type.
pub fn from_json(
    data_type: &DataType,
    json: &Json,
    clock: &dyn Clock,
) -> Result<Option<Vec<u8>>, FromJsonError> {
    if *json == Json::Null {
        return Ok(None);
    }
    let reader = Reader { clock };
    reader.value(data_type, json).map(Some)
}

type Bytes = Result<Vec<u8>, FromJsonError>;

struct Reader<'a> {
    clock: &'a dyn Clock,
}

impl Reader<'_> {
    /// The bytes of a value that is not null.
    fn value(&self, data_type: &DataType, json: &Json) -> Bytes {
        match data_type {
            DataType::List { element, .. } => {
                let parts = self.elements(element, &array(json, "a list")?, "list")?;
                framed_collection(parts.len(), &parts)
            }
            DataType::Set { element, .. } => {
                let values = array(json, "a list (representing a set)")?;
                let mut parts = self.elements(element, &values, "set")?;
                parts.sort_by(|left, right| compare::compare(element, left, right));
                parts.dedup_by(|left, right| {
                    compare::compare(element, left, right) == Ordering::Equal
                });
                framed_collection(parts.len(), &parts)
            }
            DataType::Map { key, value, .. } => self.map(key, value, &object(json)?),
            DataType::Tuple(types) => {
                self.tuple(types, &array(json, "a list representation of a tuple")?)
            }
            DataType::UserDefined(user) => self.user_type(user, object(json)?),
            DataType::Vector { element, dimension } => {
                self.vector(element, *dimension, &array(json, "a list")?)
            }
            scalar => self.scalar(scalar, json),
        }
    }

    fn elements(
        &self,
        element: &DataType,
        values: &[Json],
        kind: &str,
    ) -> Result<Vec<Vec<u8>>, FromJsonError> {
        let bytes_of = |value: &Json| match value {
            Json::Null => Err(unfit(format!("Invalid null element in {kind}"))),
            value => self.value(element, value),
        };
        values.iter().map(bytes_of).collect()
    }

    fn map(&self, key: &DataType, value: &DataType, entries: &[(String, Json)]) -> Bytes {
        let mut parts: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (name, json) in entries {
            if *json == Json::Null {
                return Err(unfit("Invalid null value in map"));
            }
            let name = self.value(key, &Json::Text(name.clone()))?;
            let bytes = self.value(value, json)?;
            match parts.binary_search_by(|(other, _)| compare::compare(key, other, &name)) {
                Ok(place) => {
                    if let Some((_, earlier)) = parts.get_mut(place) {
                        *earlier = bytes;
                    }
                }
                Err(place) => parts.insert(place, (name, bytes)),
            }
        }
        let count = parts.len();
        let parts: Vec<Vec<u8>> = parts
            .into_iter()
            .flat_map(|(key, value)| [key, value])
            .collect();
        framed_collection(count, &parts)
    }

    fn tuple(&self, types: &[DataType], values: &[Json]) -> Bytes {
        let expected = types.len();
        match values.len().cmp(&expected) {
            Ordering::Less => {
                return Err(unfit(format!(
                    "Tuple is missing items (expected {expected})"
                )));
            }
            Ordering::Greater => {
                return Err(unfit(format!(
                    "Tuple contains extra items (expected {expected})"
                )));
            }
            Ordering::Equal => {}
        }
        let fields = types
            .iter()
            .zip(values)
            .map(|(data_type, json)| self.field(data_type, json));
        framed_fields(fields)
    }

    fn user_type(&self, user: &UserType, entries: Vec<(String, Json)>) -> Bytes {
        let entries = fold_names(entries);
        for (name, _) in &entries {
            if !user.fields.iter().any(|field| field.name == *name) {
                let type_name = &user.name;
                return Err(unfit(format!(
                    "Unknown field '{name}' in value of user defined type {type_name}"
                )));
            }
        }
        let fields = user.fields.iter().map(|field| {
            let found = entries.iter().find(|(name, _)| *name == field.name);
            found.map_or(Ok(None), |(_, json)| self.field(&field.data_type, json))
        });
        framed_fields(fields)
    }

    fn field(&self, data_type: &DataType, json: &Json) -> Result<Option<Vec<u8>>, FromJsonError> {
        match json {
            Json::Null => Ok(None),
            json => self.value(data_type, json).map(Some),
        }
    }

    fn vector(&self, element: &DataType, dimension: u32, values: &[Json]) -> Bytes {
        let given = values.len();
        if u32::try_from(given).ok() != Some(dimension) {
            return Err(unfit(format!(
                "List had incorrect size: expected {dimension} but given {given}"
            )));
        }
        let mut out = Vec::new();
        for part in self.elements(element, values, "list")? {
            frames::write_vector_part(element, &part, &mut out);
        }
        Ok(out)
    }

    fn scalar(&self, data_type: &DataType, json: &Json) -> Bytes {
        let wrong = || {
            let (kind, shown) = (java_class(json), shown(json));
            unfit(format!(
                "Expected a {data_type} value, but got a {kind}: {shown}"
            ))
        };
        let value = match (data_type, json) {
            (DataType::Counter, _) => {
                let reason = "java.lang.UnsupportedOperationException";
                return Err(FromJsonError::Server(reason.to_owned()));
            }
            (DataType::Blob, Json::Text(text)) if !text.starts_with("0x") => {
                return Err(unfit(format!(
                    "Value '{text}' is not a valid blob representation: String representation of \
                     blob is missing 0x prefix: {text}"
                )));
            }
            (DataType::VarInt, Json::Text(text)) if text.is_empty() => return Err(wrong()),
            (_, Json::Text(text)) => return self.parsed(data_type, text),
            (DataType::Boolean, Json::Boolean(truth)) => Value::Boolean(*truth),
            (DataType::TinyInt | DataType::SmallInt, Json::Integer(_) | Json::Double(_)) => {
                return self.parsed(data_type, &shown(json));
            }
            (DataType::Int, Json::Integer(number)) => {
                Value::Int(i32::try_from(number).map_err(|_| wrong())?)
            }
            (DataType::BigInt, Json::Integer(number)) => {
                Value::BigInt(i64::try_from(number).map_err(|_| wrong())?)
            }
            (DataType::VarInt, Json::Integer(number)) => Value::VarInt(number.clone()),
            (DataType::Decimal, Json::Integer(number)) => {
                Value::Decimal(Decimal::from(number.clone()))
            }
            (DataType::Decimal, Json::Double(number)) => {
                Value::Decimal(double_text(*number).parse().map_err(|_| wrong())?)
            }
            (DataType::Float, Json::Integer(number)) => Value::Float(nearest_f32(number)),
            (DataType::Float, Json::Double(number)) => Value::Float(*number as f32),
            (DataType::Double, Json::Integer(number)) => Value::Double(nearest_f64(number)),
            (DataType::Double, Json::Double(number)) => Value::Double(*number),
            (DataType::Timestamp, Json::Integer(number)) if i32::try_from(number).is_err() => {
                let millis = i64::try_from(number).map_err(|_| wrong())?;
                Value::Timestamp(stoa_types::Timestamp(millis))
            }
            _ => return Err(wrong()),
        };
        encoded(data_type, &value)
    }

    fn parsed(&self, data_type: &DataType, text: &str) -> Bytes {
        check_digits(data_type, text).map_err(|refusal| unfit(refusal.message))?;
        let value = text::parse(data_type, text, self.clock).map_err(|error| match error {
            ParseError::Duration(error) => FromJsonError::Invalid(error.to_string()),
            error => unfit(error.to_string()),
        })?;
        encoded(data_type, &value)
    }
}

fn encoded(data_type: &DataType, value: &Value) -> Bytes {
    let bytes = native::encode(data_type, value).map_err(|error| unfit(error.to_string()))?;
    Ok(bytes.unwrap_or_default())
}

fn unfit(reason: impl Into<String>) -> FromJsonError {
    FromJsonError::Unfit(reason.into())
}

/// An array, or a text that holds one.
fn array(json: &Json, wanted: &str) -> Result<Vec<Json>, FromJsonError> {
    match unwrapped(json)? {
        Json::Array(values) => Ok(values),
        other => Err(wrong_kind(&other, wanted)),
    }
}

/// An object, or a text that holds one.
fn object(json: &Json) -> Result<Vec<(String, Json)>, FromJsonError> {
    match unwrapped(json)? {
        Json::Object(entries) => Ok(entries),
        other => Err(wrong_kind(&other, "a map")),
    }
}

/// What a text holds: so are keys of maps written that are no texts themselves.
fn unwrapped(json: &Json) -> Result<Json, FromJsonError> {
    match json {
        Json::Text(text) => {
            parse(text).map_err(|error| unfit(format!("Error decoding JSON string: {error}")))
        }
        other => Ok(other.clone()),
    }
}

fn wrong_kind(json: &Json, wanted: &str) -> FromJsonError {
    if *json == Json::Null {
        // Cassandra trips over a text that holds a null.
        return FromJsonError::Server("java.lang.NullPointerException".to_owned());
    }
    let (kind, shown) = (java_class(json), shown(json));
    unfit(format!("Expected {wanted}, but got a {kind}: {shown}"))
}

/// The class that Java has for a value, which messages name.
fn java_class(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Boolean(_) => "Boolean",
        Json::Integer(number) if i32::try_from(number).is_ok() => "Integer",
        Json::Integer(number) if i64::try_from(number).is_ok() => "Long",
        Json::Integer(_) => "BigInteger",
        Json::Double(_) => "Double",
        Json::Text(_) => "String",
        Json::Array(_) => "ArrayList",
        Json::Object(_) => "LinkedHashMap",
    }
}

/// A value as Java prints it.
fn shown(json: &Json) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match json {
        Json::Null => "null".to_owned(),
        Json::Boolean(truth) => truth.to_string(),
        Json::Integer(number) => number.to_string(),
        Json::Double(number) => double_text(*number),
        Json::Text(text) => text.clone(),
        Json::Array(values) => format!("[{}]", joined(values.iter().map(shown).collect())),
        Json::Object(entries) => {
            let entry = |(name, value): &(String, Json)| format!("{name}={}", shown(value));
            format!("{{{}}}", joined(entries.iter().map(entry).collect()))
        }
    }
}

fn nearest_f32(number: &BigInt) -> f32 {
    number.to_string().parse().unwrap_or(f32::NAN)
}

fn nearest_f64(number: &BigInt) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}

fn framed_collection(count: usize, parts: &[Vec<u8>]) -> Bytes {
    let mut out = Vec::new();
    let write = |out: &mut Vec<u8>| {
        frames::write_count(count, out)?;
        parts
            .iter()
            .try_for_each(|part| frames::write_part(Some(part), out))
    };
    write(&mut out).ok_or_else(|| unfit("the collection is too large"))?;
    Ok(out)
}

fn framed_fields(fields: impl Iterator<Item = Result<Option<Vec<u8>>, FromJsonError>>) -> Bytes {
    let mut out = Vec::new();
    for field in fields {
        frames::write_part(field?.as_deref(), &mut out)
            .ok_or_else(|| unfit("the value is too large"))?;
    }
    Ok(out)
}
