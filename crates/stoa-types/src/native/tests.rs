//! Known bytes and known errors; round trips and random bytes are in `tests/it`.

use super::*;
use crate::data_type::{UserField, UserType};
use crate::frames::FrameError;

fn assert_bytes(data_type: &DataType, value: &Value, bytes: &[u8]) {
    assert_eq!(
        encode(data_type, value).unwrap().as_deref(),
        Some(bytes),
        "{data_type}"
    );
    assert_eq!(decode(data_type, bytes).as_ref(), Ok(value), "{data_type}");
    assert_eq!(validate(data_type, bytes), Ok(()), "{data_type}");
}

fn error_of(data_type: &DataType, bytes: &[u8]) -> String {
    let error = decode(data_type, bytes).unwrap_err();
    assert_eq!(
        validate(data_type, bytes),
        Err(error.clone()),
        "{data_type}"
    );
    error.to_string()
}

#[test]
fn scalars_have_known_bytes() {
    let uuid = Uuid::parse_str("2a92d750-d8dc-11e6-a2de-cf8ecd4cf053").unwrap();
    for (data_type, value, bytes) in [
        (DataType::Ascii, Value::Ascii("a".to_owned()), &b"a"[..]),
        (DataType::Text, Value::Text("é".to_owned()), &[0xC3, 0xA9]),
        (DataType::Text, Value::Text(String::new()), &[]),
        (DataType::Blob, Value::Blob(vec![]), &[]),
        (DataType::Boolean, Value::Boolean(true), &[1]),
        (DataType::TinyInt, Value::TinyInt(-1), &[0xFF]),
        (DataType::SmallInt, Value::SmallInt(-2), &[0xFF, 0xFE]),
        (DataType::Int, Value::Int(1), &[0, 0, 0, 1]),
        (
            DataType::BigInt,
            Value::BigInt(1),
            &[0, 0, 0, 0, 0, 0, 0, 1],
        ),
        (DataType::Counter, Value::Counter(-1), &[0xFF; 8]),
        (DataType::Float, Value::Float(1.0), &[0x3F, 0x80, 0, 0]),
        (
            DataType::Double,
            Value::Double(-2.0),
            &[0xC0, 0, 0, 0, 0, 0, 0, 0],
        ),
        (DataType::Date, Value::Date(Date(1 << 31)), &[0x80, 0, 0, 0]),
        (DataType::Time, Value::Time(Time(-1)), &[0xFF; 8]),
        (
            DataType::Timestamp,
            Value::Timestamp(Timestamp(2)),
            &[0, 0, 0, 0, 0, 0, 0, 2],
        ),
        (DataType::Uuid, Value::Uuid(uuid), uuid.as_bytes()),
        (DataType::TimeUuid, Value::TimeUuid(uuid), uuid.as_bytes()),
        (
            DataType::Inet,
            Value::Inet(Ipv4Addr::LOCALHOST.into()),
            &[127, 0, 0, 1],
        ),
        (DataType::VarInt, Value::VarInt(128.into()), &[0, 0x80]),
        (
            DataType::Decimal,
            Value::Decimal("1.5".parse().unwrap()),
            &[0, 0, 0, 1, 15],
        ),
        (
            DataType::Duration,
            Value::Duration("1mo2d3ns".parse().unwrap()),
            &[2, 4, 6],
        ),
        (DataType::Int, Value::Empty, &[]),
        (DataType::Empty, Value::Empty, &[]),
    ] {
        assert_bytes(&data_type, &value, bytes);
    }
    assert_eq!(decode(&DataType::Boolean, &[7]), Ok(Value::Boolean(true)));
    assert_eq!(encode(&DataType::Int, &Value::Null), Ok(None));
}

#[test]
fn composites_have_known_bytes() {
    let list = DataType::list(DataType::TinyInt);
    let value = Value::List(vec![Value::TinyInt(5), Value::TinyInt(6)]);
    assert_bytes(&list, &value, &[0, 0, 0, 2, 0, 0, 0, 1, 5, 0, 0, 0, 1, 6]);

    let map = DataType::map(DataType::Ascii, DataType::Int);
    let value = Value::Map(vec![(Value::Ascii("k".to_owned()), Value::Empty)]);
    assert_bytes(&map, &value, &[0, 0, 0, 1, 0, 0, 0, 1, b'k', 0, 0, 0, 0]);

    let tuple = DataType::tuple(vec![DataType::TinyInt, DataType::Text]);
    let value = Value::Tuple(vec![Value::Null, "x".into()]);
    assert_bytes(&tuple, &value, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, b'x']);
    let short = decode(&tuple, &[0, 0, 0, 1, 9]);
    assert_eq!(
        short,
        Ok(Value::Tuple(vec![Value::TinyInt(9), Value::Null]))
    );

    let fixed = DataType::vector(DataType::Float, 2);
    let value = Value::Vector(vec![Value::Float(1.0), Value::Float(2.0)]);
    assert_bytes(&fixed, &value, &[0x3F, 0x80, 0, 0, 0x40, 0, 0, 0]);
    let variable = DataType::vector(DataType::Text, 2);
    let value = Value::Vector(vec!["ab".into(), "".into()]);
    assert_bytes(&variable, &value, &[2, b'a', b'b', 0]);
}

#[test]
fn user_types_grow() {
    let field = |name: &str| UserField {
        name: name.to_owned(),
        data_type: DataType::TinyInt,
    };
    let user = DataType::UserDefined(Box::new(UserType {
        keyspace: "ks".to_owned(),
        name: "t".to_owned(),
        fields: vec![field("old"), field("new")],
        is_frozen: true,
    }));
    let before = decode(&user, &[0, 0, 0, 1, 7]);
    assert_eq!(
        before,
        Ok(Value::UserDefined(vec![Value::TinyInt(7), Value::Null]))
    );
    let after = Value::UserDefined(vec![Value::TinyInt(7), Value::TinyInt(8)]);
    assert_bytes(&user, &after, &[0, 0, 0, 1, 7, 0, 0, 0, 1, 8]);
}

#[test]
fn wrong_scalars_are_named() {
    for (data_type, bytes, message) in [
        (
            DataType::Int,
            &[0, 0, 1][..],
            "expected 0 or 4 bytes for int, got 3",
        ),
        (
            DataType::SmallInt,
            &[],
            "expected 2 bytes for smallint, got 0",
        ),
        (DataType::Time, &[], "expected 8 bytes for time, got 0"),
        (
            DataType::Boolean,
            &[1, 1],
            "expected 0 or 1 bytes for boolean, got 2",
        ),
        (DataType::Empty, &[1], "expected 0 bytes for empty, got 1"),
        (
            DataType::Inet,
            &[1; 5],
            "expected 0, 4 or 16 bytes for inet, got 5",
        ),
        (
            DataType::Decimal,
            &[0; 4],
            "expected 0 or at least 5 bytes for decimal, got 4",
        ),
        (DataType::Text, &[b'a', 0xFF], "invalid UTF-8 at byte 1"),
        (
            DataType::Ascii,
            &[b'a', 0xC3, 0xA9],
            "invalid US-ASCII at byte 1",
        ),
        (
            DataType::TimeUuid,
            &[0; 16],
            "invalid version for timeuuid: 0",
        ),
        (
            DataType::Duration,
            &[0, 0],
            "expected at least 3 bytes for duration, got 2",
        ),
        (
            DataType::Duration,
            &[0xFF, 0, 0],
            "variable-length integer is cut short",
        ),
        (
            DataType::Duration,
            &[0, 0, 0, 9],
            "1 unexpected bytes after the value",
        ),
    ] {
        assert_eq!(error_of(&data_type, bytes), message);
    }
    let mut mixed = Vec::new();
    for part in [1, -1, 0] {
        vint::write_signed(part, &mut mixed);
    }
    assert!(error_of(&DataType::Duration, &mixed).ends_with("same sign (1, -1, 0)"));
    let mut large = Vec::new();
    for part in [1 << 31, 0, 0] {
        vint::write_signed(part, &mut large);
    }
    let message = error_of(&DataType::Duration, &large);
    assert_eq!(message, "the duration months must be a 32-bit integer");
}

#[test]
fn wrong_composites_are_named_with_their_place() {
    let list = DataType::list(DataType::TinyInt);
    let bytes = [0, 0, 0, 2, 0, 0, 0, 1, 5, 0, 0, 0, 2, 6, 6];
    let error = decode(&list, &bytes).unwrap_err();
    assert_eq!(error.path, [Step::Element(1)]);
    assert_eq!(
        error.to_string(),
        "element 1: expected 1 byte for tinyint, got 2"
    );

    let map = DataType::map(DataType::Text, list.frozen());
    let bytes = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0];
    let message = error_of(&map, &bytes);
    assert_eq!(
        message,
        "value 0: element 0: expected 1 byte for tinyint, got 0"
    );

    let tuple = DataType::tuple(vec![DataType::Text]);
    assert_eq!(
        error_of(&tuple, &[0, 0, 0, 1, 0xFF]),
        "field 0: invalid UTF-8 at byte 0"
    );
    assert_eq!(
        error_of(&tuple, &[0, 0, 0, 0, 1]),
        "1 unexpected bytes after the value"
    );
    let vector = DataType::vector(DataType::Int, 2);
    assert_eq!(error_of(&vector, &[0; 7]), FrameError::CutShort.to_string());
    assert_eq!(
        error_of(&vector, &[]),
        "expected at least 1 byte for vector<int, 2>, got 0"
    );
}

#[test]
fn text_beyond_utf8_is_valid_but_not_decoded() {
    let surrogate = [0xED, 0xA0, 0x80];
    assert_eq!(validate(&DataType::Text, &surrogate), Ok(()));
    let message = decode(&DataType::Text, &surrogate).unwrap_err().to_string();
    assert_eq!(message, "invalid UTF-8 at byte 0");
}

#[test]
fn values_of_other_types_are_not_encoded() {
    let refused = |data_type: &DataType, value: &Value| encode(data_type, value).unwrap_err();
    let wrong = refused(&DataType::Int, &Value::BigInt(1));
    assert_eq!(
        wrong.to_string(),
        "cannot write a value of kind bigint as int"
    );
    assert!(matches!(
        refused(&DataType::Date, &Value::Empty),
        EncodeError::WrongKind { .. }
    ));
    assert!(matches!(
        refused(&DataType::Int, &Value::Unset),
        EncodeError::WrongKind { .. }
    ));
    let list = DataType::list(DataType::Int);
    let with_null = Value::List(vec![Value::Null]);
    assert!(matches!(
        refused(&list, &with_null),
        EncodeError::WrongKind { kind: "null", .. }
    ));
    let tuple = DataType::tuple(vec![DataType::Int]);
    let long = Value::Tuple(vec![Value::Null, Value::Null]);
    assert!(matches!(
        refused(&tuple, &long),
        EncodeError::TooManyFields { .. }
    ));
    let vector = DataType::vector(DataType::Int, 2);
    let wrong = refused(&vector, &Value::Vector(vec![1.into()]));
    assert_eq!(
        wrong,
        EncodeError::WrongDimension {
            expected: 2,
            actual: 1
        }
    );
    let ascii = refused(&DataType::Ascii, &"é".into());
    assert_eq!(ascii, EncodeError::NotAscii);
    let random = Value::TimeUuid(Uuid::from_u128(4 << 76));
    assert_eq!(
        refused(&DataType::TimeUuid, &random),
        EncodeError::NotATimeUuid(4)
    );
}
