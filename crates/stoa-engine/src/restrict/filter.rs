//! What is left to test on each row.

use std::borrow::Cow;
use std::cmp::Ordering;

use stoa_types::{DataType, compare};

use super::keys::Tuple;
use super::{Bound, ElementTest, Restriction, Test};
use crate::catalog::{Column, IndexTarget, Table};
use crate::derived::analyzer::Analyzer;
use crate::refusal::Refusal;
use crate::rows::{Row, element};
use crate::terms::{Given, Term, Values};

/// Restrictions with the values of one execution: a row passes all of them or is left out.
#[derive(Debug, Default)]
pub(crate) struct Filter<'a> {
    tests: Vec<BoundTest<'a>>,
    /// Columns whose empty values are left out.
    never_empty: Vec<usize>,
}

#[derive(Debug)]
struct BoundTest<'a> {
    columns: Vec<(usize, DataType)>,
    /// How an index on the column compares texts.
    analyzer: Analyzer,
    addresses: AddressOrder,
    test: Wanted<'a>,
}

/// In which order addresses must lie between limits. A storage-attached index has an order of its
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressOrder {
    /// By their bytes.
    Plain,
    /// As in the index.
    Index,
    /// Both: what an index leaves to be tested, or has found, Cassandra tests again.
    Both,
}

type Limit<'a> = Option<(Tuple<'a>, bool)>;

#[derive(Debug)]
enum Wanted<'a> {
    OneOf(Vec<Tuple<'a>>),
    Between(Limit<'a>, Limit<'a>),
    Elements(Vec<WantedElement<'a>>),
    NotNull,
}

#[derive(Debug)]
enum WantedElement<'a> {
    Value(Cow<'a, [u8]>),
    Key(Cow<'a, [u8]>),
    Entry(Cow<'a, [u8]>, Cow<'a, [u8]>),
}

impl<'a> Filter<'a> {
    /// The tests of restrictions.
    pub(crate) fn new(
        restrictions: impl Iterator<Item = &'a Restriction>,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Self, Refusal> {
        let tests = restrictions
            .map(|restriction| bound(restriction, table, values))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            tests,
            never_empty: Vec::new(),
        })
    }

    /// Leaves out empty values of these columns, unless they are texts or blobs: a storage-attached
    /// index has none.
    pub(crate) fn without_empty(
        mut self,
        columns: impl Iterator<Item = usize>,
        table: &Table,
    ) -> Self {
        let is_meaningless = |at: &usize| {
            let column = table.columns.get(*at);
            let has_empty =
                |it: &DataType| matches!(it, DataType::Ascii | DataType::Text | DataType::Blob);
            column.is_some_and(|it| !has_empty(&it.data_type))
        };
        self.never_empty.extend(columns.filter(is_meaningless));
        self
    }

    /// Adds the tests of restrictions, with an order of addresses for each.
    pub(crate) fn and(
        mut self,
        restrictions: impl Iterator<Item = (&'a Restriction, AddressOrder)>,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Self, Refusal> {
        for (restriction, addresses) in restrictions {
            self.tests.push(BoundTest {
                addresses,
                ..bound(restriction, table, values)?
            });
        }
        Ok(self)
    }

    /// Whether a row passes.
    pub(crate) fn passes(&self, row: &dyn Row) -> bool {
        let is_empty = |at: &usize| row.value(*at).is_some_and(|it| it.is_empty());
        self.tests.iter().all(|test| test.passes(row)) && !self.never_empty.iter().any(is_empty)
    }
}

fn bound<'a>(
    restriction: &'a Restriction,
    table: &Table,
    values: &'a Values<'_>,
) -> Result<BoundTest<'a>, Refusal> {
    let columns = restriction.columns_of(table);
    let test = match &restriction.test {
        Test::Equal(tuple) => Wanted::OneOf(vec![without_nulls(
            tuple.values(&columns, values)?,
            &columns,
        )?]),
        Test::In(list) => {
            let all = list.values(&columns, values)?.into_iter();
            let all = all.map(|it| without_nulls(it, &columns));
            Wanted::OneOf(all.collect::<Result<_, _>>()?)
        }
        Test::Slice(lower, upper) => {
            let limit = |bound: &'a Option<Bound>| -> Result<Limit<'a>, Refusal> {
                let Some(bound) = bound else {
                    return Ok(None);
                };
                let tuple = without_nulls(bound.value.values(&columns, values)?, &columns)?;
                Ok(Some((tuple, bound.is_inclusive)))
            };
            Wanted::Between(limit(lower)?, limit(upper)?)
        }
        Test::Elements(tests) => {
            let name = columns.first().map_or("", |it| &*it.name);
            let wanted = tests.iter().map(|it| wanted_element(it, name, values));
            Wanted::Elements(wanted.collect::<Result<_, _>>()?)
        }
        Test::NotNull => Wanted::NotNull,
        Test::Like => return Err(Refusal::invalid("LIKE is not supported without an index")),
    };
    let analyzer = match (&restriction.test, columns.as_slice()) {
        (Test::Equal(_), [column]) => Analyzer::on(table, &column.name, IndexTarget::Simple),
        (Test::Elements(tests), [column]) => {
            let target = match tests.first() {
                Some(ElementTest::ContainsKey(_)) => IndexTarget::Keys,
                _ => IndexTarget::Values,
            };
            Analyzer::on(table, &column.name, target)
        }
        _ => Analyzer::default(),
    };
    let columns = restriction.columns.iter().zip(&columns);
    Ok(BoundTest {
        analyzer,
        addresses: AddressOrder::Plain,
        columns: columns
            .map(|(at, column)| (*at, column.data_type.clone()))
            .collect(),
        test,
    })
}

fn without_nulls<'a>(tuple: Tuple<'a>, columns: &[&Column]) -> Result<Tuple<'a>, Refusal> {
    let null = tuple.iter().zip(columns).find(|(it, _)| it.is_none());
    match null {
        Some((_, column)) => Err(Refusal::invalid(format!(
            "Unsupported null value for column {}",
            column.name
        ))),
        None => Ok(tuple),
    }
}

fn wanted_element<'a>(
    test: &'a ElementTest,
    column: &str,
    values: &'a Values<'_>,
) -> Result<WantedElement<'a>, Refusal> {
    let give = |term: &'a Term, what: &str| match term.give(values)? {
        Given::Bytes(bytes) => Ok(bytes),
        Given::Null => Err(Refusal::invalid(format!(
            "Unsupported null {what}value for column {column}"
        ))),
        Given::Unset => Err(Refusal::invalid(format!(
            "Unsupported unset {what}value for column {column}"
        ))),
    };
    Ok(match test {
        ElementTest::Contains(value) => WantedElement::Value(give(value, "")?),
        ElementTest::ContainsKey(key) => WantedElement::Key(give(key, "")?),
        ElementTest::Entry(key, value) => {
            WantedElement::Entry(give(key, "map key ")?, give(value, "map ")?)
        }
    })
}

impl BoundTest<'_> {
    fn passes(&self, row: &dyn Row) -> bool {
        let mut actual = Vec::with_capacity(self.columns.len());
        for (at, _) in &self.columns {
            match row.value(*at) {
                Some(value) => actual.push(value),
                None => return false,
            }
        }
        match &self.test {
            Wanted::OneOf(all) => all.iter().any(|it| self.compare(&actual, it).is_eq()),
            Wanted::Between(lower, upper) => {
                let is_address = matches!(self.columns.as_slice(), [(_, DataType::Inet)]);
                let (plain, index) = match self.addresses {
                    AddressOrder::Index if is_address => (false, true),
                    AddressOrder::Both if is_address => (true, true),
                    _ => (true, false),
                };
                let by_index = |limit: &Tuple<'_>| compare_addresses(&actual, limit);
                let by_bytes = |limit: &Tuple<'_>| self.compare(&actual, limit);
                (!plain || is_between(lower, upper, by_bytes))
                    && (!index || is_between(lower, upper, by_index))
            }
            Wanted::Elements(wanted) => match (self.columns.first(), actual.first()) {
                (Some((_, data_type)), Some(value)) => {
                    has_all(data_type, value, wanted, self.analyzer)
                }
                _ => false,
            },
            Wanted::NotNull => true,
        }
    }

    /// Compares in the order of the columns, as far as `wanted` goes.
    fn compare(&self, actual: &[Cow<'_, [u8]>], wanted: &Tuple<'_>) -> Ordering {
        let columns = self.columns.iter().zip(actual.iter().zip(wanted));
        for ((_, data_type), (actual, wanted)) in columns {
            let order = match wanted {
                Some(wanted) => {
                    let (actual, wanted) =
                        (self.analyzer.apply(actual), self.analyzer.apply(wanted));
                    compare::compare(data_type, &actual, &wanted)
                }
                None => Ordering::Greater,
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

/// Whether a value lies between limits, each compared with it.
fn is_between<'a>(
    lower: &Limit<'a>,
    upper: &Limit<'a>,
    compare: impl Fn(&Tuple<'a>) -> Ordering,
) -> bool {
    let is_above = lower.as_ref().is_none_or(|(limit, is_inclusive)| {
        let order = compare(limit);
        order.is_gt() || (*is_inclusive && order.is_eq())
    });
    let is_below = upper.as_ref().is_none_or(|(limit, is_inclusive)| {
        let order = compare(limit);
        order.is_lt() || (*is_inclusive && order.is_eq())
    });
    is_above && is_below
}

/// Compares addresses as a storage-attached index does: one of 4 bytes has its place among those of
/// 16 (`::ffff:a.b.c.d`).
fn compare_addresses(actual: &[Cow<'_, [u8]>], limit: &Tuple<'_>) -> Ordering {
    let mapped = |address: &[u8]| match address.len() {
        4 => [&[0; 10][..], &[0xff; 2], address].concat(),
        _ => address.to_vec(),
    };
    let actual = actual.iter().map(|it| mapped(it));
    actual.cmp(limit.iter().flatten().map(|it| mapped(it)))
}

fn has_all(
    data_type: &DataType,
    value: &[u8],
    wanted: &[WantedElement<'_>],
    analyzer: Analyzer,
) -> bool {
    let Some(entries) = element::pairs(data_type, value) else {
        return false;
    };
    let (keys, values) = match data_type {
        DataType::Map { key, value, .. } => (&**key, &**value),
        DataType::List { element, .. } | DataType::Set { element, .. } => (&**element, &**element),
        _ => return false,
    };
    let same = |data_type: &DataType, left: &[u8], right: &[u8]| {
        compare::compare(data_type, &analyzer.apply(left), &analyzer.apply(right)).is_eq()
    };
    // For values of a frozen collection Java's objects are compared, and a decimal has its scale.
    let is_exact = !data_type.is_multi_cell() && holds_decimals(values);
    wanted.iter().all(|wanted| match wanted {
        WantedElement::Value(it) if is_exact => entries.iter().any(|(_, value)| **value == **it),
        WantedElement::Value(it) => entries.iter().any(|(_, value)| same(values, value, it)),
        WantedElement::Key(it) => entries.iter().any(|(key, _)| same(keys, key, it)),
        WantedElement::Entry(key, value) => entries
            .iter()
            .any(|(k, v)| same(keys, k, key) && same(values, v, value)),
    })
}

fn holds_decimals(data_type: &DataType) -> bool {
    match data_type {
        DataType::Decimal => true,
        DataType::List { element, .. }
        | DataType::Set { element, .. }
        | DataType::Vector { element, .. } => holds_decimals(element),
        DataType::Map { key, value, .. } => holds_decimals(key) || holds_decimals(value),
        // Tuples and user-defined types are bytes to Java.
        _ => false,
    }
}
