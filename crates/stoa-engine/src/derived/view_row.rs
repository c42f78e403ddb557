//! The row of a materialized view that a row of its table has.
//!
//! A row is in the view if all columns of the view's key have values and the conditions on key
//! columns hold. `IS NOT NULL` on other columns is accepted and not heeded, as in Cassandra. Cells
//! keep their times. The mark of the row comes from its table, by the rules of Cassandra's
//! `ViewUpdateGenerator.computeLivenessInfoForEntry`:
//!
//! 1. A column that is in the key of the view alone: its cell is the mark, and the row is there only
//!    while that cell is.
//! 2. A view of all columns: the mark of the row in the table.
//! 3. A view of some columns: that mark, prolonged by cells of columns that are not in the view, so
//!    that they keep the row there as they do in the table.

use std::sync::Arc;

use stoa_store::StoreError;
use stoa_store::cell::{CellRef, ColumnId, ColumnRef, Elements, Expiry, Liveness, RowRef};
use stoa_store::key::PartitionKey;
use stoa_store::row::PackedRow;
use stoa_types::{ordered, partition_key};

use super::indexed::Source;
use super::{DerivedRows, damaged};
use crate::catalog::{ColumnKind, Schema, Table};
use crate::functions::Environment;
use crate::refusal::Refusal;
use crate::restrict::filter::Filter;
use crate::restrict::relation::{Resolved, Resolving};
use crate::restrict::{Restriction, Test};
use crate::rows::{Row, StoredRow, original_clustering};
use crate::schema::parse_view_where;
use crate::terms::{Context, Values, Variables};

/// The partition and the clustering values of a row of a view.
type ViewKey = (PartitionKey, Vec<Vec<u8>>);

/// A view and what it takes to keep it.
#[derive(Debug)]
pub(crate) struct ViewPlan {
    pub(crate) view: Arc<Table>,
    /// The place in the table of each column of the view.
    columns: Vec<usize>,
    /// The column of the view's key that is not in the key of the table.
    extra: Option<ColumnId>,
    conditions: Vec<Restriction>,
}

impl ViewPlan {
    /// The plan of a view of a table.
    pub(crate) fn new(
        view: &Arc<Table>,
        base: &Table,
        schema: &Schema,
        environment: Environment<'_>,
    ) -> Result<Self, Refusal> {
        let missing = || Refusal::server("a column of a materialized view is not in its table");
        let mut columns = Vec::with_capacity(view.columns.len());
        let mut extra = None;
        for column in &view.columns {
            let at = base.index_of(&column.name).ok_or_else(missing)?;
            let from = base.columns.get(at).ok_or_else(missing)?;
            if column.is_key() && !from.is_key() {
                extra = Some(from.id);
            }
            columns.push(at);
        }
        Ok(Self {
            view: Arc::clone(view),
            columns,
            extra,
            conditions: conditions(view, base, schema, environment)?,
        })
    }

    /// Whether a row is there only while its own mark is.
    pub(crate) fn is_strict(&self) -> bool {
        self.extra.is_some()
    }

    /// Adds the row of the view that a row of the table has, if it has one.
    pub(super) fn row(
        &self,
        base: &Table,
        source: &Source<'_>,
        values: &Values<'_>,
        out: &mut DerivedRows,
    ) -> Result<(), StoreError> {
        let Some((_, clustering)) = source.clustering else {
            return Ok(());
        };
        let seen = StoredRow {
            table: base,
            key: source.parts,
            clustering: Some(clustering),
            static_row: None,
            row: Some(source.row),
            now: 0,
        };
        let Some((partition, clustering)) = self.key(&seen)? else {
            return Ok(());
        };
        let filter = Filter::new(self.conditions.iter(), base, values);
        if !filter.map_err(damaged)?.passes(&seen) {
            return Ok(());
        }
        let clustering: Vec<Option<&[u8]>> = clustering.iter().map(|it| Some(&**it)).collect();
        let key = self.view.clustering_key();
        let original = original_clustering(key, &clustering);
        let row = PackedRow::encode(&RowRef {
            original_clustering: original.as_deref(),
            liveness: self.liveness(base, source.row),
            deletion: None,
            columns: self.cells(base, source.row),
        })?;
        let encoded = ordered::encode_clustering(key, &clustering).map_err(damaged)?;
        out.insert((self.view.store, partition, encoded), row);
        Ok(())
    }

    /// The key of the view's row; `None` if a part of it is null.
    fn key(&self, seen: &dyn Row) -> Result<Option<ViewKey>, StoreError> {
        let (mut parts, mut clustering) = (Vec::new(), Vec::new());
        for (column, at) in self.view.columns.iter().zip(&self.columns) {
            if !column.is_key() {
                continue;
            }
            let Some(value) = seen.value(*at) else {
                return Ok(None);
            };
            match column.kind {
                ColumnKind::PartitionKey => parts.push(value.into_owned()),
                _ => clustering.push(value.into_owned()),
            }
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let key = partition_key::join(&parts).map_err(damaged)?;
        Ok(Some((PartitionKey::new(&key)?, clustering)))
    }

    fn cells<'r>(&self, base: &Table, row: &RowRef<'r>) -> Vec<(ColumnId, ColumnRef<'r>)> {
        let mut cells = Vec::new();
        for (column, at) in self.view.columns.iter().zip(&self.columns) {
            let from = base.columns.get(*at).filter(|_| !column.is_key());
            let Some(from) = from else {
                continue;
            };
            let found = row.columns.iter().find(|(id, _)| *id == from.id);
            cells.extend(found.map(|(_, it)| (column.id, it.clone())));
        }
        cells.sort_by_key(|(id, _)| *id);
        cells
    }

    fn liveness(&self, base: &Table, row: &RowRef<'_>) -> Option<Liveness> {
        if let Some(extra) = self.extra {
            let found = row.columns.iter().find(|(id, _)| *id == extra);
            let Some((_, ColumnRef::Cell(cell))) = found else {
                return None;
            };
            return Some(Liveness {
                timestamp: cell.timestamp,
                expiry: cell.expiry(),
            });
        }
        let includes_all = self.view.view.as_ref().is_some_and(|it| it.includes_all);
        if includes_all {
            return row.liveness;
        }
        prolonged(row.liveness, &self.unselected(base, row))
    }

    /// The cells of columns that are not in the view.
    fn unselected<'r>(&self, base: &Table, row: &RowRef<'r>) -> Vec<CellRef<'r>> {
        let mut cells = Vec::new();
        for (id, column) in &row.columns {
            let selected = self.columns.iter().filter_map(|at| base.columns.get(*at));
            if selected.into_iter().any(|it| it.id == *id) {
                continue;
            }
            match column {
                ColumnRef::Cell(cell) => cells.push(*cell),
                ColumnRef::Complex(complex) => {
                    if let Elements::Inline(elements) = &complex.elements {
                        cells.extend(elements.iter().map(|(_, cell)| *cell));
                    }
                }
                ColumnRef::Counter(_) => {}
            }
        }
        cells
    }
}

/// The mark of a row that other cells keep there too.
fn prolonged(mark: Option<Liveness>, cells: &[CellRef<'_>]) -> Option<Liveness> {
    let times = cells.iter().map(|it| it.timestamp);
    let timestamp = times.chain(mark.map(|it| it.timestamp)).max()?;
    let for_good = Some(Liveness {
        timestamp,
        expiry: None,
    });
    let is_for_good = |it: Liveness| it.expiry.is_none();
    if mark.is_some_and(is_for_good) || cells.iter().any(|it| it.expiry().is_none()) {
        return for_good;
    }
    let expiries = cells.iter().filter_map(CellRef::expiry);
    let Some(last) = expiries.max_by_key(|it: &Expiry| it.expires_at) else {
        return mark;
    };
    match mark.and_then(|it| it.expiry) {
        Some(own) if own.expires_at >= last.expires_at => mark,
        _ => Some(Liveness {
            timestamp,
            expiry: Some(last),
        }),
    }
}

/// The conditions of a view that rows are tested by.
fn conditions(
    view: &Table,
    base: &Table,
    schema: &Schema,
    environment: Environment<'_>,
) -> Result<Vec<Restriction>, Refusal> {
    let clause = view.view.as_ref().map_or("", |it| &it.where_clause);
    let context = Context {
        schema,
        keyspace: &base.keyspace,
        table: Some(base),
        environment,
    };
    let mut variables = Variables::new(&base.keyspace, &base.name);
    let mut conditions = Vec::new();
    for relation in parse_view_where(clause)? {
        let mut resolving = Resolving {
            table: base,
            context: &context,
            variables: &mut variables,
        };
        if let Resolved::Columns(restriction) = resolving.relation(&relation)?
            && !matches!(restriction.test, Test::NotNull)
        {
            conditions.push(restriction);
        }
    }
    Ok(conditions)
}
