//! Native bytes to values and back; values to texts and back.

use proptest::prelude::*;
use stoa_types::compare::compare;
use stoa_types::data_type::DataType;
use stoa_types::{ManualClock, Value, native, text};

use crate::samples::{any_type, native_bytes};

/// A type and valid bytes of it.
fn typed_bytes() -> impl Strategy<Value = (DataType, Vec<u8>)> {
    any_type().prop_flat_map(|data_type| {
        let bytes = native_bytes(&data_type);
        (Just(data_type), bytes)
    })
}

/// The text inside a literal: without its quotes, and without the doubling of quotes.
fn unquoted(literal: &str) -> String {
    let inner = literal
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    inner.map_or(literal.to_owned(), |inner| inner.replace("''", "'"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn values_round_trip_through_bytes((data_type, bytes) in typed_bytes()) {
        let value = native::decode(&data_type, &bytes).unwrap();
        let again = native::encode(&data_type, &value).unwrap().unwrap();
        prop_assert!(compare(&data_type, &bytes, &again).is_eq());
        // Not the values are compared but their bytes, since no NaN equals another.
        let value = native::decode(&data_type, &again).unwrap();
        prop_assert_eq!(native::encode(&data_type, &value).unwrap().unwrap(), again);
    }

    #[test]
    fn native_values_round_trip_through_literals(
        (data_type, bytes) in proptest::sample::select(DataType::NATIVE.to_vec())
            .prop_flat_map(|data_type| {
                let bytes = native_bytes(&data_type);
                (Just(data_type), bytes)
            }),
    ) {
        let value = native::decode(&data_type, &bytes).unwrap();
        let literal = text::literal(&data_type, &value).unwrap();
        if matches!(value, Value::Empty) || literal.starts_with("blob_as_") {
            prop_assert!(literal.starts_with("blob_as_"));
            return Ok(());
        }
        let clock = ManualClock::at_micros(0);
        let parsed = text::parse(&data_type, &unquoted(&literal), &clock).unwrap();
        if literal.trim_start_matches('-') == "NaN" {
            let again = native::encode(&data_type, &parsed).unwrap().unwrap();
            prop_assert!(compare(&data_type, &bytes, &again).is_eq());
        } else {
            prop_assert_eq!(parsed, value, "{}", literal);
        }
    }

    #[test]
    fn control_characters_never_reach_a_table((data_type, bytes) in typed_bytes()) {
        let value = native::decode(&data_type, &bytes).unwrap();
        let shown = text::display(&data_type, &value);
        prop_assert!(!shown.contains(char::is_control), "{:?}", shown);
    }
}
