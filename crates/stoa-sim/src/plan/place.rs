//! A WHERE: which partitions, and which rows of them.

use std::ops::Bound;
use std::sync::Arc;

use stoa_cql::ast::{Comparison, Relation, Term};
use stoa_session::Error;
use stoa_types::{compare, ordered, partition_key};

use super::compile::{Sources, Variables};
use super::table::{Kind, Table};
use super::term::{Source, Values, parts_of};
use super::{invalid, unsupported};
use crate::store::cell::Bytes;
use crate::store::partition::{Extent, PartitionId};

/// What a key column must be.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// This.
    One(Source),
    /// One of these.
    In(Sources),
}

/// Where the rows are that a statement is about.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// For each column of the partition key; empty for every partition.
    pub(crate) partition: Vec<Choice>,
    /// For the first clustering columns.
    pub(crate) clustering: Vec<Choice>,
    lower: Option<(Source, bool)>,
    upper: Option<(Source, bool)>,
}

impl Place {
    /// Reads the relations of a WHERE.
    pub(crate) fn compile(
        table: &Table,
        relations: &[Relation],
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        let mut partition = vec![None; table.partition_columns];
        let mut clustering = vec![None; table.clustering.len()];
        let mut place = Self::default();
        let mut sliced = None;
        for relation in relations {
            let [name] = relation.columns() else {
                return Err(unsupported("relations of several columns"));
            };
            let (_, column) = table.find(name)?;
            let (name, data_type) = (column.name.as_str(), &column.data_type);
            let choice = match relation {
                Relation::Column {
                    comparison: Comparison::Equal,
                    value,
                    ..
                } => Choice::One(variables.source(table, value, name, data_type)?),
                Relation::In { values, .. } => {
                    Choice::In(variables.sources(table, values, name, data_type)?)
                }
                Relation::Column {
                    comparison, value, ..
                } => {
                    let Kind::Clustering(index) = column.kind else {
                        return Err(unsupported(format!("such a relation of {name}")));
                    };
                    if sliced.is_some_and(|other| other != index) {
                        return Err(invalid("slices of two clustering columns"));
                    }
                    sliced = Some(index);
                    place.bound(
                        *comparison,
                        variables.source(table, value, name, data_type)?,
                    )?;
                    continue;
                }
                _ => return Err(unsupported(format!("such a relation of {name}"))),
            };
            let found = match column.kind {
                Kind::Partition(index) => {
                    if let Choice::One(source) = &choice {
                        variables.note_key(index, source);
                    }
                    partition.get_mut(index)
                }
                Kind::Clustering(index) => clustering.get_mut(index),
                Kind::Static | Kind::Regular => {
                    return Err(unsupported(format!(
                        "a WHERE about {name}, which is no key"
                    )));
                }
            };
            if let Some(found) = found
                && found.replace(choice).is_some()
            {
                return Err(invalid(format!("{name} is restricted twice")));
            }
        }
        place.put_together(partition, clustering, sliced)
    }

    fn bound(&mut self, comparison: Comparison, source: Source) -> Result<(), Error> {
        let (side, is_included) = match comparison {
            Comparison::Less => (&mut self.upper, false),
            Comparison::LessOrEqual => (&mut self.upper, true),
            Comparison::Greater => (&mut self.lower, false),
            Comparison::GreaterOrEqual => (&mut self.lower, true),
            Comparison::Equal | Comparison::NotEqual => {
                return Err(unsupported("!= in a WHERE"));
            }
        };
        match side.replace((source, is_included)) {
            None => Ok(()),
            Some(_) => Err(invalid("more than one bound on one side")),
        }
    }

    fn put_together(
        mut self,
        partition: Vec<Option<Choice>>,
        clustering: Vec<Option<Choice>>,
        sliced: Option<usize>,
    ) -> Result<Self, Error> {
        let given = partition.iter().flatten().count();
        if given == partition.len() {
            self.partition = partition.into_iter().flatten().collect();
        } else if given > 0 {
            return Err(unsupported("a part of the partition key in a WHERE"));
        }
        let given = clustering.iter().flatten().count();
        self.clustering = clustering.into_iter().map_while(|choice| choice).collect();
        if given != self.clustering.len() || sliced.is_some_and(|index| index != given) {
            return Err(unsupported(
                "clustering columns that are no prefix in a WHERE",
            ));
        }
        let is_restricted = given > 0 || sliced.is_some();
        if self.partition.is_empty() && is_restricted {
            return Err(unsupported("clustering columns without the partition key"));
        }
        Ok(self)
    }

    /// Adds what an INSERT gives for a key column.
    pub(crate) fn of_values(
        table: &Table,
        given: impl Fn(usize) -> Option<Source>,
    ) -> Result<Self, Error> {
        let mut place = Self::default();
        for position in 0..table.partition_columns {
            let source = given(position);
            let source = source.ok_or_else(|| invalid("a column of the key is missing"))?;
            place.partition.push(Choice::One(source));
        }
        for index in 0..table.clustering.len() {
            let Some(source) = given(table.partition_columns + index) else {
                continue;
            };
            if place.clustering.len() != index {
                return Err(invalid("a clustering column is missing"));
            }
            place.clustering.push(Choice::One(source));
        }
        Ok(place)
    }

    /// Whether every partition is meant.
    pub(crate) fn is_scan(&self) -> bool {
        self.partition.is_empty()
    }

    /// Whether nothing is said about rows.
    pub(crate) fn is_whole_partition(&self) -> bool {
        self.clustering.is_empty() && self.lower.is_none() && self.upper.is_none()
    }

    /// Whether at most one partition is meant.
    pub(crate) fn is_one_partition(&self) -> bool {
        let mut choices = self.partition.iter();
        !self.is_scan() && choices.all(|choice| matches!(choice, Choice::One(_)))
    }

    /// The partitions, each once, as values of the key rise.
    pub(crate) fn partitions(
        &self,
        table: &Table,
        values: &Values<'_>,
    ) -> Result<Vec<PartitionId>, Error> {
        let mut keys = Vec::new();
        for (choice, column) in self.partition.iter().zip(table.partition_key()) {
            let mut chosen = chosen(choice, values)?;
            chosen.sort_by(|left, right| compare::compare(&column.data_type, left, right));
            chosen.dedup();
            keys.push(chosen);
        }
        let mut ids = Vec::new();
        for key in product(&keys) {
            let joined = partition_key::join(&key).map_err(|it| invalid(it.to_string()))?;
            ids.push(PartitionId::new(&joined));
        }
        Ok(ids)
    }

    /// The rows.
    pub(crate) fn extent(&self, table: &Table, values: &Values<'_>) -> Result<Extent, Error> {
        if self.is_whole_partition() && !table.clustering.is_empty() {
            return Ok(Extent::All);
        }
        let mut parts = Vec::new();
        for choice in &self.clustering {
            parts.push(chosen(choice, values)?);
        }
        if self.clustering.len() == table.clustering.len() {
            return rows(table, &parts);
        }
        let mut prefix = Vec::new();
        for part in &parts {
            let [one] = part.as_slice() else {
                return Err(unsupported("IN on a clustering column that others follow"));
            };
            prefix.push(Some(*one));
        }
        let bound = |side: &'_ Option<(Source, bool)>| match side {
            None => Ok::<_, Error>(None),
            Some((source, is_included)) => Ok(Some((source.key(values)?.to_vec(), *is_included))),
        };
        let (lower, upper) = (bound(&self.lower)?, bound(&self.upper)?);
        let range = ordered::slice(
            &table.clustering,
            &prefix,
            as_bound(lower.as_ref()),
            as_bound(upper.as_ref()),
        );
        let range = range.map_err(|problem| invalid(problem.to_string()))?;
        Ok(Extent::Range(range.start, range.end))
    }
}

fn as_bound(side: Option<&(Vec<u8>, bool)>) -> Bound<&[u8]> {
    match side {
        None => Bound::Unbounded,
        Some((value, true)) => Bound::Included(value),
        Some((value, false)) => Bound::Excluded(value),
    }
}

fn rows(table: &Table, parts: &[Vec<&[u8]>]) -> Result<Extent, Error> {
    let mut keys: Vec<Bytes> = Vec::new();
    for clustering in product(parts) {
        let clustering: Vec<Option<&[u8]>> = clustering.into_iter().map(Some).collect();
        let key = ordered::encode_clustering(&table.clustering, &clustering);
        keys.push(Arc::from(key.map_err(|it| invalid(it.to_string()))?));
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(Extent::Rows(keys))
}

fn chosen<'v>(choice: &'v Choice, values: &'v Values<'v>) -> Result<Vec<&'v [u8]>, Error> {
    match choice {
        Choice::One(source) => Ok(vec![source.key(values)?]),
        Choice::In(Sources::Listed(sources)) => {
            sources.iter().map(|source| source.key(values)).collect()
        }
        Choice::In(Sources::List(source)) => parts_of(source.key(values)?, 1),
    }
}

/// Every way to take one of each.
fn product<'v>(parts: &[Vec<&'v [u8]>]) -> Vec<Vec<&'v [u8]>> {
    let mut all = vec![Vec::new()];
    for part in parts {
        all = all
            .iter()
            .flat_map(|start| {
                part.iter().map(move |next| {
                    let mut longer = start.clone();
                    longer.push(*next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// An integer or a variable of a clause such as LIMIT.
pub(crate) fn number(
    table: &Table,
    term: Option<&Term>,
    name: &str,
    data_type: &stoa_types::DataType,
    variables: &mut Variables,
) -> Result<Option<Source>, Error> {
    term.map(|term| variables.source(table, term, name, data_type))
        .transpose()
}
