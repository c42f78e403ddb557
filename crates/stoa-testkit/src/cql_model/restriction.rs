//! Relations of a WHERE: resolved against a table, and tested on rows.

use std::cmp::Ordering;

use stoa_cql::ast::{Comparison, InValues, Name, Relation, Term};
use stoa_types::{DataType, Token, compare, partition_key};

use super::failure::{Known, invalid, unknown};
use super::terms::Terms;
use super::value::{self, Val};
use super::view::RowView;
use super::world::{Column, Kind, Table};

/// A relation with its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Restriction {
    /// A column compared with a value.
    One(usize, Comparison, Vec<u8>),
    /// A clustering column compared by its order with null, which comes before all values.
    Null(usize, Comparison),
    /// A column that must be one of these.
    In(usize, Vec<Vec<u8>>),
    /// A collection that must hold a value.
    Contains(usize, Vec<u8>),
    /// A map that must have a key.
    ContainsKey(usize, Vec<u8>),
    /// An element of a map that must be this.
    Element(usize, Vec<u8>, Vec<u8>),
    /// Several columns compared together.
    Many(Vec<usize>, Comparison, Vec<Vec<u8>>),
    /// Several columns that must be together one of these.
    ManyIn(Vec<usize>, Vec<Vec<Vec<u8>>>),
    /// The token compared with a number.
    Token(Comparison, i64),
}

/// Resolves the relations of a WHERE.
pub(super) fn resolve(
    table: &Table,
    relations: &[Relation],
    terms: Terms<'_>,
) -> Known<Vec<Restriction>> {
    let resolver = Resolver { table, terms };
    relations
        .iter()
        .map(|relation| resolver.relation(relation))
        .collect()
}

struct Resolver<'a> {
    table: &'a Table,
    terms: Terms<'a>,
}

impl Resolver<'_> {
    fn relation(&self, relation: &Relation) -> Known<Restriction> {
        match relation {
            Relation::Column {
                column,
                comparison,
                value,
            } => self.one(column, *comparison, value),
            Relation::In { column, values } => self.one_in(column, values),
            Relation::Contains { column, value } => self.contains(column, value),
            Relation::ContainsKey { column, key } => {
                let position = self.table.position(column.as_str())?;
                if self.table.is_descending(position) {
                    return invalid("Cannot use CONTAINS KEY on a non-map column");
                }
                let DataType::Map { key: key_type, .. } = &self.table.at(position)?.data_type
                else {
                    return invalid("Cannot use CONTAINS KEY on a non-map column");
                };
                let key = self.terms.eval(key, key_type)?.required("CONTAINS KEY")?;
                Ok(Restriction::ContainsKey(position, key))
            }
            Relation::Element {
                column,
                key,
                comparison,
                value,
            } => self.element(column, key, *comparison, value),
            Relation::Token {
                columns,
                comparison,
                value,
            } => self.token(columns, *comparison, value),
            Relation::Columns {
                columns,
                comparison,
                value,
            } => {
                not_unequal(*comparison)?;
                let positions = self.clusterings(columns)?;
                let values = self.tuple(&positions, value)?;
                Ok(Restriction::Many(positions, *comparison, values))
            }
            Relation::ColumnsIn { columns, values } => self.many_in(columns, values),
            Relation::IsNotNull(column) => {
                self.table.column(column.as_str())?;
                invalid("IS NOT NULL is only supported in materialized view creation")
            }
            Relation::Like { .. } | Relation::IndexExpression { .. } => unknown("LIKE and expr"),
        }
    }

    fn one(&self, column: &Name, comparison: Comparison, value: &Term) -> Known<Restriction> {
        let position = self.table.position(column.as_str())?;
        let found = self.table.at(position)?;
        not_unequal(comparison)?;
        self.whole(found)?;
        if comparison != Comparison::Equal {
            not_duration(found)?;
        }
        let value = self.terms.eval(value, &found.data_type)?;
        let is_clustering = matches!(found.kind, Kind::Clustering(_));
        if value == Val::Null && is_clustering && comparison != Comparison::Equal {
            return Ok(Restriction::Null(position, comparison));
        }
        let value = value.required(&found.name)?;
        Ok(Restriction::One(position, comparison, value))
    }

    /// Columns of many cells can only be asked for what they contain.
    fn whole(&self, column: &Column) -> Known<()> {
        match column.data_type.is_multi_cell() {
            true => invalid("a column of many cells cannot be restricted by this relation"),
            false => Ok(()),
        }
    }

    fn one_in(&self, column: &Name, values: &InValues) -> Known<Restriction> {
        let position = self.table.position(column.as_str())?;
        let found = self.table.at(position)?;
        self.whole(found)?;
        match values {
            InValues::List(terms) => {
                let value = |term: &Term| self.terms.eval(term, &found.data_type)?.required("IN");
                let mut values = terms.iter().map(value).collect::<Known<Vec<_>>>()?;
                match (values.pop(), values.is_empty()) {
                    (Some(only), true) => Ok(Restriction::One(position, Comparison::Equal, only)),
                    (last, _) => {
                        values.extend(last);
                        Ok(Restriction::In(position, values))
                    }
                }
            }
            InValues::Marker(marker) => {
                let list = DataType::list(found.data_type.clone());
                let bytes = self.terms.eval(&Term::Marker(marker.clone()), &list)?;
                let bytes = bytes.required("IN")?;
                Ok(Restriction::In(position, value::parts(&bytes, 1)?))
            }
        }
    }

    fn contains(&self, column: &Name, value: &Term) -> Known<Restriction> {
        let position = self.table.position(column.as_str())?;
        let element = match &self.table.at(position)?.data_type {
            // To Cassandra a descending collection is none.
            _ if self.table.is_descending(position) => {
                return invalid("Cannot use CONTAINS on a non-collection column");
            }
            DataType::List { element, .. } | DataType::Set { element, .. } => element,
            DataType::Map { value, .. } => value,
            _ => return invalid("Cannot use CONTAINS on a non-collection column"),
        };
        let value = self.terms.eval(value, element)?.required("CONTAINS")?;
        Ok(Restriction::Contains(position, value))
    }

    fn element(
        &self,
        column: &Name,
        key: &Term,
        comparison: Comparison,
        value: &Term,
    ) -> Known<Restriction> {
        let position = self.table.position(column.as_str())?;
        let DataType::Map {
            key: key_type,
            value: value_type,
            is_frozen: false,
        } = &self.table.at(position)?.data_type
        else {
            return invalid("only entries of maps that are not frozen can be restricted");
        };
        if comparison != Comparison::Equal {
            return invalid("Only EQ relations are supported on map entries");
        }
        let key = self.terms.eval(key, key_type)?.required("map key")?;
        let value = self.terms.eval(value, value_type)?.required("map value")?;
        Ok(Restriction::Element(position, key, value))
    }

    fn token(&self, columns: &[Name], comparison: Comparison, value: &Term) -> Known<Restriction> {
        not_unequal(comparison)?;
        let names = self.table.partition_key().iter().map(|it| it.name.as_str());
        if !columns.iter().map(Name::as_str).eq(names) {
            return invalid("The token() function must be applied to all partition key components");
        }
        let token = match value {
            Term::Function { name, arguments } if name.name == *"token" => {
                self.token_of(arguments)?
            }
            other => value::long(
                &self
                    .terms
                    .eval(other, &DataType::BigInt)?
                    .required("token")?,
            )?,
        };
        Ok(Restriction::Token(comparison, token))
    }

    fn token_of(&self, arguments: &[Term]) -> Known<i64> {
        let key = self.table.partition_key();
        if arguments.len() != key.len() {
            return invalid("Invalid number of arguments for token()");
        }
        let mut values = Vec::new();
        for (column, argument) in key.iter().zip(arguments) {
            let value = self.terms.eval(argument, &column.data_type)?;
            match value {
                Val::Bytes(bytes) => values.push(bytes),
                Val::Null | Val::Unset => return unknown("the token of null"),
            }
        }
        token(&values)
    }

    fn clusterings(&self, columns: &[Name]) -> Known<Vec<usize>> {
        let mut positions: Vec<usize> = Vec::new();
        for name in columns {
            let position = self.table.position(name.as_str())?;
            if !matches!(self.table.at(position)?.kind, Kind::Clustering(_)) {
                return invalid("Multi-column relations can only be applied to clustering columns");
            }
            if positions.last().is_some_and(|last| last + 1 != position) {
                return invalid("Clustering columns must appear in the PRIMARY KEY order");
            }
            positions.push(position);
        }
        Ok(positions)
    }

    /// The values of a tuple for these columns.
    fn tuple(&self, positions: &[usize], term: &Term) -> Known<Vec<Vec<u8>>> {
        let mut types = Vec::new();
        for position in positions {
            types.push(self.table.at(*position)?.data_type.clone());
        }
        match term {
            Term::Tuple(terms) if terms.len() == types.len() => {
                let value = |(term, data_type)| {
                    let value = self.terms.eval(term, data_type)?;
                    value.required("a column of a tuple")
                };
                terms.iter().zip(&types).map(value).collect()
            }
            Term::Tuple(_) => invalid("another number of elements in a tuple"),
            Term::Marker(_) => {
                let count = types.len();
                let bytes = self.terms.eval(term, &DataType::tuple(types))?;
                let bytes = bytes.required("a tuple")?;
                tuple_of(&bytes, count)
            }
            _ => unknown("such a tuple"),
        }
    }

    fn many_in(&self, columns: &[Name], values: &InValues) -> Known<Restriction> {
        let positions = self.clusterings(columns)?;
        let mut tuples = match values {
            InValues::List(terms) => {
                let tuples = terms.iter().map(|term| self.tuple(&positions, term));
                tuples.collect::<Known<Vec<_>>>()?
            }
            InValues::Marker(marker) => {
                let list = DataType::list(DataType::Blob);
                let bytes = self.terms.eval(&Term::Marker(marker.clone()), &list)?;
                let parts = value::parts(&bytes.required("IN")?, 1)?;
                let tuples = parts.iter().map(|part| tuple_of(part, positions.len()));
                return Ok(Restriction::ManyIn(
                    positions.clone(),
                    tuples.collect::<Known<_>>()?,
                ));
            }
        };
        match (tuples.pop(), tuples.is_empty()) {
            (Some(only), true) => Ok(Restriction::Many(positions, Comparison::Equal, only)),
            (last, _) => {
                tuples.extend(last);
                Ok(Restriction::ManyIn(positions, tuples))
            }
        }
    }
}

fn tuple_of(bytes: &[u8], count: usize) -> Known<Vec<Vec<u8>>> {
    let fields = value::fields(bytes, count)?;
    let present: Option<Vec<_>> = fields.into_iter().collect();
    match present {
        Some(values) => Ok(values),
        None => invalid("Invalid null value in a tuple"),
    }
}

fn not_unequal(comparison: Comparison) -> Known<()> {
    match comparison {
        Comparison::NotEqual => invalid("Unsupported \"!=\" relation"),
        _ => Ok(()),
    }
}

fn not_duration(column: &Column) -> Known<()> {
    match column.data_type.contains_duration() {
        true => invalid("Slice restrictions are not supported on durations"),
        false => Ok(()),
    }
}

/// The token of the values of a partition key.
pub(super) fn token(values: &[Vec<u8>]) -> Known<i64> {
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    match partition_key::join(&values) {
        Ok(key) => Ok(Token::of_partition_key(&key).0),
        Err(error) => invalid(error.to_string()),
    }
}

/// The values of a partition key as one.
pub(super) fn joined(values: &[Vec<u8>]) -> Known<Vec<u8>> {
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    match partition_key::join(&values) {
        Ok(key) if key.is_empty() => invalid("Key may not be empty"),
        Ok(key) => Ok(key),
        Err(error) => invalid(error.to_string()),
    }
}

/// Whether an order is what a comparison asks for.
pub(super) fn is_met(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

impl Restriction {
    /// The columns that it is about; none for the token.
    pub(super) fn columns(&self) -> &[usize] {
        match self {
            Self::One(column, ..)
            | Self::Null(column, _)
            | Self::In(column, _)
            | Self::Contains(column, _)
            | Self::ContainsKey(column, _)
            | Self::Element(column, ..) => std::slice::from_ref(column),
            Self::Many(columns, ..) | Self::ManyIn(columns, _) => columns,
            Self::Token(..) => &[],
        }
    }

    /// Whether it says exactly which values there may be.
    pub(super) fn is_exact(&self) -> bool {
        matches!(
            self,
            Self::One(_, Comparison::Equal, _)
                | Self::In(..)
                | Self::Many(_, Comparison::Equal, _)
                | Self::ManyIn(..)
        )
    }

    /// Whether it allows one value only.
    pub(super) fn is_equality(&self) -> bool {
        matches!(
            self,
            Self::One(_, Comparison::Equal, _) | Self::Many(_, Comparison::Equal, _)
        )
    }

    /// The order that it asks for, if it is a bound.
    pub(super) fn bound(&self) -> Option<Comparison> {
        match self {
            Self::One(_, comparison, _)
            | Self::Null(_, comparison)
            | Self::Many(_, comparison, _) => match comparison {
                Comparison::Equal | Comparison::NotEqual => None,
                bound => Some(*bound),
            },
            _ => None,
        }
    }

    /// Whether a row is as it says.
    pub(super) fn holds(&self, row: &RowView<'_>) -> Known<bool> {
        let table = row.table;
        Ok(match self {
            Self::One(column, comparison, value) => {
                let data_type = &table.at(*column)?.data_type;
                let found = row.value(*column)?;
                found.is_some_and(|found| {
                    is_met(*comparison, compare::compare(data_type, &found, value))
                })
            }
            // Null comes before every value, whichever way the column sorts.
            Self::Null(column, comparison) => {
                let is_above =
                    matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
                is_above != table.is_descending(*column)
            }
            Self::In(column, values) => {
                let data_type = &table.at(*column)?.data_type;
                let found = row.value(*column)?;
                found.is_some_and(|found| {
                    let mut values = values.iter();
                    values.any(|value| compare::compare(data_type, &found, value).is_eq())
                })
            }
            Self::Contains(column, value) => {
                let found = row.value(*column)?;
                contains(&table.at(*column)?.data_type, found.as_deref(), value)?
            }
            Self::ContainsKey(column, key) => {
                let found = row.value(*column)?;
                contains_key(&table.at(*column)?.data_type, found.as_deref(), key)?
            }
            Self::Element(column, key, value) => {
                let DataType::Map {
                    key: key_type,
                    value: value_type,
                    ..
                } = &table.at(*column)?.data_type
                else {
                    return unknown("an element of no map");
                };
                let Some(found) = row.value(*column)? else {
                    return Ok(false);
                };
                value::entries(&found)?.iter().any(|(other, found)| {
                    compare::compare(key_type, other, key).is_eq()
                        && compare::compare(value_type, found, value).is_eq()
                })
            }
            Self::Many(columns, comparison, values) => match compare_many(row, columns, values)? {
                Some(order) => is_met(*comparison, order),
                None => false,
            },
            Self::ManyIn(columns, tuples) => {
                let mut holds = false;
                for values in tuples {
                    holds |= compare_many(row, columns, values)?.is_some_and(Ordering::is_eq);
                }
                holds
            }
            // The least token means no bound where it is an upper one.
            Self::Token(
                Comparison::Less | Comparison::LessOrEqual | Comparison::Equal,
                i64::MIN,
            ) => true,
            Self::Token(comparison, value) => is_met(*comparison, row.token.cmp(value)),
        })
    }
}

/// Compares columns with values, one after the other; `None` if one is null.
fn compare_many(
    row: &RowView<'_>,
    columns: &[usize],
    values: &[Vec<u8>],
) -> Known<Option<Ordering>> {
    for (column, value) in columns.iter().zip(values) {
        let Some(found) = row.value(*column)? else {
            return Ok(None);
        };
        let order = compare::compare(&row.table.at(*column)?.data_type, &found, value);
        if order.is_ne() {
            return Ok(Some(order));
        }
    }
    Ok(Some(Ordering::Equal))
}

/// Whether a collection holds a value.
pub(super) fn contains(data_type: &DataType, found: Option<&[u8]>, value: &[u8]) -> Known<bool> {
    let Some(found) = found else {
        return Ok(false);
    };
    // Of a frozen collection Java's objects are compared, and a decimal has its scale.
    if !data_type.is_multi_cell() && has_decimals(data_type) {
        return unknown("CONTAINS of frozen decimals");
    }
    let same = |element: &DataType, part: &[u8]| compare::compare(element, part, value).is_eq();
    Ok(match data_type {
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            let parts = value::parts(found, 1)?;
            parts.iter().any(|part| same(element, part))
        }
        DataType::Map { value: element, .. } => {
            let entries = value::entries(found)?;
            entries.iter().any(|(_, part)| same(element, part))
        }
        _ => return invalid("Cannot use CONTAINS on a non-collection column"),
    })
}

fn has_decimals(data_type: &DataType) -> bool {
    *data_type == DataType::Decimal || data_type.inner().into_iter().any(has_decimals)
}

/// Whether a map has a key.
pub(super) fn contains_key(data_type: &DataType, found: Option<&[u8]>, key: &[u8]) -> Known<bool> {
    let DataType::Map { key: key_type, .. } = data_type else {
        return invalid("Cannot use CONTAINS KEY on a non-map column");
    };
    let Some(found) = found else {
        return Ok(false);
    };
    if !data_type.is_multi_cell() && has_decimals(key_type) {
        return unknown("CONTAINS KEY of frozen decimals");
    }
    let entries = value::entries(found)?;
    let mut keys = entries.iter().map(|(other, _)| other);
    Ok(keys.any(|other| compare::compare(key_type, other, key).is_eq()))
}
