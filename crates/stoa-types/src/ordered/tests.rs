//! The examples of Cassandra's description of the format, and known errors; that bytes sort as
//! values do is tested in `tests/it`.

use num_bigint::BigInt;

use super::*;
use crate::native::encode;
use crate::value::Value;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// The bytes of one ascending value, between its separator and the terminator.
fn body(data_type: &DataType, native: &[u8]) -> String {
    let column = [KeyColumn::ascending(data_type.clone())];
    let encoded = encode_clustering(&column, &[Some(native)]).unwrap();
    let (&first, rest) = encoded.split_first().unwrap();
    let (&last, body) = rest.split_last().unwrap();
    assert_eq!((first, last), (NEXT, TERMINATOR));
    hex(body)
}

fn body_of(data_type: &DataType, value: &Value) -> String {
    body(data_type, &encode(data_type, value).unwrap().unwrap())
}

#[test]
fn fixed_length_numbers() {
    assert_eq!(body_of(&DataType::Int, &Value::Int(1)), "80000001");
    assert_eq!(body_of(&DataType::SmallInt, &Value::SmallInt(-1)), "7FFF");
    assert_eq!(body_of(&DataType::TinyInt, &Value::TinyInt(0)), "80");
    assert_eq!(body_of(&DataType::Float, &Value::Float(1.0)), "BF800000");
    assert_eq!(body_of(&DataType::Float, &Value::Float(-0.0)), "7FFFFFFF");
    assert_eq!(body_of(&DataType::Float, &Value::Float(-1.0)), "407FFFFF");
    let infinity = Value::Double(f64::NEG_INFINITY);
    assert_eq!(body_of(&DataType::Double, &infinity), "000FFFFFFFFFFFFF");
    assert_eq!(body(&DataType::Boolean, &[9]), "01");
}

#[test]
fn variable_length_integers() {
    for (number, expected) in [
        (1, "81"),
        (-1, "7F"),
        (0, "80"),
        (63, "BF"),
        (-64, "40"),
        (64, "C040"),
        (-65, "3FBF"),
        (8_191, "DFFF"),
        (8_192, "E02000"),
        (i64::from(i32::MAX), "F87FFFFFFF"),
        (1 << 20, "F0100000"),
        ((1 << 55) - 1, "FF7FFFFFFFFFFFFF"),
        (1 << 55, "FF8080000000000000"),
        (i64::MAX, "FFFFFFFFFFFFFFFFFF"),
        (i64::MIN, "000000000000000000"),
    ] {
        assert_eq!(
            body_of(&DataType::BigInt, &Value::BigInt(number)),
            expected,
            "{number}"
        );
    }
}

#[test]
fn varints() {
    let power = |exponent: u32| BigInt::from(2).pow(exponent);
    for (number, expected) in [
        (BigInt::from(0), "80".to_owned()),
        (BigInt::from(1), "81".to_owned()),
        (BigInt::from(-1), "7F".to_owned()),
        (BigInt::from(255), "C0FF".to_owned()),
        (BigInt::from(-256), "3F00".to_owned()),
        (BigInt::from(256), "C100".to_owned()),
        (power(16), "E10000".to_owned()),
        (-power(32), "0700000000".to_owned()),
        (power(48) - 1, "FEFFFFFFFFFFFF".to_owned()),
        (power(48), "FF0001000000000000".to_owned()),
        (power(56), "FF010100000000000000".to_owned()),
        (-power(48) - 1, "00FFFEFFFFFFFFFFFF".to_owned()),
        (power(1024), format!("FF7A01{}", "00".repeat(128))),
        (-power(2048), format!("007F06{}", "00".repeat(256))),
    ] {
        let shown = number.to_string();
        assert_eq!(
            body_of(&DataType::VarInt, &Value::VarInt(number)),
            expected,
            "{shown}"
        );
    }
    assert_eq!(
        body(&DataType::VarInt, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 5]),
        "85"
    );
}

#[test]
fn decimals() {
    for (number, expected) in [
        ("1.1", "C101818A00"),
        ("1", "C1018100"),
        ("0.01", "C08100"),
        ("0", "80"),
        ("0E+10", "80"),
        ("-0.01", "407F00"),
        ("-1", "3FFF7F00"),
        ("-1.1", "3FFF7EDA00"),
        ("-98.9", "3FFF1D8A00"),
        ("-99", "3FFF1D00"),
        ("-99.9", "3FFF1C8A00"),
        ("-8.1e2000", "3EFC1777DA00"),
        ("-8.1e-2000", "4203E777DA00"),
        ("8.1e-2000", "BEFC19888A00"),
        ("8.1e2000", "C203E9888A00"),
    ] {
        let value = Value::Decimal(number.parse().unwrap());
        assert_eq!(body_of(&DataType::Decimal, &value), expected, "{number}");
    }
}

#[test]
fn uuids_and_bytes() {
    let uuid = |text: &str| uuid::Uuid::parse_str(text).unwrap().as_bytes().to_vec();
    let random = uuid("cc520882-9507-44fb-8fc9-b349ecdee658");
    assert_eq!(
        body(&DataType::Uuid, &random),
        "4CC52088295074FB8FC9B349ECDEE658"
    );
    let time = uuid("2a92d750-d8dc-11e6-a2de-cf8ecd4cf053");
    assert_eq!(
        body(&DataType::Uuid, &time),
        "11E6D8DC2A92D750A2DECF8ECD4CF053"
    );
    assert_eq!(
        body(&DataType::TimeUuid, &time),
        "11E6D8DC2A92D750225E4F0E4DCC70D3"
    );
    for (raw, expected) in [
        (&[0x22, 0][..], "2200FE"),
        (&[0x22, 0, 0, 0x33], "2200FEFF3300"),
        (&[0x22, 0, 0x11], "2200FF1100"),
        (&[0x22, 0, 0], "2200FEFE"),
        (&[], "00"),
    ] {
        assert_eq!(body(&DataType::Blob, raw), expected);
    }
}

#[test]
fn sequences_and_positions() {
    let columns = [
        KeyColumn::ascending(DataType::SmallInt),
        KeyColumn::ascending(DataType::Float),
    ];
    let one = 1_i16.to_be_bytes();
    let float = 1.0_f32.to_be_bytes();
    let full = |values: [Option<&[u8]>; 2]| hex(&encode_clustering(&columns, &values).unwrap());
    assert_eq!(full([Some(&one), Some(&float)]), "40800140BF80000038");
    assert_eq!(full([Some(&one), None]), "4080013E38");
    assert_eq!(full([Some(&one), Some(&[])]), "4080013F38");
    let position =
        |prefix: &[Option<&[u8]>], side| hex(&encode_position(&columns, prefix, side).unwrap());
    assert_eq!(position(&[Some(&one)], Side::Before), "40800120");
    assert_eq!(position(&[None], Side::After), "3E60");
    assert_eq!(position(&[], Side::Before), "20");
    assert_eq!(position(&[], Side::After), "60");

    let down = [KeyColumn::descending(DataType::SmallInt)];
    let encoded = |value: Option<&[u8]>| hex(&encode_clustering(&down, &[value]).unwrap());
    assert_eq!(encoded(Some(&one)), "407FFE38");
    assert_eq!(encoded(None), "3E38");
    assert_eq!(encoded(Some(&[])), "4138");
}

#[test]
fn nested_values_tell_null_from_empty() {
    let tuple = DataType::tuple(vec![DataType::Int, DataType::TinyInt]);
    let encoded = |fields| body_of(&tuple, &Value::Tuple(fields));
    assert_eq!(encoded(vec![Value::Null, Value::TinyInt(1)]), "3E408138");
    assert_eq!(encoded(vec![Value::Empty, Value::TinyInt(1)]), "3F408138");
    assert_eq!(encoded(vec![Value::Int(1), Value::Null]), "408000000138");
    assert_eq!(encoded(vec![Value::Null]), "38");
    let map = DataType::map(DataType::TinyInt, DataType::Text).frozen();
    let value = Value::Map(vec![(Value::TinyInt(1), "".into())]);
    assert_eq!(body_of(&map, &value), "4081400038");
}

#[test]
fn slices_of_descending_columns_swap_their_bounds() {
    let columns = [
        KeyColumn::ascending(DataType::TinyInt),
        KeyColumn::descending(DataType::TinyInt),
    ];
    let prefix = [Some(&[1][..])];
    let range = slice(&columns, &prefix, Bound::Excluded(&[5]), Bound::Unbounded).unwrap();
    assert_eq!(
        (hex(&range.start), hex(&range.end)),
        ("408120".to_owned(), "4081407A20".to_owned())
    );
    let range = slice(
        &columns,
        &prefix,
        Bound::Included(&[5]),
        Bound::Excluded(&[7]),
    )
    .unwrap();
    let expected = ("4081407860".to_owned(), "4081407A60".to_owned());
    assert_eq!((hex(&range.start), hex(&range.end)), expected);
    let full = [Some(&[1][..]), Some(&[2][..])];
    let beyond = slice(&columns, &full, Bound::Included(&[5]), Bound::Unbounded);
    assert_eq!(
        beyond,
        Err(OrderedError::WrongCount {
            expected: 2,
            actual: 3
        })
    );
}

#[test]
fn what_is_restored_and_what_is_not() {
    assert!(restores(&DataType::Int, &[0, 0, 0, 1]));
    assert!(restores(&DataType::VarInt, &[0, 0x80]));
    assert!(!restores(&DataType::VarInt, &[0, 5]));
    assert!(restores(&DataType::Boolean, &[1]));
    assert!(!restores(&DataType::Boolean, &[2]));
    assert!(restores(&DataType::Decimal, &[0, 0, 0, 0, 5]));
    assert!(!restores(&DataType::Decimal, &[0, 0, 0, 1, 5]));
    let tuple = DataType::tuple(vec![DataType::TinyInt, DataType::TinyInt]);
    assert!(!restores(&tuple, &[0, 0, 0, 1, 5]));
    assert!(restores(&tuple, &[0, 0, 0, 1, 5, 0xFF, 0xFF, 0xFF, 0xFF]));
    assert!(!restores(&tuple, &[9]));
    assert!(restores(&DataType::Float, &f32::NAN.to_be_bytes()));
    assert!(!restores(&DataType::Float, &[0xFF, 0xC0, 0, 0]));
    assert!(!restores(&DataType::Double, &[0xFF; 8]));
    let list = DataType::list(DataType::Int).frozen();
    assert!(restores(&list, &[0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]));
}

#[test]
fn wrong_bytes_are_refused() {
    let columns = [KeyColumn::ascending(DataType::TinyInt)];
    let decoded = |bytes: &[u8]| decode_clustering(&columns, bytes);
    assert_eq!(decoded(&[0x40, 0x80, 0x38]), Ok(vec![Some(vec![0])]));
    assert_eq!(decoded(&[0x40, 0x80]), Err(OrderedError::CutShort));
    assert_eq!(
        decoded(&[0x40, 0x80, 0x38, 1]),
        Err(OrderedError::TrailingBytes(1))
    );
    assert_eq!(
        decoded(&[0x41, 0x38]),
        Err(OrderedError::Unexpected {
            byte: 0x41,
            offset: 0
        })
    );
    let position = decoded(&[0x40, 0x80, 0x20]);
    assert_eq!(
        position,
        Err(OrderedError::Unexpected {
            byte: 0x20,
            offset: 2
        })
    );
    let position = |bytes: &[u8]| decode_position(&columns, bytes);
    assert_eq!(
        position(&[0x40, 0x80, 0x20]),
        Ok((vec![Some(vec![0])], Side::Before))
    );
    assert_eq!(position(&[0x60]), Ok((vec![], Side::After)));
    let full = position(&[0x40, 0x80, 0x38]);
    assert_eq!(
        full,
        Err(OrderedError::Unexpected {
            byte: 0x38,
            offset: 2
        })
    );
    assert_eq!(position(&[0x60, 1]), Err(OrderedError::TrailingBytes(1)));
    let wrong_value = encode_clustering(&columns, &[Some(&[1, 2])]);
    assert!(matches!(
        wrong_value,
        Err(OrderedError::InvalidValue { .. })
    ));
    let wrong_count = encode_clustering(&columns, &[]);
    assert_eq!(
        wrong_count,
        Err(OrderedError::WrongCount {
            expected: 1,
            actual: 0
        })
    );
}

/// An exponent of four bytes must not make decoding allocate gigabytes of zeros.
#[test]
fn a_huge_exponent_is_refused() {
    let columns = [KeyColumn::ascending(DataType::Decimal)];
    let bytes = [0x40, 0xC4, 0x7F, 0xFF, 0xFF, 0xFF, 0x81, 0x00, 0x38];
    assert_eq!(
        decode_clustering(&columns, &bytes),
        Err(OrderedError::OutOfRange)
    );
}

#[test]
fn decimals_at_the_limits_of_the_scale_come_back() {
    let columns = [KeyColumn::ascending(DataType::Decimal)];
    for (unscaled, scale) in [
        (1, i32::MIN),
        (-123, i32::MIN),
        (7, i32::MAX),
        (-10, i32::MAX),
    ] {
        let decimal = crate::Decimal::new(unscaled.into(), scale);
        let mut native = Vec::new();
        decimal.write_bytes(&mut native);
        let encoded = encode_clustering(&columns, &[Some(&native)]).unwrap();
        let decoded = decode_clustering(&columns, &encoded);
        let Ok([Some(back)]) = decoded.as_deref() else {
            panic!("{decoded:?}")
        };
        let back = crate::Decimal::from_bytes(back).unwrap();
        assert_eq!(
            back.compare(&decimal),
            std::cmp::Ordering::Equal,
            "{decimal}"
        );
    }
}

#[test]
fn escaped_bytes_are_cut_out_of_a_longer_key() {
    let mut key = Vec::new();
    escape(&[1, 0, 0], &mut key);
    key.extend([0x40, 9]);
    assert_eq!(unescape(&key), Ok((vec![1, 0, 0], &[0x40, 9][..])));
    assert_eq!(unescape(&[1, 2]), Err(OrderedError::CutShort));
}
