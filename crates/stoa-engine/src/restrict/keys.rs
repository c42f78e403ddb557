//! The values of key columns in one execution: what terms give, and partition keys made of them.

use std::borrow::Cow;
use std::cmp::Ordering;

use stoa_types::{compare, frames, partition_key};

use super::merge::Restrictions;
use super::{InTerms, Restriction, Test, TupleTerm};
use crate::catalog::{Column, Table};
use crate::refusal::Refusal;
use crate::terms::{Given, Term, Values};

/// The values of several columns; `None` is null.
pub(crate) type Tuple<'a> = Vec<Option<Cow<'a, [u8]>>>;

impl TupleTerm {
    /// The value of each column.
    pub(crate) fn values<'a>(
        &'a self,
        columns: &[&Column],
        values: &'a Values<'_>,
    ) -> Result<Tuple<'a>, Refusal> {
        match self {
            Self::Each(terms) => terms
                .iter()
                .zip(columns)
                .map(|(term, column)| set_value(term, column, values))
                .collect(),
            Self::Whole(term, count) => {
                let name = columns.first().map_or("", |it| &*it.name);
                let bytes = match term.give(values)? {
                    Given::Bytes(bytes) => bytes,
                    Given::Null => return Err(null_value(name)),
                    Given::Unset => return Err(unset_value(name)),
                };
                split_tuple(&bytes, *count)
            }
        }
    }
}

/// The fields of a tuple's bytes, missing ones null.
fn split_tuple<'a>(bytes: &[u8], count: usize) -> Result<Tuple<'a>, Refusal> {
    let mut parts = Vec::with_capacity(count);
    for part in frames::tuple_parts(bytes, count) {
        let part = part.map_err(|problem| Refusal::invalid(problem.to_string()))?;
        parts.push(part.map(|it| Cow::Owned(it.to_vec())));
    }
    parts.resize(count, None);
    Ok(parts)
}

fn set_value<'a>(
    term: &'a Term,
    column: &Column,
    values: &'a Values<'_>,
) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
    match term.give(values)? {
        Given::Bytes(bytes) => Ok(Some(bytes)),
        Given::Null => Ok(None),
        Given::Unset => Err(unset_value(&column.name)),
    }
}

impl InTerms {
    /// The value of each column, for each item.
    pub(crate) fn values<'a>(
        &'a self,
        columns: &[&Column],
        values: &'a Values<'_>,
    ) -> Result<Vec<Tuple<'a>>, Refusal> {
        let name = columns.first().map_or("", |it| &*it.name);
        match self {
            Self::List(list) => list.iter().map(|it| it.values(columns, values)).collect(),
            Self::Variable { list, columns } => {
                let bytes = match list.give(values)? {
                    Given::Bytes(bytes) => bytes,
                    Given::Null => return Err(null_value(name)),
                    Given::Unset => return Err(unset_value(name)),
                };
                let broken = |problem: frames::FrameError| Refusal::invalid(problem.to_string());
                let (_, parts) = frames::collection_parts(&bytes, 1).map_err(broken)?;
                let mut all = Vec::new();
                for part in parts {
                    let part = part.map_err(|problem| match problem {
                        frames::FrameError::NullElement => null_value(name),
                        other => broken(other),
                    })?;
                    all.push(match columns {
                        0 => vec![Some(Cow::Owned(part.to_vec()))],
                        count => split_tuple(part, *count)?,
                    });
                }
                Ok(all)
            }
        }
    }
}

impl Restriction {
    /// The columns it is on.
    pub(crate) fn columns_of<'t>(&self, table: &'t Table) -> Vec<&'t Column> {
        let columns = self.columns.iter();
        columns.filter_map(|at| table.columns.get(*at)).collect()
    }

    /// Whether it is on one column and allows one value: the common case, for which keys are made
    /// without lists of lists.
    pub(crate) fn is_one_value(&self) -> bool {
        let is_single =
            matches!(&self.test, Test::Equal(TupleTerm::Each(terms)) if terms.len() == 1);
        is_single && self.columns.len() == 1
    }

    /// The value that it allows; `None` if it does not allow just one.
    pub(crate) fn one_value<'a>(
        &'a self,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        let column = table.columns.get(self.first());
        let (Test::Equal(TupleTerm::Each(terms)), Some(column)) = (&self.test, column) else {
            return Ok(None);
        };
        let [term] = terms.as_slice() else {
            return Ok(None);
        };
        let value = set_value(term, column, values)?;
        Ok(Some(value.ok_or_else(|| null_value(&column.name))?))
    }

    /// The values that it allows, if it allows only some: in the order of the columns' types, each
    /// once. `None` where it is neither `=` nor `IN`.
    pub(crate) fn points<'a>(
        &'a self,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Option<Vec<Tuple<'a>>>, Refusal> {
        let columns = self.columns_of(table);
        let mut points = match &self.test {
            Test::Equal(tuple) => vec![tuple.values(&columns, values)?],
            Test::In(list) => list.values(&columns, values)?,
            _ => return Ok(None),
        };
        for point in &points {
            let null = point.iter().zip(&columns).find(|(it, _)| it.is_none());
            if let Some((_, column)) = null {
                return Err(null_value(&column.name));
            }
        }
        let order = |left: &Tuple<'_>, right: &Tuple<'_>| compare_tuples(&columns, left, right);
        points.sort_by(order);
        points.dedup_by(|left, right| order(left, right).is_eq());
        Ok(Some(points))
    }
}

fn compare_tuples(columns: &[&Column], left: &Tuple<'_>, right: &Tuple<'_>) -> Ordering {
    let pairs = columns.iter().zip(left.iter().zip(right));
    for (column, (left, right)) in pairs {
        let order = match (left, right) {
            (Some(left), Some(right)) => compare::compare(&column.data_type, left, right),
            (left, right) => left.is_some().cmp(&right.is_some()),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// The partition keys that restrictions on all columns of the key allow, each as one byte string;
/// one may be empty.
pub(crate) fn partition_keys(
    restrictions: &Restrictions,
    table: &Table,
    values: &Values<'_>,
) -> Result<Vec<Vec<u8>>, Refusal> {
    let key = 0..table.partition_key().len();
    let is_one_value = |at| restrictions.on(at).is_some_and(Restriction::is_one_value);
    if key.clone().all(is_one_value) {
        let mut parts = Vec::with_capacity(key.len());
        for restriction in key.filter_map(|at| restrictions.on(at)) {
            parts.extend(restriction.one_value(table, values)?);
        }
        let parts: Vec<&[u8]> = parts.iter().map(|it| &**it).collect();
        return Ok(vec![joined_key(&parts)?]);
    }
    let mut columns = Vec::new();
    for at in 0..table.partition_key().len() {
        let points = match restrictions.on(at) {
            Some(restriction) => restriction.points(table, values)?,
            None => None,
        };
        let missing = || Refusal::invalid("Some partition key parts are missing");
        let points: Vec<Cow<'_, [u8]>> = points
            .ok_or_else(missing)?
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        columns.push(points);
    }
    let mut keys: Vec<Vec<&[u8]>> = vec![Vec::new()];
    for points in &columns {
        keys = keys
            .iter()
            .flat_map(|key| {
                points.iter().map(move |point| {
                    let mut longer = key.clone();
                    longer.push(&**point);
                    longer
                })
            })
            .collect();
    }
    keys.iter().map(|key| joined_key(key)).collect()
}

/// A partition key of these values.
fn joined_key(values: &[&[u8]]) -> Result<Vec<u8>, Refusal> {
    partition_key::join(values).map_err(|problem| Refusal::invalid(problem.to_string()))
}

/// The keys, unless one of them is empty.
pub(crate) fn none_empty(keys: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refusal> {
    match keys.iter().any(Vec::is_empty) {
        true => Err(Refusal::invalid("Key may not be empty")),
        false => Ok(keys),
    }
}

pub(crate) fn null_value(column: &str) -> Refusal {
    Refusal::invalid(format!(
        "Invalid null value in condition for column {column}"
    ))
}

pub(crate) fn unset_value(column: &str) -> Refusal {
    Refusal::invalid(format!("Invalid unset value for column {column}"))
}
