//! JSON of every type, both ways. The examples are from the recorded scripts.

use proptest::prelude::*;
use stoa_types::{DataType, ManualClock, UserField, UserType, Value, native};

use super::*;

fn user_type() -> DataType {
    let field = |name: &str, data_type: DataType| UserField {
        name: name.to_owned(),
        data_type,
    };
    DataType::UserDefined(Box::new(UserType {
        keyspace: "ks".to_owned(),
        name: "u".to_owned(),
        fields: vec![
            field("a", DataType::Int),
            field("B", DataType::Text),
            field("c", DataType::list(DataType::Int).frozen()),
        ],
        is_frozen: true,
    }))
}

fn read(data_type: &DataType, text: &str) -> Result<Option<Vec<u8>>, FromJsonError> {
    from_json(data_type, &parse(text).unwrap(), &ManualClock::at_micros(0))
}

/// JSON that is written as it was read.
#[test]
fn values_round_trip() {
    let text_to_list = DataType::map(DataType::Text, DataType::list(DataType::Int).frozen());
    for (data_type, json) in [
        (DataType::TinyInt, "-128"),
        (DataType::BigInt, "-9223372036854775808"),
        (DataType::VarInt, "123456789012345678901234567890"),
        (DataType::Float, "1.0E10"),
        (DataType::Double, "-0.1"),
        (DataType::Double, "1.0E-7"),
        (DataType::Decimal, "10"),
        (DataType::Boolean, "true"),
        (DataType::Text, "\"line\\ntwo\\ttab\\u001F\\\"\\\\/é😀\""),
        (DataType::Blob, "\"0xcafe\""),
        (DataType::Timestamp, "\"2024-02-29 12:34:56.789Z\""),
        (DataType::Date, "\"-0001-01-01\""),
        (DataType::Time, "\"12:34:56.123456789\""),
        (DataType::Duration, "\"1y2mo3d4h5m6s\""),
        (DataType::Inet, "\"0:0:0:0:0:0:0:1\""),
        (DataType::Uuid, "\"00000000-0000-4000-8000-000000000001\""),
        (DataType::list(DataType::Int), "[3, 1, 3]"),
        (DataType::set(DataType::Text), "[\"a\", \"b\"]"),
        (
            DataType::map(DataType::Int, DataType::Text),
            "{\"1\": \"x\", \"2\": \"y\"}",
        ),
        (
            DataType::map(DataType::Boolean, DataType::Int),
            "{\"true\": 1}",
        ),
        (
            DataType::map(DataType::Double, DataType::Int),
            "{\"1.5\": 1}",
        ),
        (
            DataType::map(DataType::Blob, DataType::Int),
            "{\"0xff\": 1}",
        ),
        (
            DataType::map(DataType::list(DataType::Int).frozen(), DataType::Int),
            "{\"[1, 2]\": 1}",
        ),
        (text_to_list, "{\"\": [], \"q\\\"\": [1, 2]}"),
        (
            DataType::tuple(vec![DataType::Int, DataType::Text]),
            "[1, null]",
        ),
        (DataType::vector(DataType::Float, 2), "[1.0, 2.5]"),
        (user_type(), "{\"a\": 1, \"\\\"B\\\"\": \"y\", \"c\": [1]}"),
        (
            user_type(),
            "{\"a\": null, \"\\\"B\\\"\": null, \"c\": null}",
        ),
    ] {
        let bytes = read(&data_type, json).unwrap();
        assert_eq!(
            to_json(&data_type, bytes.as_deref()).as_deref(),
            Ok(json),
            "{data_type}"
        );
    }
}

/// What is written has no own way back.
#[test]
fn odd_values_are_written() {
    let written = |data_type: &DataType, value: &Value| {
        let bytes = native::encode(data_type, value).unwrap();
        to_json(data_type, bytes.as_deref()).unwrap()
    };
    assert_eq!(written(&DataType::Double, &Value::Double(f64::NAN)), "null");
    assert_eq!(
        written(&DataType::Float, &Value::Float(f32::NEG_INFINITY)),
        "null"
    );
    assert_eq!(written(&DataType::Int, &Value::Empty), "\"\"");
    assert_eq!(written(&DataType::Int, &Value::Null), "null");
    let decimal = Value::Decimal("1e10".parse().unwrap());
    assert_eq!(written(&DataType::Decimal, &decimal), "1E+10");
    // A field that was added to the type later.
    assert_eq!(
        to_json(&user_type(), Some(&[0, 0, 0, 4, 0, 0, 0, 7])).unwrap(),
        "{\"a\": 7, \"\\\"B\\\"\": null, \"c\": null}"
    );
}

#[test]
fn other_forms_are_read() {
    for (data_type, json, same) in [
        (DataType::Int, "\"2\"", "2"),
        (DataType::Float, "1", "1.0"),
        (DataType::Double, "\"-0.5\"", "-0.5"),
        (DataType::Decimal, "\"1e3\"", "1E+3"),
        (DataType::Decimal, "1.10", "1.1"),
        (DataType::Boolean, "\"FALSE\"", "false"),
        (
            DataType::Timestamp,
            "1704067200000",
            "\"2024-01-01 00:00:00.000Z\"",
        ),
        (DataType::Timestamp, "\"5\"", "\"1970-01-01 00:00:00.005Z\""),
        (
            DataType::set(DataType::Text),
            "[\"b\", \"a\", \"b\"]",
            "[\"a\", \"b\"]",
        ),
        (DataType::list(DataType::Int), "[3, \"1\"]", "[3, 1]"),
        (DataType::list(DataType::Int), "\"[1, 2]\"", "[1, 2]"),
        (
            user_type(),
            "{\"A\": 5}",
            "{\"a\": 5, \"\\\"B\\\"\": null, \"c\": null}",
        ),
    ] {
        let bytes = read(&data_type, json).unwrap();
        assert_eq!(
            to_json(&data_type, bytes.as_deref()).as_deref(),
            Ok(same),
            "{json}"
        );
    }
    assert_eq!(read(&DataType::Int, "null"), Ok(None));
}

#[test]
fn unfit_values_are_refused() {
    for (data_type, json) in [
        (DataType::Int, "2147483648"),
        (DataType::Int, "1.0"),
        (DataType::Int, "true"),
        (DataType::Int, "\"x\""),
        (DataType::TinyInt, "128"),
        (DataType::BigInt, "9223372036854775808"),
        (DataType::VarInt, "1.5"),
        (DataType::Decimal, "1e400"),
        (DataType::Text, "5"),
        (DataType::Blob, "\"CAFE\""),
        (DataType::Blob, "\"0xCAF\""),
        (DataType::Boolean, "1"),
        (DataType::Timestamp, "1000"),
        (DataType::Date, "5"),
        (DataType::Uuid, "\"00\""),
        (DataType::list(DataType::Int), "{\"1\": 1}"),
        (DataType::list(DataType::Int), "[1, null]"),
        (DataType::map(DataType::Int, DataType::Text), "[1]"),
        (
            DataType::map(DataType::Int, DataType::Text),
            "{\"x\": \"y\"}",
        ),
        (
            DataType::map(DataType::Int, DataType::Text),
            "{\"1\": null}",
        ),
        (DataType::tuple(vec![DataType::Int, DataType::Text]), "[1]"),
        (
            DataType::tuple(vec![DataType::Int, DataType::Text]),
            "[1, \"x\", 2]",
        ),
        (DataType::vector(DataType::Float, 2), "[1]"),
        (user_type(), "{\"b\": \"y\"}"),
    ] {
        let refused = read(&data_type, json);
        assert!(
            matches!(refused, Err(FromJsonError::Unfit(_))),
            "{data_type} {json}"
        );
    }
    let duration = read(&DataType::Duration, "\"1x\"");
    assert!(matches!(duration, Err(FromJsonError::Invalid(_))));
    let null = read(&DataType::list(DataType::Int), "\"null\"");
    assert!(matches!(null, Err(FromJsonError::Server(_))));
}

#[test]
fn names_of_columns_are_folded() {
    let names = |text: &str| {
        let entries = row_object(text).unwrap();
        entries
            .into_iter()
            .map(|(name, value)| (name, format!("{value:?}")))
            .collect::<Vec<_>>()
    };
    let expected = |pairs: &[(&str, &str)]| {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect::<Vec<_>>()
    };
    let (one, two, three) = ("Integer(1)", "Integer(2)", "Integer(3)");
    assert_eq!(
        names("{\"K\": 1, \"\\\"Val\\\"\": 2, \"VAL\": 3}"),
        expected(&[("k", one), ("Val", two), ("val", three)])
    );
    // A name that has to be folded counts more than one that has not.
    assert_eq!(names("{\"val\": 1, \"Val\": 2}"), expected(&[("val", two)]));
    assert_eq!(names("{\"Val\": 2, \"val\": 1}"), expected(&[("val", two)]));
    for refused in ["null", "5", "[1, 2]", "", "{k: 1}", "{\"k\": 1"] {
        assert!(row_object(refused).is_err(), "{refused}");
    }
}

#[test]
fn rows_are_written_with_quoted_names() {
    let int = DataType::Int;
    let one = 1_i32.to_be_bytes();
    let columns = [
        ("k", &int, Some(&one[..])),
        ("Val", &int, None),
        ("a b", &int, None),
    ];
    assert_eq!(
        row_text(columns).as_deref(),
        Ok("{\"k\": 1, \"\\\"Val\\\"\": null, \"a b\": null}")
    );
}

proptest! {
    #[test]
    fn texts_round_trip(text in ".*") {
        let json = to_json(&DataType::Text, Some(text.as_bytes())).unwrap();
        prop_assert_eq!(read(&DataType::Text, &json), Ok(Some(text.into_bytes())));
    }

    #[test]
    fn doubles_round_trip(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
        let json = to_json(&DataType::Double, Some(&number.to_be_bytes())).unwrap();
        prop_assert_eq!(read(&DataType::Double, &json), Ok(Some(number.to_be_bytes().to_vec())));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}\":,0-9a-z\\\\ .+-]*") {
        let _ = parse(&text);
    }
}
