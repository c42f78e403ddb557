//! Random types, and random valid native bytes for them.
//!
//! Small alphabets and short lists are chosen on purpose: two values of one type should often be
//! equal, or share a prefix, since that is where orders go wrong.

use proptest::prelude::*;
use stoa_types::data_type::{DataType, KeyColumn, UserField, UserType};
use stoa_types::native;
use stoa_types::vint;

/// A type that may be part of a key, of bounded depth.
pub(crate) fn key_type() -> impl Strategy<Value = DataType> {
    any_of(natives(DataType::is_allowed_in_key)).prop_map(DataType::frozen)
}

/// Any type, of bounded depth.
pub(crate) fn any_type() -> impl Strategy<Value = DataType> {
    any_of(natives(|_| true))
}

/// Native types without `empty`, of which CQL can make no vector: it would have no bytes.
fn natives(is_wanted: impl Fn(&DataType) -> bool) -> Vec<DataType> {
    let is_wanted = |native: &DataType| *native != DataType::Empty && is_wanted(native);
    DataType::NATIVE.into_iter().filter(is_wanted).collect()
}

fn any_of(natives: Vec<DataType>) -> impl Strategy<Value = DataType> {
    let leaf = proptest::sample::select(natives);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let fields = proptest::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            inner.clone().prop_map(DataType::list),
            inner.clone().prop_map(DataType::set),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| DataType::map(key, value)),
            (inner, 1_u32..4).prop_map(|(element, dimension)| DataType::vector(element, dimension)),
            fields.clone().prop_map(DataType::tuple),
            fields.prop_map(user_type),
        ]
    })
}

fn user_type(types: Vec<DataType>) -> DataType {
    let field = |(index, data_type)| UserField {
        name: format!("f{index}"),
        data_type,
    };
    DataType::UserDefined(Box::new(UserType {
        keyspace: "ks".to_owned(),
        name: "t".to_owned(),
        fields: types.into_iter().enumerate().map(field).collect(),
        is_frozen: false,
    }))
}

/// Columns of a clustering, each in either direction.
pub(crate) fn columns() -> impl Strategy<Value = Vec<KeyColumn>> {
    let column = (key_type(), any::<bool>()).prop_map(|(data_type, is_descending)| {
        if is_descending {
            KeyColumn::descending(data_type)
        } else {
            KeyColumn::ascending(data_type)
        }
    });
    proptest::collection::vec(column, 1..4)
}

/// Values for these columns; now and then a null.
pub(crate) fn clustering(columns: &[KeyColumn]) -> BoxedStrategy<Vec<Option<Vec<u8>>>> {
    let values: Vec<_> = columns
        .iter()
        .map(|column| proptest::option::weighted(0.95, native_bytes(&column.data_type)))
        .collect();
    values.boxed()
}

/// Valid native bytes of a type. Text is always UTF-8, so that it can be decoded.
pub(crate) fn native_bytes(data_type: &DataType) -> BoxedStrategy<Vec<u8>> {
    let ordinary = ordinary_bytes(data_type);
    let bytes = if data_type.allows_empty() {
        prop_oneof![1 => Just(Vec::new()), 15 => ordinary].boxed()
    } else {
        ordinary
    };
    let checked = data_type.clone();
    bytes
        .prop_filter("a valid value", move |bytes| {
            native::validate(&checked, bytes).is_ok()
        })
        .boxed()
}

fn ordinary_bytes(data_type: &DataType) -> BoxedStrategy<Vec<u8>> {
    match data_type {
        DataType::Ascii => "[\\x00\\x01ab]{0,4}".prop_map(String::into_bytes).boxed(),
        DataType::Text => "[\\x00\\x01aé😀]{0,4}".prop_map(String::into_bytes).boxed(),
        DataType::Empty => Just(Vec::new()).boxed(),
        DataType::Boolean => prop_oneof![Just(vec![0]), Just(vec![1]), Just(vec![7])].boxed(),
        DataType::TinyInt => edgy(1),
        DataType::SmallInt => edgy(2),
        DataType::Int | DataType::Date => edgy(4),
        DataType::BigInt | DataType::Counter | DataType::Time | DataType::Timestamp => any_i64()
            .prop_map(|number| number.to_be_bytes().to_vec())
            .boxed(),
        DataType::Float => {
            let edges = [0.0, -0.0, f32::INFINITY, f32::NAN, -f32::NAN];
            let number = prop_oneof![any::<f32>(), proptest::sample::select(edges.to_vec())];
            number
                .prop_map(|number| number.to_be_bytes().to_vec())
                .boxed()
        }
        DataType::Double => {
            let edges = [0.0, -0.0, f64::INFINITY, f64::NAN, -f64::NAN];
            let number = prop_oneof![any::<f64>(), proptest::sample::select(edges.to_vec())];
            number
                .prop_map(|number| number.to_be_bytes().to_vec())
                .boxed()
        }
        DataType::VarInt => varint().boxed(),
        DataType::Decimal => decimal(),
        DataType::Inet => prop_oneof![edgy(4), edgy(16)].boxed(),
        DataType::Uuid => edgy(16),
        DataType::TimeUuid => edgy(16)
            .prop_map(|mut bytes| {
                bytes[6] = (bytes[6] & 0x0F) | 0x10;
                bytes
            })
            .boxed(),
        DataType::Duration => (any::<bool>(), 0..3_i64, 0..3_i64, any_i64())
            .prop_map(duration)
            .boxed(),
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            proptest::collection::vec(native_bytes(element), 0..3)
                .prop_map(|parts| counted(parts.len(), &parts))
                .boxed()
        }
        DataType::Map { key, value, .. } => {
            let entry = (native_bytes(key), native_bytes(value));
            proptest::collection::vec(entry, 0..3)
                .prop_map(|entries| {
                    let count = entries.len();
                    let parts = entries.into_iter().flat_map(|(key, value)| [key, value]);
                    counted(count, &parts.collect::<Vec<_>>())
                })
                .boxed()
        }
        DataType::Vector { element, dimension } => vector(element.as_ref(), *dimension),
        DataType::Tuple(_) | DataType::UserDefined(_) => tuple(data_type),
        DataType::Blob | DataType::Custom(_) => {
            let byte = prop_oneof![Just(0_u8), Just(1), Just(0xFE), Just(0xFF), any::<u8>()];
            proptest::collection::vec(byte, 0..6).boxed()
        }
    }
}

/// Bytes of a fixed length, many of them at an edge.
fn edgy(length: usize) -> BoxedStrategy<Vec<u8>> {
    let byte = prop_oneof![Just(0_u8), Just(0x7F), Just(0x80), Just(0xFF), any::<u8>()];
    proptest::collection::vec(byte, length).boxed()
}

/// Numbers of every length.
fn any_i64() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0_u32..64).prop_map(|(number, shift)| number >> shift)
}

fn varint() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0_u8), Just(0x7F), Just(0x80), Just(0xFF), any::<u8>()];
    prop_oneof![
        4 => proptest::collection::vec(byte, 1..12),
        1 => proptest::collection::vec(any::<u8>(), 130..270),
    ]
}

fn decimal() -> BoxedStrategy<Vec<u8>> {
    let scale = prop_oneof![5 => -4..5_i32, 1 => any::<i32>()];
    let unscaled =
        prop_oneof![4 => any_i64().prop_map(|n| n.to_be_bytes().to_vec()), 1 => varint()];
    (scale, unscaled)
        .prop_map(|(scale, unscaled)| [scale.to_be_bytes().to_vec(), unscaled].concat())
        .boxed()
}

fn duration((is_negative, months, days, nanos): (bool, i64, i64, i64)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in [months, days, nanos & i64::MAX] {
        vint::write_signed(if is_negative { -part } else { part }, &mut bytes);
    }
    bytes
}

fn framed(part: &[u8]) -> Vec<u8> {
    let length = i32::try_from(part.len()).unwrap();
    [&length.to_be_bytes()[..], part].concat()
}

fn counted(count: usize, parts: &[Vec<u8>]) -> Vec<u8> {
    let count = i32::try_from(count).unwrap().to_be_bytes().to_vec();
    std::iter::once(count)
        .chain(parts.iter().map(|part| framed(part)))
        .collect::<Vec<_>>()
        .concat()
}

fn vector(element: &DataType, dimension: u32) -> BoxedStrategy<Vec<u8>> {
    let fixed = element.fixed_length();
    // Elements of a fixed length cannot be empty here: nothing would say so.
    let part = if fixed.is_some() {
        ordinary_bytes(element)
    } else {
        native_bytes(element)
    };
    proptest::collection::vec(part, dimension as usize)
        .prop_map(move |parts| {
            let mut bytes = Vec::new();
            for part in parts {
                if fixed.is_none() {
                    vint::write_unsigned(part.len() as u64, &mut bytes);
                }
                bytes.extend(part);
            }
            bytes
        })
        .boxed()
}

/// Fields with nulls, now and then cut off after a field.
fn tuple(data_type: &DataType) -> BoxedStrategy<Vec<u8>> {
    let types = data_type.inner();
    let count = types.len();
    let fields: Vec<_> = types
        .into_iter()
        .map(|inner| proptest::option::weighted(0.8, native_bytes(inner)))
        .collect();
    (fields, 1..=count)
        .prop_map(|(fields, kept)| {
            let null = (-1_i32).to_be_bytes().to_vec();
            let parts = fields.iter().take(kept);
            let part = |field: &Option<Vec<u8>>| field.as_deref().map_or(null.clone(), framed);
            parts.map(part).collect::<Vec<_>>().concat()
        })
        .boxed()
}

/// Borrows the values of a clustering.
pub(crate) fn borrowed(values: &[Option<Vec<u8>>]) -> Vec<Option<&[u8]>> {
    values.iter().map(Option::as_deref).collect()
}
