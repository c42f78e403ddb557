//! Conditions of an IF: resolved against a table, and tested on the row that is there.

use stoa_cql::ast::{Comparison, Condition, ConditionTarget, ConditionTest, InValues, Term};
use stoa_types::{DataType, compare};

use super::failure::{Known, invalid, unknown};
use super::partition::Clustering;
use super::plan::Key;
use super::restriction::{contains, contains_key, is_met};
use super::selector::element_of;
use super::terms::Terms;
use super::value::{self, Val};
use super::view::RowView;
use super::world::{Kind, Table};

/// What must hold before a write, and of which row.
#[derive(Debug)]
pub(super) struct Guard {
    /// The partition.
    pub(super) key: Key,
    /// The row; none for the static row.
    pub(super) clustering: Option<Clustering>,
    /// What must hold.
    pub(super) check: Check,
}

/// What must hold.
#[derive(Debug)]
pub(super) enum Check {
    /// The row must not be there.
    NotExists,
    /// The row must be there.
    Exists,
    /// All of these.
    Columns(Vec<ColumnCheck>),
}

/// What must hold of a column.
#[derive(Debug)]
pub(super) struct ColumnCheck {
    /// The column.
    pub(super) position: usize,
    /// What of it.
    part: Part,
    /// The type of that.
    data_type: DataType,
    /// What must hold of that.
    test: Test,
}

#[derive(Debug)]
enum Part {
    Whole,
    Index(usize),
    Key(Vec<u8>),
    Field(usize, usize),
}

#[derive(Debug)]
enum Test {
    Compare(Comparison, Option<Vec<u8>>),
    In(Vec<Option<Vec<u8>>>),
    Contains(Vec<u8>),
    ContainsKey(Vec<u8>),
}

impl Check {
    /// Whether it is about columns of rows, rather than static ones or none.
    pub(super) fn is_about_rows(&self, table: &Table) -> bool {
        self.asks(table, Kind::Regular)
    }

    /// Whether it is about static columns, among others.
    pub(super) fn asks_statics(&self, table: &Table) -> bool {
        self.asks(table, Kind::Static)
    }

    fn asks(&self, table: &Table, kind: Kind) -> bool {
        let Self::Columns(checks) = self else {
            return false;
        };
        let mut columns = checks.iter().map(|it| table.at(it.position));
        columns.any(|it| it.is_ok_and(|it| it.kind == kind))
    }
}

/// Resolves a condition.
pub(super) fn resolve(
    table: &Table,
    condition: &Condition,
    terms: Terms<'_>,
) -> Known<ColumnCheck> {
    let position = table.position(condition.column.as_str())?;
    let column = table.at(position)?;
    if column.is_key() {
        return invalid("PRIMARY KEY column cannot have IF conditions");
    }
    if column.data_type == DataType::Counter {
        return invalid("Conditions on counters are not supported");
    }
    let (part, data_type) = part(&column.data_type, &condition.target, terms)?;
    let is_whole = matches!(part, Part::Whole);
    let test = match &condition.test {
        ConditionTest::Compare(comparison, term) => {
            let value = terms.eval(term, &data_type)?.optional("a condition")?;
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            // Refused, unless an earlier statement of the batch was not to be applied anyway.
            if is_order && value.is_none() {
                return unknown("order compared with null");
            }
            if is_order && data_type.contains_duration() {
                return invalid("Slice conditions are not supported on durations");
            }
            Test::Compare(*comparison, value)
        }
        ConditionTest::In(values) => Test::In(in_values(values, &data_type, terms)?),
        ConditionTest::Contains(term) => {
            let element = match &data_type {
                DataType::List { element, .. } | DataType::Set { element, .. } => element,
                DataType::Map { value, .. } => value,
                _ => return invalid("Cannot use CONTAINS on non-collection column"),
            };
            match terms.eval(term, element)? {
                Val::Bytes(bytes) => Test::Contains(bytes),
                Val::Null | Val::Unset => return unknown("CONTAINS null in a condition"),
            }
        }
        ConditionTest::ContainsKey(term) => {
            let DataType::Map { key, .. } = &data_type else {
                return invalid("Cannot use CONTAINS KEY on non-map column");
            };
            match terms.eval(term, key)? {
                Val::Bytes(bytes) => Test::ContainsKey(bytes),
                Val::Null | Val::Unset => return unknown("CONTAINS KEY null in a condition"),
            }
        }
    };
    let test = match is_whole && data_type.is_multi_cell() {
        true => absent_when_empty(test, &data_type)?,
        false => test,
    };
    Ok(ColumnCheck {
        position,
        part,
        data_type,
        test,
    })
}

/// A collection of many cells without elements is absent.
fn absent_when_empty(test: Test, data_type: &DataType) -> Known<Test> {
    if !data_type.is_collection() {
        return Ok(test);
    }
    let is_empty = |value: &Option<Vec<u8>>| value.as_deref() == Some(&[0, 0, 0, 0]);
    Ok(match test {
        Test::Compare(Comparison::Equal | Comparison::NotEqual, ref value) if is_empty(value) => {
            match test {
                Test::Compare(comparison, _) => Test::Compare(comparison, None),
                other => other,
            }
        }
        Test::Compare(_, ref value) if is_empty(value) => {
            return unknown("an order of empty collections");
        }
        Test::In(ref values) if values.iter().any(is_empty) => {
            return unknown("an empty collection in an IN");
        }
        other => other,
    })
}

fn part(
    data_type: &DataType,
    target: &ConditionTarget,
    terms: Terms<'_>,
) -> Known<(Part, DataType)> {
    match (target, data_type) {
        (ConditionTarget::Column, _) => Ok((Part::Whole, data_type.clone())),
        (ConditionTarget::Element(term), DataType::List { element, .. }) => {
            let index = terms
                .eval(term, &DataType::Int)?
                .required("list element access")?;
            match usize::try_from(value::int(&index)?) {
                Ok(index) => Ok((Part::Index(index), (**element).clone())),
                Err(_) => invalid("Invalid negative list index"),
            }
        }
        (ConditionTarget::Element(term), DataType::Map { key, value, .. }) => {
            let key = terms.eval(term, key)?;
            if key == Val::Unset {
                return unknown("an unset key");
            }
            let key = key.required("map element access")?;
            Ok((Part::Key(key), (**value).clone()))
        }
        (ConditionTarget::Element(_), _) => invalid("Invalid element access syntax"),
        (ConditionTarget::Field(name), DataType::UserDefined(user)) => {
            let index = user.fields.iter().position(|field| *name == *field.name);
            let found = index.and_then(|index| Some((index, user.fields.get(index)?)));
            match found {
                Some((index, field)) => Ok((
                    Part::Field(index, user.fields.len()),
                    field.data_type.clone(),
                )),
                None => invalid("Unknown field"),
            }
        }
        (ConditionTarget::Field(_), _) => invalid("Invalid field access"),
    }
}

fn in_values(
    values: &InValues,
    data_type: &DataType,
    terms: Terms<'_>,
) -> Known<Vec<Option<Vec<u8>>>> {
    match values {
        InValues::List(list) => {
            let mut all = Vec::new();
            for term in list {
                match terms.eval(term, data_type)? {
                    Val::Bytes(bytes) => all.push(Some(bytes)),
                    Val::Null => all.push(None),
                    Val::Unset => {}
                }
            }
            Ok(all)
        }
        InValues::Marker(marker) => {
            let list = DataType::list(data_type.clone());
            let bytes = terms.eval(&Term::Marker(marker.clone()), &list)?;
            let parts = value::parts(&bytes.required("IN condition")?, 1)?;
            Ok(parts.into_iter().map(Some).collect())
        }
    }
}

impl ColumnCheck {
    /// Whether it holds of a row, or of none.
    pub(super) fn holds(&self, row: Option<&RowView<'_>>) -> Known<bool> {
        let whole = match row {
            Some(row) => row.value(self.position)?,
            None => None,
        };
        let found = match (&self.part, whole) {
            (Part::Whole, whole) => whole,
            (_, None) => None,
            (Part::Index(index), Some(whole)) => value::parts(&whole, 1)?.into_iter().nth(*index),
            (Part::Key(key), Some(whole)) => {
                let table = row.map(|row| row.table.at(self.position)).transpose()?;
                let data_type = table.map(|column| &column.data_type);
                match data_type {
                    Some(data_type) => element_of(data_type, Some(&whole), key)?,
                    None => None,
                }
            }
            (Part::Field(index, count), Some(whole)) => {
                let fields = value::fields(&whole, *count)?;
                fields.into_iter().nth(*index).flatten()
            }
        };
        self.test.holds(&self.data_type, found.as_deref())
    }
}

impl Test {
    fn holds(&self, data_type: &DataType, found: Option<&[u8]>) -> Known<bool> {
        let same = |value: &Option<Vec<u8>>| match (found, value) {
            (None, None) => true,
            (Some(found), Some(value)) => compare::compare(data_type, found, value).is_eq(),
            _ => false,
        };
        match self {
            Self::Compare(Comparison::Equal, value) => Ok(same(value)),
            Self::Compare(Comparison::NotEqual, value) => Ok(!same(value)),
            Self::Compare(comparison, value) => Ok(match (found, value) {
                (Some(found), Some(value)) => {
                    is_met(*comparison, compare::compare(data_type, found, value))
                }
                _ => false,
            }),
            Self::In(values) => Ok(values.iter().any(same)),
            Self::Contains(value) => contains(data_type, found, value),
            Self::ContainsKey(key) => contains_key(data_type, found, key),
        }
    }
}
