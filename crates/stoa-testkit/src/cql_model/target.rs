//! Which rows a write is about: the WHERE of an UPDATE or DELETE.

use stoa_cql::ast::Comparison;
use stoa_types::ClusteringOrder;

use super::failure::{Known, invalid, unknown};
use super::partition::{Bound, Clustering, Range, compare_prefix};
use super::plan::{self, Key};
use super::restriction::Restriction;
use super::world::{Kind, Table};

/// Which rows a write is about.
#[derive(Debug)]
pub(super) struct Rows {
    /// The partitions.
    pub(super) keys: Vec<Key>,
    /// Whether an IN named them.
    pub(super) has_key_in: bool,
    /// The first clustering columns; one empty if none are named.
    pub(super) prefixes: Vec<Clustering>,
    /// Whether an IN named them.
    pub(super) has_clustering_in: bool,
    /// Whether every clustering column has its value.
    pub(super) is_whole: bool,
    /// Whether any clustering column is restricted.
    pub(super) names_clustering: bool,
    /// The bounds of the next columns.
    pub(super) lower: Option<(Clustering, bool)>,
    /// The bounds of the next columns.
    pub(super) upper: Option<(Clustering, bool)>,
    /// In which direction these columns sort.
    pub(super) is_descending: bool,
}

impl Rows {
    /// What restrictions of the key say.
    pub(super) fn new(table: &Table, restrictions: &[Restriction]) -> Known<Self> {
        plan::check_pairs(restrictions)?;
        for restriction in restrictions {
            check(table, restriction)?;
        }
        let (keys, has_key_in) = plan::keys(table, restrictions)?;
        let Some(keys) = keys else {
            return invalid("Some partition key parts are missing");
        };
        let first = table.partition_columns;
        let last = first + table.clustering.len();
        let mut rows = Self {
            keys,
            has_key_in,
            prefixes: vec![Vec::new()],
            has_clustering_in: false,
            is_whole: false,
            names_clustering: false,
            lower: None,
            upper: None,
            is_descending: false,
        };
        let mut position = first;
        while position < last {
            let Some(restriction) = plan::find(restrictions, position) else {
                break;
            };
            rows.names_clustering = true;
            if restriction.columns().first() != Some(&position) {
                return invalid("overlapping restrictions");
            }
            if restriction.bound().is_some() {
                rows.slice(table, restrictions, position)?;
                position = rows.after_slice(restrictions, position);
                break;
            }
            rows.extend(table, restriction)?;
            position += restriction.columns().len();
        }
        rows.is_whole = position == last && rows.lower.is_none() && rows.upper.is_none();
        let is_left = |it: &Restriction| it.columns().iter().any(|it| *it >= position);
        match restrictions.iter().any(is_left) {
            true => invalid("a clustering column is restricted behind one that is not"),
            false => Ok(rows),
        }
    }

    /// Goes on with the values of the next columns.
    fn extend(&mut self, table: &Table, restriction: &Restriction) -> Known<()> {
        let tails: Vec<Clustering> = match restriction {
            Restriction::One(_, Comparison::Equal, value) => vec![vec![value.clone()]],
            Restriction::Many(_, Comparison::Equal, values) => vec![values.clone()],
            Restriction::In(_, values) => {
                self.has_clustering_in = true;
                values.iter().map(|value| vec![value.clone()]).collect()
            }
            Restriction::ManyIn(_, tuples) => {
                self.has_clustering_in = true;
                tuples.clone()
            }
            _ => return unknown("such restrictions of a write"),
        };
        let longer = |prefix: &Clustering| {
            let prefix = prefix.clone();
            let with = move |tail: &Clustering| [prefix.clone(), tail.clone()].concat();
            tails.iter().map(with).collect::<Vec<_>>()
        };
        self.prefixes = self.prefixes.iter().flat_map(longer).collect();
        let columns = &table.clustering;
        self.prefixes
            .sort_by(|left, right| compare_prefix(columns, left, right));
        self.prefixes
            .dedup_by(|later, kept| compare_prefix(columns, later, kept).is_eq());
        Ok(())
    }

    fn slice(&mut self, table: &Table, restrictions: &[Restriction], position: usize) -> Known<()> {
        let all = restrictions
            .iter()
            .filter(|it| it.columns().contains(&position));
        let mut longest = 1;
        for restriction in all {
            let values = match restriction {
                Restriction::One(_, _, value) => vec![value.clone()],
                Restriction::Many(_, _, values) => values.clone(),
                _ => return invalid("a slice beside something else"),
            };
            longest = longest.max(values.len());
            match restriction.bound() {
                Some(Comparison::Less) => self.upper = Some((values, false)),
                Some(Comparison::LessOrEqual) => self.upper = Some((values, true)),
                Some(Comparison::Greater) => self.lower = Some((values, false)),
                Some(Comparison::GreaterOrEqual) => self.lower = Some((values, true)),
                _ => return invalid("a slice beside something else"),
            }
        }
        let from = position - table.partition_columns;
        let keys = table.clustering.iter().skip(from).take(longest);
        let mut orders: Vec<ClusteringOrder> = keys.map(|key| key.order).collect();
        orders.dedup();
        match orders.as_slice() {
            [order] => self.is_descending = *order == ClusteringOrder::Descending,
            _ => return unknown("slices of columns that sort in both directions"),
        }
        Ok(())
    }

    fn after_slice(&self, restrictions: &[Restriction], position: usize) -> usize {
        let slices = restrictions
            .iter()
            .filter(|it| it.columns().first() == Some(&position));
        let lengths = slices.map(|it| it.columns().len());
        position + lengths.max().unwrap_or(1)
    }

    /// The ranges of rows in a partition.
    pub(super) fn ranges(&self, at: i64) -> Vec<Range> {
        let bound = |prefix: &Clustering, end: Option<&(Clustering, bool)>| match end {
            Some((values, is_inside)) => Some(Bound {
                prefix: [prefix.clone(), values.clone()].concat(),
                is_inside: *is_inside,
            }),
            None if prefix.is_empty() => None,
            None => Some(Bound {
                prefix: prefix.clone(),
                is_inside: true,
            }),
        };
        let (from, to) = match self.is_descending {
            true => (self.upper.as_ref(), self.lower.as_ref()),
            false => (self.lower.as_ref(), self.upper.as_ref()),
        };
        let range = |prefix: &Clustering| Range {
            from: bound(prefix, from),
            to: bound(prefix, to),
            at,
        };
        self.prefixes.iter().map(range).collect()
    }
}

/// A write is about keys only, by values and slices.
fn check(table: &Table, restriction: &Restriction) -> Known<()> {
    if matches!(
        restriction,
        Restriction::Token(..)
            | Restriction::Contains(..)
            | Restriction::ContainsKey(..)
            | Restriction::Element(..)
    ) {
        return invalid("such relations are for reads");
    }
    if matches!(restriction, Restriction::Null(..)) {
        return unknown("null as a bound of a write");
    }
    for position in restriction.columns() {
        let is_partition = match table.at(*position)?.kind {
            Kind::Static | Kind::Regular => {
                return invalid("Non PRIMARY KEY columns found in where clause");
            }
            Kind::Partition(_) => true,
            Kind::Clustering(_) => false,
        };
        if is_partition && !restriction.is_exact() {
            return invalid("Only EQ and IN relation are supported on the partition key");
        }
    }
    Ok(())
}
