//! What a WHERE means for a SELECT: which partitions, whether it must filter, whether it may.

use stoa_cql::ast::Comparison;
use stoa_types::compare;

use super::failure::{Known, invalid, unknown};
use super::restriction::{Restriction, joined, token};
use super::world::{Kind, Table};

/// The values of a partition key.
pub(super) type Key = Vec<Vec<u8>>;

/// What a WHERE means.
#[derive(Debug)]
pub(super) struct Plan {
    /// All that must hold.
    pub(super) restrictions: Vec<Restriction>,
    /// The partitions in the order they are answered, if they are named.
    pub(super) keys: Option<Vec<Key>>,
    /// Whether the partition key is restricted by an IN.
    pub(super) has_key_in: bool,
    /// Whether anything is said about the partition key or its token.
    pub(super) restricts_partition: bool,
    /// Whether a clustering column is restricted.
    pub(super) restricts_clustering: bool,
    /// Whether a regular column is restricted.
    pub(super) restricts_regular: bool,
    /// How many restrictions are not about the key.
    others: usize,
    /// Whether restrictions of the key are more than one run of rows of named partitions.
    needs_filtering_of_key: bool,
}

impl Plan {
    /// Says what restrictions mean.
    pub(super) fn new(table: &Table, restrictions: Vec<Restriction>) -> Known<Self> {
        check_pairs(&restrictions)?;
        let touches = |is_kind: fn(Kind) -> bool| {
            restrictions.iter().any(|restriction| {
                let mut columns = restriction.columns().iter();
                columns.any(|it| table.at(*it).is_ok_and(|column| is_kind(column.kind)))
            })
        };
        let has_key = touches(|kind| matches!(kind, Kind::Partition(_)));
        let restricts_clustering = touches(|kind| matches!(kind, Kind::Clustering(_)));
        let restricts_regular = touches(|kind| kind == Kind::Regular);
        let is_token = |it: &Restriction| matches!(it, Restriction::Token(..));
        let has_token = restrictions.iter().any(is_token);
        if has_key && has_token {
            return unknown("tokens beside keys");
        }
        // An empty key is not refused where the clusterings exclude each other.
        let (keys, has_key_in) = match keys(table, &restrictions) {
            Err(failure) if restricts_clustering && !failure.is_unknown() => {
                return unknown("a refused key beside clusterings");
            }
            keys => keys?,
        };
        let is_other = |it: &&Restriction| {
            let mut columns = it.columns().iter();
            columns.any(|it| table.at(*it).is_ok_and(|column| !column.is_key()))
        };
        let others = restrictions.iter().filter(is_other).count();
        let needs_filtering_of_key = (has_key && keys.is_none())
            || (restricts_clustering && (keys.is_none() || is_scattered(table, &restrictions)));
        Ok(Self {
            keys,
            has_key_in,
            restricts_partition: has_key || has_token,
            restricts_clustering,
            restricts_regular,
            others,
            needs_filtering_of_key,
            restrictions,
        })
    }

    /// Fails where ALLOW FILTERING is missing, and where an index is used as it may not be.
    pub(super) fn check_filtering(
        &self,
        table: &Table,
        is_allowed: bool,
        is_ordered: bool,
    ) -> Known<()> {
        let index = |position: &usize| {
            let name = table.at(*position).map_or("", |it| it.name.as_str());
            table.indexes.values().filter(move |it| it.column == name)
        };
        let mut touched = self.restrictions.iter().flat_map(Restriction::columns);
        if touched.any(|it| index(it).any(|it| !it.is_plain)) {
            return unknown("reads of columns with such an index");
        }
        let is_served = |it: &&Restriction| match it {
            Restriction::One(position, Comparison::Equal, _) => index(position).next().is_some(),
            _ => false,
        };
        let is_by_index = self.restrictions.iter().any(|it| is_served(&it));
        if is_by_index && (self.has_key_in || is_ordered) {
            return invalid("an index goes neither with an IN nor with an ORDER BY");
        }
        let needs_filtering = match is_by_index {
            true => self.others > 1 || self.needs_filtering_of_key,
            false => self.others > 0 || self.needs_filtering_of_key,
        };
        match needs_filtering && !is_allowed {
            true => invalid("Cannot execute this query as it might involve data filtering"),
            false => Ok(()),
        }
    }

    /// The one restriction that says exactly what a column is.
    pub(super) fn is_equality_on(&self, position: usize) -> bool {
        let mut all = self.restrictions.iter();
        all.any(|it| it.is_equality() && it.columns().contains(&position))
    }
}

/// Which restrictions of the same columns exclude each other.
pub(super) fn check_pairs(restrictions: &[Restriction]) -> Known<()> {
    for (index, left) in restrictions.iter().enumerate() {
        for right in restrictions.iter().skip(index + 1) {
            let shares = left.columns().iter().any(|it| right.columns().contains(it));
            let are_tokens = matches!(
                (left, right),
                (Restriction::Token(..), Restriction::Token(..))
            );
            if (shares || are_tokens) && !may_stand_together(left, right) {
                return invalid("a column is restricted by relations that exclude each other");
            }
        }
    }
    Ok(())
}

fn may_stand_together(left: &Restriction, right: &Restriction) -> bool {
    let is_inside = |it: &Restriction| {
        matches!(
            it,
            Restriction::Contains(..) | Restriction::ContainsKey(..) | Restriction::Element(..)
        )
    };
    let direction = |it: &Restriction| {
        let comparison = match it {
            Restriction::Token(comparison, _) => Some(*comparison),
            other => other.bound(),
        };
        match comparison {
            Some(Comparison::Less | Comparison::LessOrEqual) => Some(false),
            Some(Comparison::Greater | Comparison::GreaterOrEqual) => Some(true),
            _ => None,
        }
    };
    if is_inside(left) && is_inside(right) {
        return true;
    }
    match (direction(left), direction(right)) {
        (Some(left_up), Some(right_up)) => {
            left_up != right_up && left.columns().first() == right.columns().first()
        }
        _ => false,
    }
}

/// The partitions that are named, in the order of their key's types; and whether by an IN.
pub(super) fn keys(table: &Table, restrictions: &[Restriction]) -> Known<(Option<Vec<Key>>, bool)> {
    let mut all: Vec<Key> = vec![Vec::new()];
    let is_in = |(position, _)| matches!(find(restrictions, position), Some(Restriction::In(..)));
    let has_in = table.partition_key().iter().enumerate().any(is_in);
    for (position, column) in table.partition_key().iter().enumerate() {
        let mut values = match find(restrictions, position) {
            Some(Restriction::One(_, Comparison::Equal, value)) => vec![value.clone()],
            Some(Restriction::In(_, values)) => values.clone(),
            _ => return Ok((None, has_in)),
        };
        values.sort_by(|left, right| compare::compare(&column.data_type, left, right));
        values.dedup_by(|later, kept| compare::compare(&column.data_type, later, kept).is_eq());
        let longer = |key: &Key| {
            let key = key.clone();
            let with = move |value: &Vec<u8>| {
                let mut key = key.clone();
                key.push(value.clone());
                key
            };
            values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    for key in &all {
        joined(key)?;
    }
    Ok((Some(all), has_in))
}

/// The restriction of a column, if there is one.
pub(super) fn find(restrictions: &[Restriction], position: usize) -> Option<&Restriction> {
    restrictions
        .iter()
        .find(|it| it.columns().contains(&position))
}

/// Whether restrictions of clustering columns are more than a run of rows, or several.
fn is_scattered(table: &Table, restrictions: &[Restriction]) -> bool {
    let first = table.partition_columns;
    let last = first + table.clustering.len();
    let mut is_closed = false;
    let mut slice: Option<&Restriction> = None;
    for position in first..last {
        let found: Vec<&Restriction> = restrictions
            .iter()
            .filter(|it| it.columns().contains(&position))
            .collect();
        if found.is_empty() {
            is_closed = true;
            continue;
        }
        let goes_on = slice.is_some_and(|slice| slice.columns().contains(&position));
        if is_closed || (slice.is_some() && !goes_on) {
            return true;
        }
        for restriction in found {
            if restriction.bound().is_some() {
                let longer =
                    slice.is_none_or(|old| old.columns().len() < restriction.columns().len());
                slice = if longer { Some(restriction) } else { slice };
            } else if !restriction.is_exact() {
                return true;
            }
        }
    }
    false
}

/// Where partitions are kept.
pub(super) fn place(key: &Key) -> Known<(i64, Vec<u8>)> {
    Ok((token(key)?, joined(key)?))
}
