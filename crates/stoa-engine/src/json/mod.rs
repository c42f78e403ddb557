//! Values as JSON, both ways: `SELECT JSON`, `INSERT JSON`, `to_json` and `from_json`.

use stoa_types::{Clock, DataType};

use crate::refusal::Refusal;

/// A JSON value as it was written: numbers keep their digits, objects their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number, in the digits that were given.
    Number(String),
    /// A text.
    Text(String),
    /// Values in square brackets.
    Array(Vec<Json>),
    /// Names and values in braces, in order; a name given twice is there once, with the last value.
    Object(Vec<(String, Json)>),
}

/// Writes the native bytes of a value as JSON; `None`, null, is `null`.
///
/// # Errors
/// When the bytes are not a value of the type.
pub fn to_json(data_type: &DataType, bytes: Option<&[u8]>) -> Result<String, Refusal> {
    let _ = (data_type, bytes);
    Err(Refusal::invalid("not supported"))
}

/// Reads the text of a JSON value.
///
/// # Errors
/// When the text is not JSON.
pub fn parse(text: &str) -> Result<Json, Refusal> {
    let _ = text;
    Err(Refusal::invalid("not supported"))
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
) -> Result<Option<Vec<u8>>, Refusal> {
    let _ = (data_type, json, clock);
    Err(Refusal::invalid("not supported"))
}

/// Reads the object of an `INSERT JSON`: values by column name, in the order given.
///
/// Names in double quotes inside the JSON text keep their case, others are in lower case. Which
/// columns there are is the caller's matter.
///
/// # Errors
/// When the text is not a JSON object.
pub fn row_object(text: &str) -> Result<Vec<(String, Json)>, Refusal> {
    let _ = text;
    Err(Refusal::invalid("not supported"))
}
