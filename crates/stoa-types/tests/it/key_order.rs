//! Ordered bytes against the comparators: same order, no prefixes, round trips, slices.

use std::cmp::Ordering;
use std::ops::Bound;

use proptest::prelude::*;
use stoa_types::compare::{compare, compare_clusterings};
use stoa_types::data_type::{DataType, KeyColumn};
use stoa_types::ordered::{self, Side};

use crate::samples::{borrowed, clustering, columns, key_type, native_bytes};

type Clustering = Vec<Option<Vec<u8>>>;

/// Columns and some clusterings of them.
fn clusterings(count: usize) -> impl Strategy<Value = (Vec<KeyColumn>, Vec<Clustering>)> {
    columns().prop_flat_map(move |columns| {
        let clusterings = proptest::collection::vec(clustering(&columns), count);
        (Just(columns), clusterings)
    })
}

fn encode(columns: &[KeyColumn], values: &[Option<Vec<u8>>]) -> Vec<u8> {
    ordered::encode_clustering(columns, &borrowed(values)).unwrap()
}

/// Two values of one native type, so that every type gets its share of cases.
fn check_native_type(data_type: &DataType) {
    let mut runner = proptest::test_runner::TestRunner::default();
    let pair = (native_bytes(data_type), native_bytes(data_type));
    runner
        .run(&pair, |(left, right)| {
            let expected = compare(data_type, &left, &right);
            let (left, right) = ([Some(left)], [Some(right)]);
            let up = [KeyColumn::ascending(data_type.clone())];
            prop_assert_eq!(encode(&up, &left).cmp(&encode(&up, &right)), expected);
            let down = [KeyColumn::descending(data_type.clone())];
            prop_assert_eq!(
                encode(&down, &left).cmp(&encode(&down, &right)),
                expected.reverse()
            );
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{data_type}: {error}"));
}

#[test]
fn every_native_type_sorts_as_its_comparator_says() {
    for data_type in DataType::NATIVE
        .iter()
        .filter(|native| native.is_allowed_in_key())
    {
        check_native_type(data_type);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn clusterings_sort_as_their_comparators_say((columns, all) in clusterings(2)) {
        let [left, right] = all.as_slice() else { unreachable!() };
        let expected = compare_clusterings(&columns, &borrowed(left), &borrowed(right));
        let (left, right) = (encode(&columns, left), encode(&columns, right));
        prop_assert_eq!(left.cmp(&right), expected);
        prop_assert!(left == right || !right.starts_with(&left));
    }

    #[test]
    fn clusterings_round_trip((columns, all) in clusterings(1)) {
        let values = &all[0];
        let encoded = encode(&columns, values);
        let decoded = ordered::decode_clustering(&columns, &encoded).unwrap();
        let same = compare_clusterings(&columns, &borrowed(values), &borrowed(&decoded));
        prop_assert_eq!(same, Ordering::Equal);
        for (column, (before, after)) in columns.iter().zip(values.iter().zip(&decoded)) {
            if let Some(before) = before {
                let is_same = after.as_deref() == Some(before);
                prop_assert_eq!(ordered::restores(&column.data_type, before), is_same);
            } else {
                prop_assert_eq!(after, &None);
            }
        }
        prop_assert_eq!(encode(&columns, &decoded), encoded);
    }

    #[test]
    fn positions_enclose_exactly_what_starts_with_their_prefix(
        (columns, all) in clusterings(2),
        length in 0_usize..4,
    ) {
        let [values, other] = all.as_slice() else { unreachable!() };
        let length = length.min(columns.len());
        let prefix = borrowed(&other[..length]);
        let before = ordered::encode_position(&columns, &prefix, Side::Before).unwrap();
        let after = ordered::encode_position(&columns, &prefix, Side::After).unwrap();
        let encoded = encode(&columns, values);
        let start = borrowed(&values[..length]);
        let expected = compare_clusterings(&columns[..length], &start, &prefix);
        prop_assert_eq!(encoded < before, expected == Ordering::Less);
        prop_assert_eq!(encoded > after, expected == Ordering::Greater);

        let (decoded, side) = ordered::decode_position(&columns, &after).unwrap();
        prop_assert_eq!(side, Side::After);
        let again = ordered::encode_position(&columns, &borrowed(&decoded), Side::Before).unwrap();
        prop_assert_eq!(again, before);
    }

    #[test]
    fn slices_hold_exactly_the_values_between_their_bounds(
        (columns, all) in clusterings(3),
        kinds in (0_u8..3, 0_u8..3),
        shares_prefix: bool,
        at in 0_usize..3,
    ) {
        let at = at % columns.len();
        let [values, low, high] = all.as_slice() else { unreachable!() };
        // Half of the time the value lies under the prefix, so that the bounds decide.
        let prefix = borrowed(if shares_prefix { &values[..at] } else { &low[..at] });
        let lower = bound(kinds.0, low[at].as_deref());
        let upper = bound(kinds.1, high[at].as_deref());
        let range = ordered::slice(&columns, &prefix, lower, upper).unwrap();

        let starts = compare_clusterings(&columns[..at], &borrowed(&values[..at]), &prefix);
        let value = values[at].as_deref();
        let data_type = &columns[at].data_type;
        let is_above = match (lower, value) {
            (Bound::Unbounded, _) => true,
            (_, None) => nulls_pass(&columns[at], lower, upper),
            (Bound::Included(low), Some(value)) => compare(data_type, value, low).is_ge(),
            (Bound::Excluded(low), Some(value)) => compare(data_type, value, low).is_gt(),
        };
        let is_below = match (upper, value) {
            (Bound::Unbounded, _) => true,
            (_, None) => nulls_pass(&columns[at], lower, upper),
            (Bound::Included(high), Some(value)) => compare(data_type, value, high).is_le(),
            (Bound::Excluded(high), Some(value)) => compare(data_type, value, high).is_lt(),
        };
        let expected = starts == Ordering::Equal && is_above && is_below;
        prop_assert_eq!(range.contains(&encode(&columns, values)), expected);
    }

    #[test]
    fn the_comparator_is_a_total_order(
        (data_type, values) in key_type().prop_flat_map(|data_type| {
            let values = proptest::collection::vec(native_bytes(&data_type), 3);
            (Just(data_type), values)
        }),
    ) {
        let order = |i: usize, j: usize| compare(&data_type, &values[i], &values[j]);
        prop_assert_eq!(order(0, 0), Ordering::Equal);
        prop_assert_eq!(order(0, 1), order(1, 0).reverse());
        if order(0, 1).is_le() && order(1, 2).is_le() {
            prop_assert!(order(0, 2).is_le());
        }
    }

    #[test]
    fn escaped_keys_are_told_apart(
        left in proptest::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..8),
        right in proptest::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..8),
        (left_end, right_end) in (0x10_u8..0xF0, 0x10_u8..0xF0),
    ) {
        let key = |raw: &[u8], end| {
            let mut key = Vec::new();
            ordered::escape(raw, &mut key);
            key.push(end);
            key
        };
        let (a, b) = (key(&left, left_end), key(&right, right_end));
        prop_assert_eq!(ordered::unescape(&a), Ok((left.clone(), &[left_end][..])));
        if left != right {
            prop_assert_eq!(a.cmp(&b), left.cmp(&right));
            prop_assert!(!a.starts_with(&b) && !b.starts_with(&a));
        }
    }
}

fn bound(kind: u8, value: Option<&[u8]>) -> Bound<&[u8]> {
    match (kind, value) {
        (0, _) | (_, None) => Bound::Unbounded,
        (1, Some(value)) => Bound::Included(value),
        (_, Some(value)) => Bound::Excluded(value),
    }
}

/// A null is first in both directions, so the end that comes first in key order decides.
fn nulls_pass(column: &KeyColumn, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
    match column.order {
        stoa_types::ClusteringOrder::Ascending => matches!(lower, Bound::Unbounded),
        stoa_types::ClusteringOrder::Descending => matches!(upper, Bound::Unbounded),
    }
}
