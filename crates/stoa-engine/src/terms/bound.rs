//! The bytes of a variable, as Cassandra takes them in.
//!
//! A collection is read and written again (`Lists.Value.fromSerialized` and those of sets and maps),
//! which changes it: sets and maps are sorted and lose doubles, elements get the bytes that Java
//! writes for them, and an empty number in a list becomes null. In a list that is stored as one cell
//! nulls are kept, and whoever stores elements one by one must refuse them.

use std::borrow::Cow;

use stoa_types::frames::{self, FrameError};
use stoa_types::native::{self, DecodeError};
use stoa_types::{DataType, compare};

use crate::refusal::Refusal;

/// The value of a variable that is neither null nor unset.
pub(super) fn taken_in<'a>(
    data_type: &DataType,
    bytes: &'a [u8],
) -> Result<Cow<'a, [u8]>, Refusal> {
    match data_type {
        DataType::List { .. } => collection(data_type, bytes, Nulls::Kept),
        DataType::Set { .. } | DataType::Map { .. } => collection(data_type, bytes, Nulls::Refused),
        // Nobody catches what `UserType.validate` throws.
        DataType::UserDefined(_) => native::validate(data_type, bytes)
            .map(|()| Cow::Borrowed(bytes))
            .map_err(|problem| Refusal::server(problem.to_string())),
        _ => valid(data_type, bytes),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Kept,
    Refused,
}

fn collection<'a>(
    data_type: &DataType,
    bytes: &'a [u8],
    nulls: Nulls,
) -> Result<Cow<'a, [u8]>, Refusal> {
    let types = data_type.inner();
    let per_entry = types.len().max(1);
    let (_, parts) = frames::nullable_parts(bytes, per_entry as u64).map_err(broken)?;
    let mut taken = Vec::new();
    for (part, data_type) in parts.zip(types.into_iter().cycle()) {
        taken.push(match part.map_err(broken)? {
            Some([]) if nulls == Nulls::Kept && is_null_if_empty(data_type) => None,
            Some(part) => Some(element(data_type, part)?),
            None if nulls == Nulls::Kept => None,
            None => return Err(broken(FrameError::NullElement)),
        });
    }
    let given: Vec<Option<&[u8]>> = taken.iter().map(Option::as_deref).collect();
    let (DataType::Set { element: keys, .. } | DataType::Map { key: keys, .. }) = data_type else {
        return framed(&given, 1).map(Cow::Owned);
    };
    let given: Vec<&[u8]> = given.into_iter().flatten().collect();
    let sorted = match per_entry {
        2 => sorted_map(keys, &given),
        _ => sorted_set(keys, &given),
    };
    let sorted: Vec<Option<&[u8]>> = sorted.into_iter().map(Some).collect();
    framed(&sorted, per_entry).map(Cow::Owned)
}

/// Whether Java makes null of the type's empty value.
fn is_null_if_empty(data_type: &DataType) -> bool {
    let is_native = data_type.native_name().is_some();
    is_native && data_type.allows_empty() && !data_type.is_empty_ordinary()
}

/// An element as Java writes it. Tuples and user types are not read, only checked.
fn element<'a>(data_type: &DataType, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
    match data_type {
        DataType::List { .. } | DataType::Set { .. } | DataType::Map { .. } => {
            collection(data_type, bytes, Nulls::Refused)
        }
        // Java makes a string of it, so it must be UTF-8 here.
        DataType::Text => {
            native::decode(data_type, bytes).map_err(|it| invalid(&it))?;
            Ok(Cow::Borrowed(bytes))
        }
        DataType::Boolean | DataType::Decimal | DataType::VarInt if !bytes.is_empty() => {
            let value = native::decode(data_type, bytes).map_err(|it| invalid(&it))?;
            let written = native::encode(data_type, &value)
                .map_err(|problem| Refusal::invalid(problem.to_string()))?;
            Ok(Cow::Owned(written.unwrap_or_default()))
        }
        _ => valid(data_type, bytes),
    }
}

fn valid<'a>(data_type: &DataType, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
    native::validate(data_type, bytes).map_err(|it| invalid(&it))?;
    Ok(Cow::Borrowed(bytes))
}

fn invalid(problem: &DecodeError) -> Refusal {
    Refusal::invalid(problem.to_string())
}

fn broken(problem: FrameError) -> Refusal {
    Refusal::invalid(problem.to_string())
}

/// The elements in order, each once: of equal ones the first.
pub(crate) fn sorted_set<'a>(element: &DataType, parts: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut parts = parts.to_vec();
    parts.sort_by(|left, right| compare::compare(element, left, right));
    parts.dedup_by(|left, right| compare::compare(element, left, right).is_eq());
    parts
}

/// Keys and values in turn, in the order of the keys. Of equal keys the first one counts, with the
/// last value, as in Java's sorted maps.
pub(crate) fn sorted_map<'a>(key: &DataType, parts: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut pairs: Vec<(&[u8], &[u8])> = parts
        .chunks_exact(2)
        .filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)))
        .collect();
    pairs.sort_by(|(left, _), (right, _)| compare::compare(key, left, right));
    pairs.dedup_by(|later, kept| {
        let is_same = compare::compare(key, later.0, kept.0).is_eq();
        if is_same {
            kept.1 = later.1;
        }
        is_same
    });
    pairs.into_iter().flat_map(|(key, it)| [key, it]).collect()
}

/// The bytes of a collection with these parts.
pub(super) fn framed(parts: &[Option<&[u8]>], per_entry: usize) -> Result<Vec<u8>, Refusal> {
    let too_large = || Refusal::invalid("a collection has 2 GiB or more");
    let mut out = Vec::new();
    frames::write_count(parts.len() / per_entry, &mut out).ok_or_else(too_large)?;
    for part in parts {
        frames::write_part(*part, &mut out).ok_or_else(too_large)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(parts: &[Option<&[u8]>]) -> Vec<u8> {
        framed(parts, 1).unwrap()
    }

    #[test]
    fn lists_keep_nulls_and_make_nulls_of_empty_numbers() {
        let ints = DataType::list(DataType::Int);
        let given = list(&[None, Some(&[]), Some(&[0, 0, 0, 1])]);
        let taken = taken_in(&ints, &given).unwrap();
        assert_eq!(*taken, list(&[None, None, Some(&[0, 0, 0, 1])]));
        let texts = DataType::list(DataType::Text);
        let given = list(&[Some(&[])]);
        assert_eq!(*taken_in(&texts, &given).unwrap(), given);
    }

    #[test]
    fn nulls_elsewhere_are_refused() {
        let given = list(&[None]);
        assert!(taken_in(&DataType::set(DataType::Int), &given).is_err());
        let nested = DataType::list(DataType::list(DataType::Int).frozen());
        assert!(taken_in(&nested, &list(&[Some(&given)])).is_err());
        assert!(taken_in(&nested, &[]).is_err());
    }

    #[test]
    fn elements_are_written_as_java_writes_them() {
        let sets = DataType::list(DataType::set(DataType::VarInt).frozen());
        let given = list(&[Some(&list(&[Some(&[0, 5]), Some(&[3]), Some(&[5])]))]);
        let taken = taken_in(&sets, &given).unwrap();
        assert_eq!(*taken, list(&[Some(&list(&[Some(&[3]), Some(&[5])]))]));
        let texts = DataType::list(DataType::Text);
        let surrogate = list(&[Some(&[0xED, 0xA0, 0x80])]);
        assert!(taken_in(&texts, &surrogate).is_err());
    }

    #[test]
    fn of_equal_keys_the_first_counts_with_the_last_value() {
        let parts: [&[u8]; 6] = [&[0, 5], b"a", &[3], b"b", &[5], b"c"];
        let sorted = sorted_map(&DataType::VarInt, &parts);
        assert_eq!(sorted, [&[3][..], b"b", &[0, 5], b"c"]);
    }
}
