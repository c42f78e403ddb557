//! Which clusterings restrictions allow, as slices of positions in the order of the table.

use std::borrow::Cow;
use std::ops::Bound as Edge;

use stoa_store::partition::Slice;
use stoa_types::{ClusteringOrder, KeyColumn, ordered};

use super::keys::{Tuple, null_value};
use super::{Bound, Restriction, Test};
use crate::catalog::{Column, Table};
use crate::refusal::{Refusal, RefusalKind};
use crate::terms::Values;

/// Which rows of a partition to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selected {
    /// All of them.
    All,
    /// Those with these clusterings, in order.
    Rows(Vec<Vec<u8>>),
    /// Those in these slices, in order and apart from each other.
    Slices(Vec<Slice>),
}

/// The values of each clustering that restrictions name, as they were given.
pub(crate) fn named(
    restrictions: &[Restriction],
    table: &Table,
    values: &Values<'_>,
) -> Result<Vec<Vec<Option<Vec<u8>>>>, Refusal> {
    let mut named: Vec<Vec<Option<Vec<u8>>>> = vec![Vec::new()];
    for restriction in restrictions {
        let Some(points) = restriction.points(table, values)? else {
            return Ok(Vec::new());
        };
        named = named
            .iter()
            .flat_map(|prefix| {
                points.iter().map(move |point| {
                    let mut longer = prefix.clone();
                    longer.extend(point.iter().map(|it| it.as_deref().map(<[u8]>::to_vec)));
                    longer
                })
            })
            .collect();
    }
    Ok(named)
}

/// The rows that a list of restrictions allows: on the first clustering columns, without gaps; a
/// slice only at the end.
pub(crate) fn select(
    restrictions: &[Restriction],
    table: &Table,
    values: &Values<'_>,
) -> Result<Selected, Refusal> {
    if restrictions.is_empty() {
        return Ok(Selected::All);
    }
    let key = table.clustering_key();
    if restrictions.len() == key.len() && restrictions.iter().all(Restriction::is_one_value) {
        let mut row = Vec::with_capacity(key.len());
        for restriction in restrictions {
            row.push(restriction.one_value(table, values)?);
        }
        return Ok(Selected::Rows(vec![encoded(key, &row)?]));
    }
    let mut prefixes: Vec<Tuple<'_>> = vec![Vec::new()];
    for restriction in restrictions {
        let Some(points) = restriction.points(table, values)? else {
            return sliced(restriction, &prefixes, table, values);
        };
        prefixes = prefixes
            .iter()
            .flat_map(|prefix| {
                points.iter().map(move |point| {
                    let mut longer = prefix.clone();
                    longer.extend(point.iter().cloned());
                    longer
                })
            })
            .collect();
    }
    if prefixes.first().is_some_and(|it| it.len() == key.len()) {
        let mut rows = prefixes
            .iter()
            .map(|it| encoded(key, it))
            .collect::<Result<Vec<_>, _>>()?;
        rows.sort();
        rows.dedup();
        return Ok(Selected::Rows(rows));
    }
    let mut slices = Vec::new();
    for prefix in &prefixes {
        slices.push(range(key, prefix, Edge::Unbounded, Edge::Unbounded)?);
    }
    Ok(in_order(slices))
}

fn in_order(mut slices: Vec<Slice>) -> Selected {
    slices.retain(|slice| slice.start < slice.end);
    slices.sort_by(|left, right| left.start.cmp(&right.start));
    Selected::Slices(slices)
}

/// The key bytes of a whole clustering.
pub(crate) fn encoded(key: &[KeyColumn], values: &Tuple<'_>) -> Result<Vec<u8>, Refusal> {
    let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
    ordered::encode_clustering(key, &values)
        .map_err(|problem| Refusal::invalid(problem.to_string()))
}

fn range(
    key: &[KeyColumn],
    prefix: &Tuple<'_>,
    lower: Edge<&[u8]>,
    upper: Edge<&[u8]>,
) -> Result<Slice, Refusal> {
    let prefix: Vec<Option<&[u8]>> = prefix.iter().map(Option::as_deref).collect();
    let range = ordered::slice(key, &prefix, lower, upper)
        .map_err(|problem| Refusal::invalid(problem.to_string()))?;
    Ok(Slice {
        start: range.start,
        end: range.end,
    })
}

fn sliced(
    restriction: &Restriction,
    prefixes: &[Tuple<'_>],
    table: &Table,
    values: &Values<'_>,
) -> Result<Selected, Refusal> {
    let Test::Slice(lower, upper) = &restriction.test else {
        return Ok(Selected::All);
    };
    let columns = restriction.columns_of(table);
    let key = table.clustering_key();
    let lower = edge(restriction, lower.as_ref(), &columns, values)?;
    let upper = edge(restriction, upper.as_ref(), &columns, values)?;
    let mut slices = Vec::new();
    for prefix in prefixes {
        let above = half(key, prefix, lower.as_ref(), Half::Above)?;
        let below = half(key, prefix, upper.as_ref(), Half::Below)?;
        for one in &above {
            slices.extend(below.iter().map(|other| Slice {
                start: one.start.clone().max(other.start.clone()),
                end: one.end.clone().min(other.end.clone()),
            }));
        }
    }
    Ok(in_order(slices))
}

/// Refuses the deletion of a slice that begins or ends at null, as Cassandra fails at it. A slice
/// that has nothing in it deletes nothing, and is none of these: null comes before every value.
pub(crate) fn check_deletion(
    restrictions: &[Restriction],
    table: &Table,
    values: &Values<'_>,
) -> Result<(), Refusal> {
    let Some(restriction) = restrictions.last() else {
        return Ok(());
    };
    let Test::Slice(lower, upper) = &restriction.test else {
        return Ok(());
    };
    let columns = restriction.columns_of(table);
    let end = |bound: &Option<Bound>| -> Result<_, Refusal> {
        let edge = edge(restriction, bound.as_ref(), &columns, values)?;
        Ok(edge.map(|(tuple, is_inclusive)| (tuple.iter().any(Option::is_none), is_inclusive)))
    };
    let (lower, upper) = (end(lower)?, end(upper)?);
    let (first, last) = match columns.first().is_some_and(|it| it.is_descending()) {
        true => (upper, lower),
        false => (lower, upper),
    };
    let fails = match (first, last) {
        (Some((true, first)), Some((true, last))) => first && last,
        (Some((true, _)), _) | (None, Some((true, _))) => true,
        _ => false,
    };
    match fails {
        true => Err(Refusal::new(
            RefusalKind::WriteFailure,
            "A range to be deleted cannot begin or end at null",
        )),
        false => Ok(()),
    }
}

/// The values of one end of a slice, and whether it belongs to it.
fn edge<'a>(
    restriction: &Restriction,
    bound: Option<&'a Bound>,
    columns: &[&Column],
    values: &'a Values<'_>,
) -> Result<Option<(Tuple<'a>, bool)>, Refusal> {
    let Some(bound) = bound else {
        return Ok(None);
    };
    let given = bound.value.values(columns, values)?;
    let null = given.iter().zip(columns).find(|(it, _)| it.is_none());
    match null {
        Some((_, column)) if restriction.is_multi => Err(null_value(&column.name)),
        _ => Ok(Some((given, bound.is_inclusive))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Above,
    Below,
}

/// The slices above or below a tuple: equal in the first columns and beyond it in the next, for
/// each number of first columns. So every column may have its own direction.
fn half(
    key: &[KeyColumn],
    prefix: &Tuple<'_>,
    bound: Option<&(Tuple<'_>, bool)>,
    half: Half,
) -> Result<Vec<Slice>, Refusal> {
    let Some((tuple, is_inclusive)) = bound else {
        return Ok(vec![range(key, prefix, Edge::Unbounded, Edge::Unbounded)?]);
    };
    let mut slices = Vec::new();
    let mut prefix = prefix.clone();
    for (position, value) in tuple.iter().enumerate() {
        let is_last = position + 1 == tuple.len();
        let Some(value) = value else {
            // Null comes before every value, whichever way the column sorts.
            let order = key.get(prefix.len()).map(|it| it.order);
            let beyond = match order {
                Some(ClusteringOrder::Descending) => Half::Below,
                _ => Half::Above,
            };
            if half == beyond {
                slices.push(range(key, &prefix, Edge::Unbounded, Edge::Unbounded)?);
            }
            return Ok(slices);
        };
        let edge = match is_last && *is_inclusive {
            true => Edge::Included(&**value),
            false => Edge::Excluded(&**value),
        };
        slices.push(match half {
            Half::Above => range(key, &prefix, edge, Edge::Unbounded)?,
            Half::Below => range(key, &prefix, Edge::Unbounded, edge)?,
        });
        prefix.push(Some(Cow::Borrowed(&**value)));
    }
    Ok(slices)
}

impl Selected {
    /// The same as slices.
    pub(crate) fn into_slices(self) -> Vec<Slice> {
        match self {
            Self::All => vec![Slice::all()],
            Self::Slices(slices) => slices,
            Self::Rows(rows) => rows
                .into_iter()
                .map(|start| {
                    let mut end = start.clone();
                    end.push(0);
                    Slice { start, end }
                })
                .collect(),
        }
    }

    /// Whether a clustering is among them.
    pub(crate) fn contains(&self, clustering: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Rows(rows) => rows.iter().any(|it| it == clustering),
            Self::Slices(slices) => slices
                .iter()
                .any(|it| it.start.as_slice() <= clustering && clustering < it.end.as_slice()),
        }
    }

    /// Whether nothing can be in it.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::All => false,
            Self::Rows(rows) => rows.is_empty(),
            Self::Slices(slices) => slices.is_empty(),
        }
    }
}
