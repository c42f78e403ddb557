//! What is derived from the rows of tables: secondary indexes and materialized views.
//!
//! Whoever leads a commit group derives it there and then ([`upkeep`]): the rows that an update
//! touches are looked at before and after it, and what both mean for indexes ([`indexed`]) and
//! views ([`view_row`]) is compared. The difference goes into the same commit. What is made over
//! rows that are there already is filled in bounded steps ([`build`]). Reads find rows through the
//! entries of an index ([`lookup`]), whose keys are drawn in [`entry`].
//!
//! Invariants:
//! 1. Base rows and what is derived from them are written in one commit.
//! 2. What is derived from a row depends on that row, the static row of its partition, the schema
//!    and the second alone: so it does not matter whether a row is written before, while or after an
//!    index is built.
//! 3. An entry of an index may be stale, because something expired; it is never missing. So an
//!    entry only proposes a row, which is then read and tested whole.
//! 4. The schema does not change between the moment a writer looks at it and the end of its
//!    commit (see `Inner::writing`).

pub(crate) mod analyzer;
pub(crate) mod build;
pub(crate) mod entry;
pub(crate) mod indexed;
pub(crate) mod lookup;
pub(crate) mod upkeep;
pub(crate) mod view_row;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use stoa_store::StoreError;
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::row::PackedRow;
use stoa_store::table::TableId;

use crate::catalog::{Keyspace, Schema, Table};
use crate::failure::Failure;
use crate::functions::Environment;
use crate::refusal::Refusal;
use indexed::IndexPlan;
use view_row::ViewPlan;

/// The place of a derived row: its table, partition and clustering.
pub(crate) type DerivedPlace = (TableId, PartitionKey, Vec<u8>);

/// Derived rows by their places.
pub(crate) type DerivedRows = BTreeMap<DerivedPlace, PackedRow>;

/// Everything that is derived from the rows of one table.
#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) table: Arc<Table>,
    pub(crate) indexes: Vec<IndexPlan>,
    pub(crate) views: Vec<ViewPlan>,
}

impl Derived {
    fn new(
        table: &Arc<Table>,
        keyspace: &Keyspace,
        schema: &Schema,
        environment: Environment<'_>,
    ) -> Result<Self, Refusal> {
        let indexes = table.indexes.iter();
        let indexes = indexes.filter_map(|index| IndexPlan::new(index, table));
        let views = keyspace.views_of(&table.name);
        let views = views.map(|view| ViewPlan::new(view, table, schema, environment));
        Ok(Self {
            table: Arc::clone(table),
            indexes: indexes.collect(),
            views: views.collect::<Result<_, _>>()?,
        })
    }

    fn is_empty(&self) -> bool {
        self.indexes.is_empty() && self.views.is_empty()
    }

    /// Whether rows matter to anything, not only static ones.
    fn needs_rows(&self) -> bool {
        !self.views.is_empty() || self.indexes.iter().any(IndexPlan::needs_rows)
    }

    /// Whether static rows matter to anything.
    fn needs_static(&self) -> bool {
        self.indexes.iter().any(IndexPlan::needs_static)
    }
}

/// What is derived from each table of a schema that has indexes or views.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    by_table: HashMap<TableId, Arc<Derived>>,
    /// The stores of views whose rows are there only while their own mark is.
    strict: HashSet<TableId>,
}

impl Plans {
    /// The plans of a schema.
    pub(crate) fn new(schema: &Schema, environment: Environment<'_>) -> Result<Self, Refusal> {
        let mut plans = Self::default();
        let keyspaces = schema.keyspaces.values();
        for keyspace in keyspaces.filter(|it| !it.kind().is_system()) {
            for table in keyspace.tables.values() {
                let derived = Derived::new(table, keyspace, schema, environment)?;
                if derived.is_empty() {
                    continue;
                }
                let strict = derived.views.iter().filter(|it| it.is_strict());
                plans.strict.extend(strict.map(|it| it.view.store));
                plans.by_table.insert(table.store, Arc::new(derived));
            }
        }
        Ok(plans)
    }

    /// What is derived from a table.
    pub(crate) fn of(&self, table: TableId) -> Option<&Arc<Derived>> {
        self.by_table.get(&table)
    }

    /// Refuses updates with values that are too long for an index.
    pub(crate) fn check(&self, updates: &[PartitionUpdate]) -> Result<(), Failure> {
        for update in updates {
            let Some(derived) = self.of(update.table) else {
                continue;
            };
            if derived.indexes.is_empty() {
                continue;
            }
            let rows = update.rows.iter().map(|(_, row)| row);
            for row in rows.chain(&update.static_row) {
                let row = row.decode().map_err(damaged)?;
                for index in &derived.indexes {
                    index.check(&derived.table, &row)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a row of this table is there only while its own mark is: a view with a column in
    /// its key that is not in the key of its table (Cassandra's `enforceStrictLiveness`).
    pub(crate) fn is_strict(&self, table: TableId) -> bool {
        self.strict.contains(&table)
    }
}

/// What is stored makes no sense to whoever derives from it.
fn damaged(what: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged {
        place: "a row that others are derived from".to_owned(),
        what: what.to_string(),
    }
}
