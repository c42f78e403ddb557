//! Random input to every decoder: an answer or an error, never a panic.

use proptest::prelude::*;
use stoa_types::compare::compare;
use stoa_types::data_type::{DataType, KeyColumn};
use stoa_types::native::DecodeError;
use stoa_types::native::DecodeErrorKind::NotUtf8;
use stoa_types::{Decimal, Duration, ManualClock, native, ordered, partition_key, text, vint};

use crate::samples::{any_type, columns, native_bytes};

/// Bytes that often look like counts, lengths, separators and terminators.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => Just(0_u8),
        2 => 1_u8..6,
        2 => proptest::sample::select(vec![0x20, 0x38, 0x3E, 0x3F, 0x40, 0x41, 0x60, 0x80, 0xFE]),
        1 => Just(0xFF),
        2 => any::<u8>(),
    ];
    proptest::collection::vec(byte, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn native_bytes_of_any_type(data_type in any_type(), bytes in likely_bytes()) {
        let decoded = native::decode(&data_type, &bytes);
        let is_beyond_utf8 = |error: &DecodeError| matches!(error.kind, NotUtf8 { .. });
        if native::validate(&data_type, &bytes).is_ok() {
            prop_assert!(decoded.as_ref().err().is_none_or(is_beyond_utf8));
        } else {
            prop_assert!(decoded.is_err());
        }
        if let Ok(value) = decoded {
            let _ = text::display(&data_type, &value);
            let _ = text::literal(&data_type, &value);
            native::encode(&data_type, &value).unwrap();
        }
        let _ = ordered::restores(&data_type, &bytes);
    }

    #[test]
    fn text_is_more_than_utf8(bytes in proptest::collection::vec(0x70_u8.., 0..5)) {
        let is_valid = native::validate(&DataType::Text, &bytes).is_ok();
        prop_assert!(is_valid || std::str::from_utf8(&bytes).is_err());
    }

    #[test]
    fn equal_values_have_one_representative(
        (data_type, values) in any_type().prop_flat_map(|data_type| {
            let data_type = data_type.frozen();
            let values = proptest::collection::vec(native_bytes(&data_type), 2);
            (Just(data_type), values)
        }),
    ) {
        let of = |at: usize| ordered::representative(&data_type, &values[at]).unwrap();
        prop_assert!(compare(&data_type, &of(0), &values[0]).is_eq());
        let is_equal = compare(&data_type, &values[0], &values[1]).is_eq();
        prop_assert_eq!(of(0) == of(1), is_equal);
    }

    #[test]
    fn comparison_of_any_bytes(
        data_type in any_type(),
        left in likely_bytes(),
        right in likely_bytes(),
    ) {
        let order = compare(&data_type, &left, &right);
        prop_assert_eq!(compare(&data_type, &right, &left), order.reverse());
    }

    #[test]
    fn ordered_bytes_of_any_columns(columns in columns(), bytes in likely_bytes()) {
        if let Ok(values) = ordered::decode_clustering(&columns, &bytes) {
            prop_assert_eq!(values.len(), columns.len());
        }
        if let Ok((prefix, _)) = ordered::decode_position(&columns, &bytes) {
            prop_assert!(prefix.len() <= columns.len());
        }
        let _ = ordered::unescape(&bytes);
    }

    /// One wrong byte in a good key is answered or refused, too.
    #[test]
    fn damaged_ordered_bytes(
        (data_type, native) in any_type().prop_flat_map(|data_type| {
            let native = native_bytes(&data_type);
            (Just(data_type), native)
        }),
        at: prop::sample::Index,
        damage in 1_u8..,
    ) {
        let column = [KeyColumn::descending(data_type.frozen())];
        let mut encoded = ordered::encode_clustering(&column, &[Some(&native)]).unwrap();
        let at = at.index(encoded.len());
        encoded[at] ^= damage;
        let _ = ordered::decode_clustering(&column, &encoded);
    }

    #[test]
    fn texts_of_any_native_type(source in "[-+0-9a-zA-Z:. µ]{0,24}|\\PC{0,12}") {
        let clock = ManualClock::at_micros(0);
        for data_type in DataType::NATIVE {
            let _ = text::parse(&data_type, &source, &clock);
        }
        let _ = source.parse::<Duration>();
        let _ = source.parse::<Decimal>();
    }

    #[test]
    fn small_decoders(bytes in likely_bytes(), columns in 0_usize..4) {
        let _ = partition_key::split(&bytes, columns);
        let _ = vint::read_signed(&mut bytes.as_slice());
        let _ = Decimal::from_bytes(&bytes);
    }
}
