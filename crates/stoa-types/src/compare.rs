//! The order of values, computed from their native bytes as Cassandra's comparators do.
//!
//! | type | order |
//! |---|---|
//! | ascii, text, blob, inet, duration, date, time, custom | unsigned bytes; a prefix comes first |
//! | integers, timestamp, counter, varint, decimal | numeric |
//! | float, double | numeric, -0 before 0, NaN after infinity |
//! | boolean | false before true; every byte but 0 is true |
//! | timeuuid | time, then the last eight bytes as signed bytes |
//! | uuid | version, then time (version 1) or unsigned bytes, then unsigned bytes |
//! | list, set, map, tuple, user-defined type, vector | part by part; a shorter one first |
//!
//! Empty values come before all others, and nulls inside tuples and lists before empty ones.
//!
//! As in Java, all NaNs are one value, whatever their bits.
//!
//! This is written independently of [`crate::ordered`], whose tests compare the two. Bytes that
//! are not valid for their type have no order in Cassandra; here they get one, so that this is
//! total and never panics.

use std::cmp::Ordering;

use num_bigint::BigInt;
use uuid::Uuid;

use crate::data_type::{ClusteringOrder, DataType, KeyColumn};
use crate::decimal::Decimal;
use crate::frames::{self, FrameError};
use crate::time_uuid;

/// Compares two values of a type by their native bytes.
#[must_use]
pub fn compare(data_type: &DataType, left: &[u8], right: &[u8]) -> Ordering {
    if left.is_empty() || right.is_empty() {
        return right.is_empty().cmp(&left.is_empty());
    }
    match data_type {
        DataType::Boolean => is_true(left).cmp(&is_true(right)),
        DataType::TinyInt => by_array(left, right, |a, b| {
            i8::from_be_bytes(a).cmp(&i8::from_be_bytes(b))
        }),
        DataType::SmallInt => by_array(left, right, |a, b| {
            i16::from_be_bytes(a).cmp(&i16::from_be_bytes(b))
        }),
        DataType::Int => by_array(left, right, |a, b| {
            i32::from_be_bytes(a).cmp(&i32::from_be_bytes(b))
        }),
        DataType::VarInt => {
            BigInt::from_signed_bytes_be(left).cmp(&BigInt::from_signed_bytes_be(right))
        }
        DataType::BigInt | DataType::Counter | DataType::Timestamp => {
            by_array(left, right, |a, b| {
                i64::from_be_bytes(a).cmp(&i64::from_be_bytes(b))
            })
        }
        DataType::Float => by_array(left, right, compare_floats),
        DataType::Double => by_array(left, right, compare_doubles),
        DataType::Decimal => match (Decimal::from_bytes(left), Decimal::from_bytes(right)) {
            (Some(left), Some(right)) => left.compare(&right),
            _ => left.cmp(right),
        },
        DataType::TimeUuid => by_array(left, right, |a, b| {
            time_uuid::compare(&Uuid::from_bytes(a), &Uuid::from_bytes(b))
        }),
        DataType::Uuid => by_array(left, right, |a, b| {
            compare_uuids(&Uuid::from_bytes(a), &Uuid::from_bytes(b))
        }),
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            compare_parts(collection(left, 1), collection(right, 1), |_| element)
        }
        DataType::Map { key, value, .. } => {
            let side = |index: usize| {
                if index.is_multiple_of(2) {
                    &**key
                } else {
                    &**value
                }
            };
            compare_parts(collection(left, 2), collection(right, 2), side)
        }
        DataType::Vector { element, dimension } => {
            let parts = |bytes| frames::vector_parts(bytes, element, *dimension).map(some);
            compare_parts(parts(left), parts(right), |_| element)
        }
        DataType::Tuple(types) => compare_tuples(left, right, &types.iter().collect::<Vec<_>>()),
        DataType::UserDefined(_) => compare_tuples(left, right, &data_type.inner()),
        _ => left.cmp(right),
    }
}

/// Compares two full clusterings, column by column. A null comes first, in both directions.
#[must_use]
pub fn compare_clusterings(
    columns: &[KeyColumn],
    left: &[Option<&[u8]>],
    right: &[Option<&[u8]>],
) -> Ordering {
    for (column, values) in columns.iter().zip(left.iter().zip(right)) {
        let ordering = match values {
            (Some(left), Some(right)) => {
                let ascending = compare(&column.data_type, left, right);
                match column.order {
                    ClusteringOrder::Ascending => ascending,
                    ClusteringOrder::Descending => ascending.reverse(),
                }
            }
            (left, right) => left.is_some().cmp(&right.is_some()),
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    left.len().cmp(&right.len())
}

fn is_true(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| byte != 0)
}

/// Compares values of a fixed length; wrong lengths compare as bytes.
fn by_array<const N: usize>(
    left: &[u8],
    right: &[u8],
    compare: impl Fn([u8; N], [u8; N]) -> Ordering,
) -> Ordering {
    match (left.try_into(), right.try_into()) {
        (Ok(a), Ok(b)) => compare(a, b),
        _ => left.cmp(right),
    }
}

fn compare_floats(left: [u8; 4], right: [u8; 4]) -> Ordering {
    let (left, right) = (f32::from_be_bytes(left), f32::from_be_bytes(right));
    match (left.is_nan(), right.is_nan()) {
        (false, false) => left.total_cmp(&right),
        nans => nans.0.cmp(&nans.1),
    }
}

fn compare_doubles(left: [u8; 8], right: [u8; 8]) -> Ordering {
    let (left, right) = (f64::from_be_bytes(left), f64::from_be_bytes(right));
    match (left.is_nan(), right.is_nan()) {
        (false, false) => left.total_cmp(&right),
        nans => nans.0.cmp(&nans.1),
    }
}

fn compare_uuids(left: &Uuid, right: &Uuid) -> Ordering {
    let versions = left.get_version_num().cmp(&right.get_version_num());
    versions.then_with(|| {
        let times = time_uuid::ticks(left).cmp(&time_uuid::ticks(right));
        times.then_with(|| left.as_bytes().cmp(right.as_bytes()))
    })
}

type Part<'a> = Result<Option<&'a [u8]>, FrameError>;

fn some(part: Result<&[u8], FrameError>) -> Part<'_> {
    part.map(Some)
}

/// The parts of a collection; wrong framing is a last, wrong part.
fn collection(bytes: &[u8], parts_per_entry: u64) -> impl Iterator<Item = Part<'_>> {
    let (parts, error) = match frames::nullable_parts(bytes, parts_per_entry) {
        Ok((_, parts)) => (Some(parts), None),
        Err(error) => (None, Some(Err(error))),
    };
    parts.into_iter().flatten().chain(error)
}

/// Part by part, then the shorter first.
fn compare_parts<'a, 't>(
    mut left: impl Iterator<Item = Part<'a>>,
    mut right: impl Iterator<Item = Part<'a>>,
    type_of: impl Fn(usize) -> &'t DataType,
) -> Ordering {
    for index in 0.. {
        let ordering = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (Some(left), Some(right)) => compare_part(type_of(index), left, right),
            (left, right) => left.is_some().cmp(&right.is_some()),
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

/// Field by field; fields that are missing at the end are null.
fn compare_tuples(left: &[u8], right: &[u8], types: &[&DataType]) -> Ordering {
    let mut left = frames::tuple_parts(left, types.len());
    let mut right = frames::tuple_parts(right, types.len());
    for data_type in types {
        let (left, right) = (
            left.next().unwrap_or(Ok(None)),
            right.next().unwrap_or(Ok(None)),
        );
        let ordering = compare_part(data_type, left, right);
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

fn compare_part(data_type: &DataType, left: Part<'_>, right: Part<'_>) -> Ordering {
    match (left, right) {
        (Ok(Some(left)), Ok(Some(right))) => compare(data_type, left, right),
        (Ok(left), Ok(right)) => left.is_some().cmp(&right.is_some()),
        (left, right) => left.is_ok().cmp(&right.is_ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::encode;
    use crate::value::Value;

    /// Asserts that each value is less than all that follow.
    fn assert_rising(data_type: &DataType, values: &[Vec<u8>]) {
        for (i, left) in values.iter().enumerate() {
            for (j, right) in values.iter().enumerate() {
                assert_eq!(
                    compare(data_type, left, right),
                    i.cmp(&j),
                    "{left:?} {right:?}"
                );
            }
        }
    }

    fn uuids(texts: &[&str]) -> Vec<Vec<u8>> {
        texts
            .iter()
            .map(|text| Uuid::parse_str(text).unwrap().as_bytes().to_vec())
            .collect()
    }

    #[test]
    fn numbers_compare_numerically_and_empty_first() {
        let int = |number: i32| number.to_be_bytes().to_vec();
        assert_rising(
            &DataType::Int,
            &[vec![], int(i32::MIN), int(-1), int(0), int(1)],
        );
        let varint = |bytes: &[u8]| bytes.to_vec();
        assert_rising(
            &DataType::VarInt,
            &[
                vec![],
                varint(&[0xFF, 0x00]),
                varint(&[0x80]),
                varint(&[0]),
                varint(&[0, 0x80]),
            ],
        );
        assert_eq!(
            compare(&DataType::VarInt, &[0, 0, 5], &[5]),
            Ordering::Equal
        );
        let numbers = [
            f32::NEG_INFINITY,
            -1.0,
            -0.0,
            0.0,
            1.0,
            f32::INFINITY,
            f32::NAN,
        ];
        assert_rising(
            &DataType::Float,
            &numbers.map(|number| number.to_be_bytes().to_vec()),
        );
    }

    #[test]
    fn all_nans_are_one_value() {
        let double = |bits: u64| bits.to_be_bytes().to_vec();
        let (plain, other) = (double(0x7FF8 << 48), double((0xFFF8 << 48) | 1));
        assert_eq!(compare(&DataType::Double, &plain, &other), Ordering::Equal);
        let infinity = f64::INFINITY.to_be_bytes();
        let order = compare(&DataType::Double, &other, &infinity);
        assert_eq!(order, Ordering::Greater);
        let float = |bits: u32| bits.to_be_bytes().to_vec();
        let (plain, other) = (float(0x7FC0 << 16), float((0xFFC0 << 16) | 1));
        assert_eq!(compare(&DataType::Float, &plain, &other), Ordering::Equal);
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        assert_rising(&DataType::Boolean, &[vec![], vec![0], vec![1]]);
        assert_eq!(compare(&DataType::Boolean, &[1], &[0xFF]), Ordering::Equal);
    }

    #[test]
    fn uuids_compare_by_version_then_time() {
        assert_rising(
            &DataType::Uuid,
            &uuids(&[
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-0000-1000-8000-000000000000",
                "00000000-0001-1000-7000-000000000000",
                "00000000-0001-1000-8000-000000000000",
                "00000000-0000-4000-8000-000000000000",
            ]),
        );
        assert_rising(
            &DataType::TimeUuid,
            &uuids(&[
                "ffffffff-0000-1000-8000-000000000000",
                "00000000-0001-1000-8000-000000000000",
                "00000000-0001-1000-7000-000000000000",
            ]),
        );
    }

    #[test]
    fn tuples_put_nulls_before_empties() {
        let tuple = DataType::tuple(vec![DataType::Int, DataType::Int]);
        let bytes = |fields: Vec<Value>| encode(&tuple, &Value::Tuple(fields)).unwrap().unwrap();
        let one = Value::Int(1);
        assert_rising(
            &tuple,
            &[
                vec![],
                bytes(vec![Value::Null, Value::Null]),
                bytes(vec![Value::Null, Value::Empty]),
                bytes(vec![Value::Null, one.clone()]),
                bytes(vec![Value::Empty]),
                bytes(vec![one.clone()]),
                bytes(vec![one.clone(), one.clone()]),
            ],
        );
        let short = bytes(vec![one.clone()]);
        assert_eq!(
            compare(&tuple, &short, &bytes(vec![one, Value::Null])),
            Ordering::Equal
        );
    }

    #[test]
    fn collections_compare_part_by_part() {
        let list = DataType::list(DataType::Int);
        let bytes = |numbers: &[i32]| {
            let values = numbers.iter().map(|&number| number.into()).collect();
            encode(&list, &Value::List(values)).unwrap().unwrap()
        };
        assert_rising(
            &list,
            &[
                vec![],
                bytes(&[]),
                vec![0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF],
                bytes(&[-1, 5]),
                bytes(&[1]),
                bytes(&[1, -9]),
            ],
        );
    }

    #[test]
    fn clusterings_turn_round_descending_columns_but_not_nulls() {
        let columns = [KeyColumn::descending(DataType::Text)];
        let order = |left, right| compare_clusterings(&columns, &[left], &[right]);
        assert_eq!(order(Some(&b"a"[..]), Some(&b"b"[..])), Ordering::Greater);
        assert_eq!(order(None, Some(&b"b"[..])), Ordering::Less);
    }
}
