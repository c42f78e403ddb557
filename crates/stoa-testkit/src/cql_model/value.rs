//! Values as the model handles them: native bytes, null or unset; and what is inside of them.

use stoa_types::{DataType, compare, frames, native};

use super::failure::{Known, invalid, unknown};

/// A value of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Val {
    /// Native bytes.
    Bytes(Vec<u8>),
    /// No value.
    Null,
    /// Leave it as it is.
    Unset,
}

impl Val {
    /// The bytes, where null and unset make no sense.
    pub(super) fn required(self, what: &str) -> Known<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Null => invalid(format!("Invalid null value for {what}")),
            Self::Unset => invalid(format!("Invalid unset value for {what}")),
        }
    }

    /// The bytes, or nothing for null; unset is refused.
    pub(super) fn optional(self, what: &str) -> Known<Option<Vec<u8>>> {
        match self {
            Self::Bytes(bytes) => Ok(Some(bytes)),
            Self::Null => Ok(None),
            Self::Unset => invalid(format!("Invalid unset value for {what}")),
        }
    }
}

/// The elements of a list or set; the keys and values of a map in turn.
pub(super) fn parts(bytes: &[u8], per_entry: u64) -> Known<Vec<Vec<u8>>> {
    if bytes.is_empty() {
        return unknown("an empty collection value");
    }
    let Ok((_, parts)) = frames::collection_parts(bytes, per_entry) else {
        return invalid("broken collection");
    };
    let parts: Result<Vec<_>, _> = parts.map(|part| part.map(<[u8]>::to_vec)).collect();
    parts.or_else(|_| unknown("nulls or broken bytes in a collection"))
}

/// The entries of a map.
pub(super) fn entries(bytes: &[u8]) -> Known<Vec<(Vec<u8>, Vec<u8>)>> {
    let parts = parts(bytes, 2)?;
    let pair = |pair: &[Vec<u8>]| match pair {
        [key, value] => Some((key.clone(), value.clone())),
        _ => None,
    };
    Ok(parts.chunks(2).filter_map(pair).collect())
}

/// The fields of a tuple or user-defined type; missing ones at the end are null.
pub(super) fn fields(bytes: &[u8], count: usize) -> Known<Vec<Option<Vec<u8>>>> {
    let parts: Result<Vec<_>, _> = frames::tuple_parts(bytes, count)
        .map(|part| part.map(|part| part.map(<[u8]>::to_vec)))
        .collect();
    let Ok(mut fields) = parts else {
        return invalid("broken tuple");
    };
    fields.resize(count, None);
    Ok(fields)
}

/// A collection of these parts; a map has two for each entry.
pub(super) fn collection<'a>(count: usize, parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = frames::write_count(count, &mut out);
    for part in parts {
        let _ = frames::write_part(Some(part), &mut out);
    }
    out
}

/// A list or set of these elements.
pub(super) fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    collection(elements.len(), elements.iter().map(Vec::as_slice))
}

/// A list of these elements, of which some may be null.
pub(super) fn nullable_list(elements: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = frames::write_count(elements.len(), &mut out);
    for element in elements {
        let _ = frames::write_part(element.as_deref(), &mut out);
    }
    out
}

/// A map of these entries.
pub(super) fn map(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let parts = entries.iter().flat_map(|(key, value)| [key, value]);
    collection(entries.len(), parts.map(Vec::as_slice))
}

/// A tuple or user-defined type of these fields.
pub(super) fn tuple(fields: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        let _ = frames::write_part(field.as_deref(), &mut out);
    }
    out
}

/// Sorts the elements of a set; of equal ones the first stays.
pub(super) fn sort_set(element: &DataType, elements: &mut Vec<Vec<u8>>) {
    elements.sort_by(|left, right| compare::compare(element, left, right));
    elements.dedup_by(|later, kept| compare::compare(element, later, kept).is_eq());
}

/// Sorts the entries of a map; of equal keys the last value stays.
pub(super) fn sort_map(key: &DataType, entries: &mut Vec<(Vec<u8>, Vec<u8>)>) {
    entries.sort_by(|left, right| compare::compare(key, &left.0, &right.0));
    entries.dedup_by(|later, kept| {
        let is_same = compare::compare(key, &later.0, &kept.0).is_eq();
        if is_same {
            kept.1.clone_from(&later.1);
        }
        is_same
    });
}

/// Checks bytes that a client sent, and puts sets and maps into their order.
pub(super) fn validated(data_type: &DataType, bytes: &[u8]) -> Known<Vec<u8>> {
    let is_plain = data_type.native_name().is_some();
    match native::validate(data_type, bytes) {
        Ok(()) if is_plain => Ok(bytes.to_vec()),
        Ok(()) => ordered(data_type, bytes),
        Err(error) if is_plain => invalid(error.to_string()),
        Err(error) => unknown(format!("bytes that are no value: {error}")),
    }
}

/// The same value with every set and map inside of it in order.
fn ordered(data_type: &DataType, bytes: &[u8]) -> Known<Vec<u8>> {
    let inner = |data_type: &DataType, part: Vec<u8>| match part.is_empty() {
        true if !data_type.is_empty_ordinary() => unknown("empty values inside of others"),
        _ => ordered(data_type, &part),
    };
    Ok(match data_type {
        DataType::List { element, .. } => {
            let parts = parts(bytes, 1)?.into_iter();
            list(
                &parts
                    .map(|it| inner(element, it))
                    .collect::<Known<Vec<_>>>()?,
            )
        }
        DataType::Set { element, .. } => {
            let parts = parts(bytes, 1)?.into_iter();
            let mut parts = parts
                .map(|it| inner(element, it))
                .collect::<Known<Vec<_>>>()?;
            sort_set(element, &mut parts);
            list(&parts)
        }
        DataType::Map { key, value, .. } => {
            let mut sorted = Vec::new();
            for (left, right) in entries(bytes)? {
                sorted.push((inner(key, left)?, inner(value, right)?));
            }
            sort_map(key, &mut sorted);
            map(&sorted)
        }
        _ => bytes.to_vec(),
    })
}

/// A number of 32 bits.
pub(super) fn int(bytes: &[u8]) -> Known<i32> {
    match bytes.try_into() {
        Ok(array) => Ok(i32::from_be_bytes(array)),
        Err(_) => unknown("a number of another length"),
    }
}

/// A number of 64 bits.
pub(super) fn long(bytes: &[u8]) -> Known<i64> {
    match bytes.try_into() {
        Ok(array) => Ok(i64::from_be_bytes(array)),
        Err(_) => unknown("a number of another length"),
    }
}
