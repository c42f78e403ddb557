//! Rows as JSON objects: names of columns and their case.

use stoa_types::DataType;

use super::parse::{Json, parse};
use super::write::{write, write_name};
use crate::refusal::Refusal;

/// Writes a row as `SELECT JSON` answers it: names, types and values of the columns, in order.
///
/// # Errors
/// When the bytes of a value are not of its type.
pub fn row_text<'a>(
    columns: impl IntoIterator<Item = (&'a str, &'a DataType, Option<&'a [u8]>)>,
) -> Result<String, Refusal> {
    let mut out = "{".to_owned();
    for (index, (name, data_type, bytes)) in columns.into_iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write_name(name, &mut out);
        out.push_str(": ");
        write(data_type, bytes, &mut out)?;
    }
    out.push('}');
    Ok(out)
}

/// Reads the object of an `INSERT JSON`: values by column name, in the order given.
///
/// Names in double quotes within the text keep their case, others are in lower case. Which columns
/// there are is the caller's matter; no name is there twice.
///
/// # Errors
/// When the text is not a JSON object.
pub fn row_object(text: &str) -> Result<Vec<(String, Json)>, Refusal> {
    let undecodable = |reason: &str| {
        Refusal::invalid(format!(
            "Could not decode JSON string as a map: {reason}. (String was: {text})"
        ))
    };
    match parse(text) {
        Ok(Json::Object(entries)) => Ok(fold_names(entries)),
        Ok(Json::Null) => Err(Refusal::invalid("Got null for INSERT JSON values")),
        Ok(_) => Err(undecodable("it is not an object")),
        Err(error) => Err(undecodable(&error.to_string())),
    }
}

/// The names that stand for columns or fields.
///
/// Each name is replaced in turn, as Cassandra's `handleCaseSensitivity` does it: where two become
/// the same, the one that was replaced later counts, and one that had to be replaced counts more
/// than one that had not.
pub(super) fn fold_names(entries: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut folded = entries;
    let given: Vec<String> = folded.iter().map(|(name, _)| name.clone()).collect();
    for name in given {
        let unquoted = name
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let wanted = unquoted.map_or_else(|| name.to_lowercase(), str::to_owned);
        if wanted == name {
            continue;
        }
        let Some(place) = folded.iter().position(|(other, _)| *other == name) else {
            continue;
        };
        let (_, value) = folded.remove(place);
        match folded.iter_mut().find(|(other, _)| *other == wanted) {
            Some((_, earlier)) => *earlier = value,
            None => folded.push((wanted, value)),
        }
    }
    folded
}
