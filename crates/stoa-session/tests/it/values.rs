//! Every Rust type that can be bound gives its bytes, and is read from them again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::net::IpAddr;

use proptest::prelude::*;
use stoa_session::bind::{Cell, ValueError};
use stoa_session::to_cql::{Presence, Unset};
use stoa_session::{BoundValues, Column, DataType, FromCql, ToCql, ToValues};
use stoa_types::{Date, Decimal, Duration, Time, Timestamp, Value, native};
use uuid::Uuid;

/// Bound, the value has exactly the bytes that [`Value`] has for it, and is read back.
#[expect(clippy::needless_pass_by_value, reason = "calls are easier to read")]
fn there_and_back<T>(data_type: DataType, value: T, same: Value)
where
    T: ToCql + for<'row> FromCql<'row> + PartialEq + Debug,
{
    let mut bytes = Vec::new();
    assert_eq!(value.write_cql(&data_type, &mut bytes), Ok(Presence::Value));
    assert_eq!(native::encode(&data_type, &same), Ok(Some(bytes.clone())));
    T::check(&data_type).unwrap();
    assert_eq!(T::from_bytes(&data_type, &bytes), Ok(value));
}

#[test]
fn scalars() {
    there_and_back(DataType::Boolean, true, Value::Boolean(true));
    there_and_back(DataType::TinyInt, -7_i8, Value::TinyInt(-7));
    there_and_back(DataType::SmallInt, -7_i16, Value::SmallInt(-7));
    there_and_back(DataType::Int, -7, Value::Int(-7));
    there_and_back(DataType::BigInt, -7_i64, Value::BigInt(-7));
    there_and_back(DataType::Counter, -7_i64, Value::Counter(-7));
    there_and_back(DataType::Float, 1.5_f32, Value::Float(1.5));
    there_and_back(DataType::Double, 1.5, Value::Double(1.5));
    there_and_back(
        DataType::Text,
        "hé".to_owned(),
        Value::Text("hé".to_owned()),
    );
    there_and_back(
        DataType::Ascii,
        "he".to_owned(),
        Value::Ascii("he".to_owned()),
    );
    there_and_back(DataType::Blob, vec![1_u8, 2], Value::Blob(vec![1, 2]));
    there_and_back(
        DataType::Uuid,
        Uuid::from_u128(5),
        Value::Uuid(Uuid::from_u128(5)),
    );
    let home = IpAddr::from([127, 0, 0, 1]);
    there_and_back(DataType::Inet, home, Value::Inet(home));
    there_and_back(DataType::Date, Date(3), Value::Date(Date(3)));
    there_and_back(DataType::Time, Time(3), Value::Time(Time(3)));
    there_and_back(
        DataType::Timestamp,
        Timestamp(3),
        Value::Timestamp(Timestamp(3)),
    );
    let days = Duration::new(1, 2, 3).unwrap();
    there_and_back(DataType::Duration, days, Value::Duration(days));
    let large = num_bigint::BigInt::from(1_i32) << 100_u32;
    there_and_back(
        DataType::VarInt,
        large.clone(),
        Value::VarInt(large.clone()),
    );
    let small = Decimal::new(large, 99);
    there_and_back(DataType::Decimal, small.clone(), Value::Decimal(small));
}

#[test]
fn collections() {
    let numbers = || vec![Value::Int(1), Value::Int(2)];
    there_and_back(
        DataType::list(DataType::Int),
        vec![1, 2],
        Value::List(numbers()),
    );
    there_and_back(
        DataType::set(DataType::Int),
        vec![1, 2],
        Value::Set(numbers()),
    );
    there_and_back(
        DataType::set(DataType::Int),
        BTreeSet::from([1, 2]),
        Value::Set(numbers()),
    );
    there_and_back(
        DataType::set(DataType::Int),
        HashSet::from([1]),
        Value::Set(vec![Value::Int(1)]),
    );
    there_and_back(
        DataType::vector(DataType::Int, 2),
        vec![1, 2],
        Value::Vector(numbers()),
    );
    let words = DataType::vector(DataType::Text, 1);
    there_and_back(words, vec!["a".to_owned()], Value::Vector(vec!["a".into()]));
    let entries = Value::Map(vec![(1.into(), "a".into())]);
    let map = DataType::map(DataType::Int, DataType::Text);
    there_and_back(
        map.clone(),
        BTreeMap::from([(1, "a".to_owned())]),
        entries.clone(),
    );
    there_and_back(map, HashMap::from([(1, "a".to_owned())]), entries);
    let pair = DataType::tuple(vec![DataType::Int, DataType::Text]);
    there_and_back(
        pair,
        (1, None::<String>),
        Value::Tuple(vec![1.into(), Value::Null]),
    );
}

#[test]
fn nothing_is_widened_or_narrowed() {
    let bind = |value: &dyn ToCql, data_type: &DataType| {
        value
            .write_cql(data_type, &mut Vec::new())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(bind(&1_i32, &DataType::BigInt), "i32 and bigint do not fit");
    assert_eq!(bind(&"a", &DataType::Blob), "str and blob do not fit");
    assert_eq!(
        bind(&"é", &DataType::Ascii),
        native::EncodeError::NotAscii.to_string()
    );
    assert!(i32::check(&DataType::BigInt).is_err());
    assert!(String::check(&DataType::Blob).is_err());
    assert!(<Vec<i32>>::check(&DataType::list(DataType::Text)).is_err());
    assert!(<(i32,)>::check(&DataType::tuple(vec![DataType::Int, DataType::Int])).is_err());
}

#[test]
fn null_unset_and_empty_are_three_things() {
    let variable = Column::new("v", DataType::Int);
    let mut values = BoundValues::default();
    values.push(&variable, &None::<i32>).unwrap();
    values.push(&variable, &Unset).unwrap();
    values.push(&variable, &Value::Empty).unwrap();
    values.push(&variable, &7).unwrap();
    let cells: Vec<_> = values.cells().collect();
    assert_eq!(
        cells,
        [
            Cell::Null,
            Cell::Unset,
            Cell::Bytes(&[]),
            Cell::Bytes(&[0, 0, 0, 7])
        ]
    );
    assert_eq!(
        i32::from_bytes(&DataType::Int, &[]),
        Err(ValueError::Empty("i32"))
    );
    assert_eq!(<Option<i32>>::from_cell(&DataType::Int, None), Ok(None));
    assert_eq!(Value::from_bytes(&DataType::Int, &[]), Ok(Value::Empty));
}

#[test]
fn a_collection_has_no_null_inside() {
    let refused = vec![Some(1), None].write_cql(&DataType::list(DataType::Int), &mut Vec::new());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "in element 1: the value is null; read it as an Option"
    );
}

#[test]
fn what_cannot_be_bound_leaves_nothing_behind() {
    let mut values = BoundValues::default();
    let variable = Column::new("v", DataType::list(DataType::Int));
    assert!(values.push(&variable, &vec![Some(1), None]).is_err());
    assert_eq!(values.as_bytes(), b"");
    assert!((1, 2).write_values(&[variable], &mut values).is_err());
    assert!(values.is_empty());
}

proptest! {
    #[test]
    fn hostile_bytes_are_refused_or_read_but_never_panic(bytes: Vec<u8>) {
        let map = DataType::map(DataType::Text, DataType::list(DataType::Int));
        let _ = <BTreeMap<String, Vec<i32>>>::from_bytes(&map, &bytes);
        let pair = DataType::tuple(vec![DataType::Int, DataType::Text]);
        let _ = <(Option<i32>, Option<String>)>::from_bytes(&pair, &bytes);
        let _ = <Vec<String>>::from_bytes(&DataType::vector(DataType::Text, 3), &bytes);
    }
}
