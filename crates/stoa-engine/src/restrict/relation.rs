//! From a relation of the tree to a restriction on columns of a table.

use stoa_cql::ast::{self, Comparison, InValues, Name, Relation};
use stoa_types::DataType;

use super::{Bound, ElementTest, InTerms, Restriction, Test, TokenTest, TupleTerm};
use crate::catalog::{Column, ColumnKind, Table};
use crate::refusal::Refusal;
use crate::terms::{self, Context, Receiver, Term, Variables};

/// What a relation turned out to be about.
#[derive(Debug, Clone)]
pub(crate) enum Resolved {
    Columns(Restriction),
    Token(TokenTest),
}

/// Resolves relations of one statement.
pub(crate) struct Resolving<'a, 's> {
    pub(crate) table: &'a Table,
    pub(crate) context: &'a Context<'s>,
    pub(crate) variables: &'a mut Variables,
}

impl Resolving<'_, '_> {
    /// Resolves one relation.
    pub(crate) fn relation(&mut self, relation: &Relation) -> Result<Resolved, Refusal> {
        match relation {
            Relation::Column {
                column,
                comparison,
                value,
            } => self.compare(column, *comparison, value, relation),
            Relation::In { column, values } => self.is_in(column, values, relation),
            Relation::Contains { column, value } => self.contains(column, value),
            Relation::ContainsKey { column, key } => self.contains_key(column, key),
            Relation::Like { column, pattern } => {
                let (at, found) = self.find(column)?;
                let receiver = receiver_of(found);
                self.term(pattern, &receiver)?;
                Ok(single(at, Test::Like))
            }
            Relation::IsNotNull(column) => {
                let (at, _) = self.find(column)?;
                Ok(single(at, Test::NotNull))
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
            } => self.token(columns, *comparison, value, relation),
            Relation::Columns {
                columns,
                comparison,
                value,
            } => self.compare_columns(columns, *comparison, value, relation),
            Relation::ColumnsIn { columns, values } => self.columns_in(columns, values, relation),
            Relation::IndexExpression { index, .. } => Err(Refusal::invalid(format!(
                "Invalid index expression, index {} not found",
                index.as_str()
            ))),
        }
    }

    fn find(&self, name: &Name) -> Result<(usize, &'_ Column), Refusal> {
        find_column(self.table, name)
    }

    fn term(&mut self, term: &ast::Term, receiver: &Receiver) -> Result<Term, Refusal> {
        terms::prepare(term, receiver, self.context, self.variables)
    }

    fn compare(
        &mut self,
        name: &Name,
        comparison: Comparison,
        value: &ast::Term,
        relation: &Relation,
    ) -> Result<Resolved, Refusal> {
        let (at, column) = self.find(name)?;
        check_whole(column, relation)?;
        if comparison == Comparison::NotEqual {
            return Err(unsupported("!=", relation));
        }
        if comparison != Comparison::Equal {
            check_slice(&column.data_type)?;
        }
        let (receiver, kind, position) = (receiver_of(column), column.kind, column.position);
        if let (ColumnKind::PartitionKey, ast::Term::Marker(marker), Comparison::Equal) =
            (kind, value, comparison)
        {
            self.variables.note_partition_key(position, marker.index);
        }
        let value = TupleTerm::Each(vec![self.term(value, &receiver)?]);
        Ok(single(at, compared(comparison, value)))
    }

    fn is_in(
        &mut self,
        name: &Name,
        values: &InValues,
        relation: &Relation,
    ) -> Result<Resolved, Refusal> {
        let (at, column) = self.find(name)?;
        check_whole(column, relation)?;
        let receiver = receiver_of(column);
        let test = match values {
            InValues::List(list) => {
                let list = list
                    .iter()
                    .map(|it| Ok(TupleTerm::Each(vec![self.term(it, &receiver)?])))
                    .collect::<Result<Vec<_>, Refusal>>()?;
                one_or_in(list)
            }
            InValues::Marker(marker) => {
                let list = Receiver::new(
                    format!("in({})", receiver.name),
                    DataType::list(receiver.data_type).frozen(),
                );
                let list = self.term(&ast::Term::Marker(marker.clone()), &list)?;
                Test::In(InTerms::Variable { list, columns: 0 })
            }
        };
        Ok(single(at, test))
    }

    fn contains(&mut self, name: &Name, value: &ast::Term) -> Result<Resolved, Refusal> {
        let (at, column) = self.find(name)?;
        let element = match &column.data_type {
            _ if column.is_descending() => None,
            DataType::List { element, .. } | DataType::Set { element, .. } => Some(element),
            DataType::Map { value, .. } => Some(value),
            _ => None,
        };
        let Some(element) = element else {
            return Err(Refusal::invalid(format!(
                "Cannot use CONTAINS on non-collection column {}",
                column.name
            )));
        };
        let receiver = Receiver::new(format!("value({})", column.name), (**element).clone());
        let value = self.term(value, &receiver)?;
        Ok(single(
            at,
            Test::Elements(vec![ElementTest::Contains(value)]),
        ))
    }

    fn contains_key(&mut self, name: &Name, key: &ast::Term) -> Result<Resolved, Refusal> {
        let (at, column) = self.find(name)?;
        let wanted = match &column.data_type {
            DataType::Map { key, .. } if !column.is_descending() => key,
            _ => {
                return Err(Refusal::invalid(format!(
                    "Cannot use CONTAINS KEY on non-map column {}",
                    column.name
                )));
            }
        };
        let receiver = Receiver::new(format!("key({})", column.name), (**wanted).clone());
        let key = self.term(key, &receiver)?;
        Ok(single(
            at,
            Test::Elements(vec![ElementTest::ContainsKey(key)]),
        ))
    }

    fn element(
        &mut self,
        name: &Name,
        key: &ast::Term,
        comparison: Comparison,
        value: &ast::Term,
    ) -> Result<Resolved, Refusal> {
        let (at, column) = self.find(name)?;
        let (keys, values) = match &column.data_type {
            DataType::List { .. } => {
                return Err(Refusal::invalid(format!(
                    "Indexes on list entries ({}[index] = value) are not currently supported.",
                    column.name
                )));
            }
            DataType::Map { key, value, .. } => (key, value),
            _ => {
                return Err(Refusal::invalid(format!(
                    "Column {} cannot be used as a map",
                    column.name
                )));
            }
        };
        if !column.data_type.is_multi_cell() {
            return Err(Refusal::invalid(format!(
                "Map-entry equality predicates on frozen map column {} are not supported",
                column.name
            )));
        }
        if comparison != Comparison::Equal {
            return Err(Refusal::invalid(
                "Only EQ relations are supported on map entries",
            ));
        }
        let keys = Receiver::new(format!("key({})", column.name), (**keys).clone());
        let values = Receiver::new(format!("value({})", column.name), (**values).clone());
        let key = self.term(key, &keys)?;
        let value = self.term(value, &values)?;
        Ok(single(
            at,
            Test::Elements(vec![ElementTest::Entry(key, value)]),
        ))
    }

    fn token(
        &mut self,
        names: &[Name],
        comparison: Comparison,
        value: &ast::Term,
        relation: &Relation,
    ) -> Result<Resolved, Refusal> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            columns.push(self.find(name)?.0);
        }
        if comparison == Comparison::NotEqual {
            return Err(unsupported("!=", relation));
        }
        let whole: Vec<usize> = (0..self.table.partition_key().len()).collect();
        if columns.iter().any(|it| !whole.contains(it)) || columns.len() != whole.len() {
            return Err(Refusal::invalid(
                "The token() function must be applied to all partition key components or none of them",
            ));
        }
        if columns != whole {
            return Err(Refusal::invalid(
                "The token function arguments must be in the partition key order",
            ));
        }
        let receiver = Receiver::new("partition key token", DataType::BigInt);
        let value = self.term(value, &receiver)?;
        Ok(Resolved::Token(TokenTest { comparison, value }))
    }

    fn compare_columns(
        &mut self,
        names: &[Name],
        comparison: Comparison,
        value: &ast::Term,
        relation: &Relation,
    ) -> Result<Resolved, Refusal> {
        let (columns, receivers) = self.clustering_columns(names, relation)?;
        if comparison == Comparison::NotEqual {
            return Err(unsupported("!=", relation));
        }
        if comparison != Comparison::Equal {
            for receiver in &receivers {
                check_slice(&receiver.data_type)?;
            }
        }
        let value = self.tuple(value, &receivers)?;
        Ok(Resolved::Columns(Restriction {
            columns,
            is_multi: true,
            test: compared(comparison, value),
        }))
    }

    fn columns_in(
        &mut self,
        names: &[Name],
        values: &InValues,
        relation: &Relation,
    ) -> Result<Resolved, Refusal> {
        let (columns, receivers) = self.clustering_columns(names, relation)?;
        let test = match values {
            InValues::List(list) => {
                let list = list
                    .iter()
                    .map(|it| self.tuple(it, &receivers))
                    .collect::<Result<Vec<_>, Refusal>>()?;
                one_or_in(list)
            }
            InValues::Marker(marker) => {
                let tuple = tuple_receiver(&receivers);
                let list = Receiver::new(
                    format!("in({})", tuple.name),
                    DataType::list(tuple.data_type).frozen(),
                );
                let list = self.term(&ast::Term::Marker(marker.clone()), &list)?;
                Test::In(InTerms::Variable {
                    list,
                    columns: receivers.len(),
                })
            }
        };
        Ok(Resolved::Columns(Restriction {
            columns,
            is_multi: true,
            test,
        }))
    }

    fn tuple(&mut self, value: &ast::Term, receivers: &[Receiver]) -> Result<TupleTerm, Refusal> {
        let ast::Term::Tuple(parts) = value else {
            let whole = tuple_receiver(receivers);
            let term = self.term(value, &whole)?;
            return Ok(TupleTerm::Whole(term, receivers.len()));
        };
        if parts.len() != receivers.len() {
            return Err(Refusal::invalid(format!(
                "Expected {} elements in value tuple, but got {}: {value}",
                receivers.len(),
                parts.len()
            )));
        }
        let mut prepared = Vec::with_capacity(parts.len());
        for (part, receiver) in parts.iter().zip(receivers) {
            if matches!(part, ast::Term::Null) {
                return Err(Refusal::invalid(format!(
                    "Invalid null value in condition for column {}",
                    receiver.name
                )));
            }
            prepared.push(self.term(part, receiver)?);
        }
        Ok(TupleTerm::Each(prepared))
    }

    /// Neighbouring clustering columns, in order.
    fn clustering_columns(
        &self,
        names: &[Name],
        relation: &Relation,
    ) -> Result<(Vec<usize>, Vec<Receiver>), Refusal> {
        let mut columns: Vec<usize> = Vec::with_capacity(names.len());
        let mut receivers = Vec::with_capacity(names.len());
        for name in names {
            let (at, column) = self.find(name)?;
            if column.kind != ColumnKind::Clustering {
                return Err(Refusal::invalid(format!(
                    "Multi-column relations can only be applied to clustering columns but was applied to: {}",
                    column.name
                )));
            }
            if columns.contains(&at) {
                return Err(Refusal::invalid(format!(
                    "Column \"{}\" appeared twice in a relation: {relation}",
                    column.name
                )));
            }
            if columns.last().is_some_and(|last| at != last + 1) {
                return Err(Refusal::invalid(format!(
                    "Clustering columns must appear in the PRIMARY KEY order in multi-column relations: {relation}"
                )));
            }
            columns.push(at);
            receivers.push(receiver_of(column));
        }
        Ok((columns, receivers))
    }
}

/// The column with a name, and its place.
pub(crate) fn find_column<'t>(
    table: &'t Table,
    name: &Name,
) -> Result<(usize, &'t Column), Refusal> {
    let found = table.index_of(name.as_str());
    let found = found.and_then(|at| Some((at, table.columns.get(at)?)));
    found.ok_or_else(|| {
        Refusal::invalid(format!(
            "Undefined column name {} in table {}.{}",
            name.as_str(),
            table.keyspace,
            table.name
        ))
    })
}

/// The column as the receiver of a term.
pub(crate) fn receiver_of(column: &Column) -> Receiver {
    Receiver::new(&*column.name, column.data_type.clone())
}

fn tuple_receiver(receivers: &[Receiver]) -> Receiver {
    let names: Vec<&str> = receivers.iter().map(|it| it.name.as_str()).collect();
    let types = receivers.iter().map(|it| it.data_type.clone()).collect();
    Receiver::new(format!("({})", names.join(",")), DataType::tuple(types))
}

fn single(column: usize, test: Test) -> Resolved {
    Resolved::Columns(Restriction {
        columns: vec![column],
        is_multi: false,
        test,
    })
}

fn compared(comparison: Comparison, value: TupleTerm) -> Test {
    let bound = |is_inclusive| {
        Some(Bound {
            value: value.clone(),
            is_inclusive,
        })
    };
    match comparison {
        Comparison::Less => Test::Slice(None, bound(false)),
        Comparison::LessOrEqual => Test::Slice(None, bound(true)),
        Comparison::Greater => Test::Slice(bound(false), None),
        Comparison::GreaterOrEqual => Test::Slice(bound(true), None),
        Comparison::Equal | Comparison::NotEqual => Test::Equal(value),
    }
}

/// One of one value is that value.
fn one_or_in(mut list: Vec<TupleTerm>) -> Test {
    match (list.len(), list.pop()) {
        (1, Some(only)) => Test::Equal(only),
        (_, last) => {
            list.extend(last);
            Test::In(InTerms::List(list))
        }
    }
}

fn unsupported(operator: &str, relation: &Relation) -> Refusal {
    Refusal::invalid(format!("Unsupported \"{operator}\" relation: {relation}"))
}

/// A column of many cells cannot be compared whole.
fn check_whole(column: &Column, relation: &Relation) -> Result<(), Refusal> {
    if !column.data_type.is_multi_cell() {
        return Ok(());
    }
    let kind = match column.data_type.is_collection() {
        true => "Collection",
        false => "Non-frozen UDT",
    };
    Err(Refusal::invalid(format!(
        "{kind} column '{}' ({}) cannot be restricted by a '{relation}' relation",
        column.name, column.data_type
    )))
}

/// Durations have no order.
fn check_slice(data_type: &DataType) -> Result<(), Refusal> {
    if !data_type.contains_duration() {
        return Ok(());
    }
    let what = match data_type {
        DataType::Duration => "duration columns".to_owned(),
        other if other.is_collection() => "collections containing durations".to_owned(),
        DataType::Tuple(_) => "tuples containing durations".to_owned(),
        _ => "UDTs containing durations".to_owned(),
    };
    Err(Refusal::invalid(format!(
        "Slice restrictions are not supported on {what}"
    )))
}
