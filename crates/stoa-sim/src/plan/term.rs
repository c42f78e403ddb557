//! Values of a statement: constants, read when it is compiled, and variables.

use std::sync::Arc;

use stoa_cql::ast::{Literal, LiteralKind, Term};
use stoa_session::Error;
use stoa_session::bind::Cell as Bound;
use stoa_types::{DataType, ManualClock, compare, frames, native, text};

use super::{invalid, unsupported};
use crate::store::cell::Bytes;

/// Where a value comes from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// The variable of a marker.
    Marker(usize),
    /// The statement itself; `None` is null.
    Constant(Option<Bytes>),
}

/// The bound variables of one execution.
pub(crate) type Values<'v> = [Bound<'v>];

impl Source {
    /// The value in one execution.
    pub(crate) fn get<'v>(&'v self, values: &'v Values<'v>) -> Result<Bound<'v>, Error> {
        match self {
            Self::Marker(index) => values
                .get(*index)
                .copied()
                .ok_or_else(|| invalid("too few values for the variables")),
            Self::Constant(Some(bytes)) => Ok(Bound::Bytes(bytes)),
            Self::Constant(None) => Ok(Bound::Null),
        }
    }

    /// The value of a key column, which must be there.
    pub(crate) fn key<'v>(&'v self, values: &'v Values<'v>) -> Result<&'v [u8], Error> {
        match self.get(values)? {
            Bound::Bytes(bytes) => Ok(bytes),
            Bound::Null => Err(invalid("null is no value of a key column")),
            Bound::Unset => Err(invalid("unset is no value of a key column")),
        }
    }

    /// A number such as a limit, a timestamp or a time to live; `None` if it is null or unset.
    pub(crate) fn number<'v>(&'v self, values: &'v Values<'v>) -> Result<Option<i64>, Error> {
        let Bound::Bytes(bytes) = self.get(values)? else {
            return Ok(None);
        };
        if let Ok(long) = <[u8; 8]>::try_from(bytes) {
            return Ok(Some(i64::from_be_bytes(long)));
        }
        match <[u8; 4]>::try_from(bytes) {
            Ok(int) => Ok(Some(i64::from(i32::from_be_bytes(int)))),
            Err(_) => Err(invalid("a number of another length")),
        }
    }
}

/// Checks bound bytes and puts sets and maps into their order.
pub(crate) fn checked(data_type: &DataType, bytes: &[u8]) -> Result<Bytes, Error> {
    native::validate(data_type, bytes).map_err(|problem| invalid(problem.to_string()))?;
    match data_type.native_name() {
        Some(_) => Ok(Arc::from(bytes)),
        None => Ok(Arc::from(ordered(data_type, bytes)?)),
    }
}

/// The same value with every set and map inside of it in order.
fn ordered(data_type: &DataType, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    Ok(match data_type {
        DataType::Set { element, .. } => {
            let mut parts = Vec::new();
            for part in parts_of(bytes, 1)? {
                parts.push(ordered(element, part)?);
            }
            sort_set(element, &mut parts);
            collection(parts.len(), &parts)
        }
        DataType::Map { key, value, .. } => {
            let parts = parts_of(bytes, 2)?;
            let mut entries = Vec::new();
            for pair in parts.chunks(2) {
                if let [left, right] = pair {
                    entries.push((ordered(key, left)?, ordered(value, right)?));
                }
            }
            map_bytes(key, entries)
        }
        DataType::List { element, .. } => {
            let mut parts = Vec::new();
            for part in parts_of(bytes, 1)? {
                parts.push(ordered(element, part)?);
            }
            collection(parts.len(), &parts)
        }
        _ => bytes.to_vec(),
    })
}

/// The parts of a collection; a map has two for each entry.
pub(crate) fn parts_of(bytes: &[u8], per_entry: u64) -> Result<Vec<&[u8]>, Error> {
    let broken = |problem: frames::FrameError| invalid(problem.to_string());
    let (_, parts) = frames::collection_parts(bytes, per_entry).map_err(broken)?;
    parts.collect::<Result<_, _>>().map_err(broken)
}

/// A collection of these parts.
pub(crate) fn collection<T: AsRef<[u8]>>(count: usize, parts: &[T]) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = frames::write_count(count, &mut out);
    for part in parts {
        let _ = frames::write_part(Some(part.as_ref()), &mut out);
    }
    out
}

fn sort_set(element: &DataType, parts: &mut Vec<Vec<u8>>) {
    parts.sort_by(|left, right| compare::compare(element, left, right));
    parts.dedup_by(|later, kept| compare::compare(element, later, kept).is_eq());
}

fn map_bytes(key: &DataType, mut entries: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<u8> {
    entries.sort_by(|left, right| compare::compare(key, &left.0, &right.0));
    // Of equal keys the last value stays.
    entries.dedup_by(|later, kept| {
        let is_same = compare::compare(key, &later.0, &kept.0).is_eq();
        if is_same {
            std::mem::swap(&mut kept.1, &mut later.1);
        }
        is_same
    });
    let count = entries.len();
    let parts: Vec<Vec<u8>> = entries
        .into_iter()
        .flat_map(|(key, value)| [key, value])
        .collect();
    collection(count, &parts)
}

/// The bytes of a term without variables; `None` is null.
pub(crate) fn constant(term: &Term, data_type: &DataType) -> Result<Option<Vec<u8>>, Error> {
    match (term, data_type) {
        (Term::Null, _) => Ok(None),
        (Term::Literal(literal), _) => literal_bytes(literal, data_type).map(Some),
        (Term::ListOrVector(terms), DataType::List { element, .. }) => {
            let parts = inside(terms, element)?;
            Ok(Some(collection(parts.len(), &parts)))
        }
        (Term::SetOrEmptyMap(terms), DataType::Set { element, .. }) => {
            let mut parts = inside(terms, element)?;
            sort_set(element, &mut parts);
            Ok(Some(collection(parts.len(), &parts)))
        }
        (Term::SetOrEmptyMap(terms), DataType::Map { .. }) if terms.is_empty() => {
            Ok(Some(collection::<Vec<u8>>(0, &[])))
        }
        (Term::Map(terms), DataType::Map { key, value, .. }) => {
            let keys = inside(terms.iter().map(|(key, _)| key), key)?;
            let values = inside(terms.iter().map(|(_, value)| value), value)?;
            let entries = keys.into_iter().zip(values).collect();
            Ok(Some(map_bytes(key, entries)))
        }
        (Term::Tuple(terms), DataType::Tuple(types)) if terms.len() <= types.len() => {
            let mut out = Vec::new();
            for (term, data_type) in terms.iter().zip(types) {
                let part = constant(term, data_type)?;
                let _ = frames::write_part(part.as_deref(), &mut out);
            }
            Ok(Some(out))
        }
        (Term::Function { name, .. }, _) => Err(unsupported(format!(
            "functions such as {}",
            name.name.as_str()
        ))),
        _ => Err(unsupported(format!("such a value of type {data_type}"))),
    }
}

fn inside<'t>(
    terms: impl IntoIterator<Item = &'t Term>,
    data_type: &DataType,
) -> Result<Vec<Vec<u8>>, Error> {
    let element = |term| match constant(term, data_type)? {
        Some(bytes) => Ok(bytes),
        None => Err(invalid("null is not supported inside collections")),
    };
    terms.into_iter().map(element).collect()
}

fn literal_bytes(literal: &Literal, data_type: &DataType) -> Result<Vec<u8>, Error> {
    let is_text = matches!(data_type, DataType::Text | DataType::Ascii);
    if is_text != (literal.kind == LiteralKind::String) && (is_text || !may_be_text(data_type)) {
        return Err(invalid(format!("{} is no {data_type}", literal.text)));
    }
    let clock = ManualClock::at_micros(0);
    let value = text::parse(data_type, &literal.text, &clock)
        .map_err(|problem| invalid(problem.to_string()))?;
    match native::encode(data_type, &value) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(unsupported("a constant that is null")),
        Err(problem) => Err(invalid(problem.to_string())),
    }
}

fn may_be_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Inet | DataType::Timestamp | DataType::Date | DataType::Time
    )
}
