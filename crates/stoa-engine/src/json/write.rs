//! Values to JSON, type by type as Cassandra's `toJSONString` writes them.

use stoa_types::{DataType, Value, frames, native};

use crate::functions::scalar_text::{DateSeparator, scalar_text};
use crate::refusal::Refusal;

/// Writes the native bytes of a value as JSON; null is `null`.
///
/// An empty value of a type for which that is not ordinary is an empty text, as in `SELECT JSON`;
/// the function `to_json` takes it for null.
///
/// # Errors
/// When the bytes are not a value of the type.
pub fn to_json(data_type: &DataType, bytes: Option<&[u8]>) -> Result<String, Refusal> {
    let mut out = String::new();
    write(data_type, bytes, &mut out)?;
    Ok(out)
}

pub(super) fn write(
    data_type: &DataType,
    bytes: Option<&[u8]>,
    out: &mut String,
) -> Result<(), Refusal> {
    let Some(bytes) = bytes else {
        out.push_str("null");
        return Ok(());
    };
    match data_type {
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            let (_, parts) = frames::collection_parts(bytes, 1).map_err(broken)?;
            write_array(
                parts.map(|part| part.map(|part| (&**element, Some(part)))),
                out,
            )
        }
        DataType::Vector { element, dimension } => {
            let parts = frames::vector_parts(bytes, element, *dimension);
            write_array(
                parts.map(|part| part.map(|part| (&**element, Some(part)))),
                out,
            )
        }
        DataType::Tuple(types) => {
            let mut parts = frames::tuple_parts(bytes, types.len());
            let fields = types.iter().map(|data_type| {
                let part = parts.next().unwrap_or(Err(frames::FrameError::CutShort));
                part.map(|part| (data_type, part))
            });
            write_array(fields, out)
        }
        DataType::Map { key, value, .. } => write_map(key, value, bytes, out),
        DataType::UserDefined(user) => {
            let mut parts = frames::tuple_parts(bytes, user.fields.len());
            out.push('{');
            for (index, field) in user.fields.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_name(&field.name, out);
                out.push_str(": ");
                // Fields that were added to the type after the value was written are null.
                let part = parts.next().transpose().map_err(broken)?.flatten();
                write(&field.data_type, part, out)?;
            }
            out.push('}');
            Ok(())
        }
        scalar => write_scalar(scalar, bytes, out),
    }
}

fn write_array<'a>(
    parts: impl Iterator<Item = Result<(&'a DataType, Option<&'a [u8]>), frames::FrameError>>,
    out: &mut String,
) -> Result<(), Refusal> {
    out.push('[');
    for (index, part) in parts.enumerate() {
        let (data_type, bytes) = part.map_err(broken)?;
        out.push_str(if index == 0 { "" } else { ", " });
        write(data_type, bytes, out)?;
    }
    out.push(']');
    Ok(())
}

fn write_map(
    key_type: &DataType,
    value_type: &DataType,
    bytes: &[u8],
    out: &mut String,
) -> Result<(), Refusal> {
    let (_, parts) = frames::collection_parts(bytes, 2).map_err(broken)?;
    out.push('{');
    for (index, part) in parts.enumerate() {
        let bytes = part.map_err(broken)?;
        if index.is_multiple_of(2) {
            out.push_str(if index == 0 { "" } else { ", " });
            let key = to_json(key_type, Some(bytes))?;
            if key.starts_with('"') {
                out.push_str(&key);
            } else {
                write_text(&key, out);
            }
            out.push_str(": ");
        } else {
            write(value_type, Some(bytes), out)?;
        }
    }
    out.push('}');
    Ok(())
}

fn write_scalar(data_type: &DataType, bytes: &[u8], out: &mut String) -> Result<(), Refusal> {
    let value =
        native::decode(data_type, bytes).map_err(|error| Refusal::server(error.to_string()))?;
    let is_finite = match &value {
        Value::Float(number) => number.is_finite(),
        Value::Double(number) => number.is_finite(),
        _ => true,
    };
    let is_bare = matches!(
        value,
        Value::TinyInt(_)
            | Value::SmallInt(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Counter(_)
            | Value::VarInt(_)
            | Value::Decimal(_)
            | Value::Float(_)
            | Value::Double(_)
            | Value::Boolean(_)
    );
    let text = scalar_text(&value, DateSeparator::Space);
    if !is_finite {
        out.push_str("null");
    } else if is_bare {
        out.push_str(&text);
    } else if value == Value::Empty && *data_type == DataType::Boolean {
        return Err(Refusal::server("an empty boolean has no JSON"));
    } else {
        write_text(&text, out);
    }
    Ok(())
}

/// A name: in double quotes of its own, within the text, if it has capital letters.
pub(super) fn write_name(name: &str, out: &mut String) {
    if name == name.to_lowercase() {
        write_text(name, out);
    } else {
        write_text(&format!("\"{name}\""), out);
    }
}

/// A text in double quotes, with the escapes that JSON needs and no others.
pub(super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1F' => out.push_str(&format!("\\u{:04X}", u32::from(character))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

fn broken(error: frames::FrameError) -> Refusal {
    Refusal::server(error.to_string())
}
