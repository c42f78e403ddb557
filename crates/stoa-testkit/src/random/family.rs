//! Families of statements, for counting what was covered.

/// What kind of statement it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Makes the types, tables, indexes and views of a script.
    Create,
    /// ALTER TABLE, ALTER TYPE.
    Alter,
    /// CREATE INDEX and DROP INDEX on the way.
    Index,
    /// CREATE and DROP MATERIALIZED VIEW on the way.
    View,
    /// TRUNCATE.
    Truncate,
    /// DROP TABLE and the like.
    Drop,
    /// INSERT.
    Insert,
    /// INSERT JSON.
    InsertJson,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Updates and deletions of counters.
    Counter,
    /// INSERT IF NOT EXISTS.
    InsertIf,
    /// UPDATE IF.
    UpdateIf,
    /// DELETE IF.
    DeleteIf,
    /// BATCH.
    Batch,
    /// BATCH with conditions.
    BatchIf,
    /// SELECT of rows.
    Select,
    /// SELECT with functions, casts, arithmetic, parts of values.
    SelectFunctions,
    /// SELECT with aggregates or GROUP BY.
    SelectAggregates,
    /// SELECT JSON.
    SelectJson,
    /// SELECT DISTINCT.
    SelectDistinct,
    /// SELECT of a view.
    SelectView,
    /// Anything, made wrong on purpose.
    Wrong,
}

impl Family {
    /// Whether it only reads.
    #[must_use]
    pub fn is_read(self) -> bool {
        self >= Self::Select && self < Self::Wrong
    }
}
