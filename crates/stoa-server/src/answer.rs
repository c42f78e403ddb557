//! From an answer of the session to a RESULT of the protocol. Pure.

use std::borrow::Cow;

use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_session::{Answer, Body, Column};
use stoa_wire::prepared_id::{Id, metadata_id};
use stoa_wire::response::result::{ColumnSpec, RowsMetadata, RowsResult};
use stoa_wire::response::{self, ResultResponse, SchemaTarget};

/// What a client knows of the columns of a result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Knowledge<'k> {
    /// Nothing.
    Nothing,
    /// It wants to hear nothing, whatever they are.
    Skips,
    /// These columns, of a prepared statement, under this id.
    Columns {
        /// The columns as they were when it was prepared.
        columns: &'k [Column],
        /// Their id as it was then.
        id: &'k Id,
        /// The id that the client named, in version 5.
        named: Option<&'k [u8]>,
        /// Whether it wants to hear nothing if they are as it knows them.
        skips: bool,
    },
}

/// A column as the protocol tells it.
pub(crate) fn spec(column: &Column) -> ColumnSpec<'_> {
    ColumnSpec {
        keyspace: Cow::Borrowed(&column.keyspace),
        table: Cow::Borrowed(&column.table),
        name: Cow::Borrowed(&column.name),
        data_type: Cow::Borrowed(&column.data_type),
    }
}

/// Columns as the protocol tells them.
pub(crate) fn specs(columns: &[Column]) -> Vec<ColumnSpec<'_>> {
    columns.iter().map(spec).collect()
}

/// The result of an answer.
pub(crate) fn result<'a>(answer: &'a Answer, knowledge: Knowledge<'_>) -> ResultResponse<'a> {
    match &answer.body {
        Body::Done => ResultResponse::Void,
        Body::UsedKeyspace(keyspace) => ResultResponse::SetKeyspace(Cow::Borrowed(keyspace)),
        Body::ChangedSchema(change) => ResultResponse::SchemaChange(schema_change(change)),
        Body::Rows(rows) => {
            let mut metadata = metadata(rows.columns(), knowledge);
            let next = answer.next.as_ref();
            metadata.paging_state = next.map(|state| Cow::Borrowed(state.as_bytes()));
            ResultResponse::Rows(RowsResult {
                metadata,
                count: rows.len(),
                content: Cow::Borrowed(rows.as_bytes()),
            })
        }
    }
}

/// What a client is told of the columns, which it may know.
fn metadata<'a>(actual: &'a [Column], knowledge: Knowledge<'_>) -> RowsMetadata<'a> {
    let all = || RowsMetadata::of_columns(specs(actual));
    let nothing = || RowsMetadata {
        count: actual.len(),
        ..RowsMetadata::none()
    };
    match knowledge {
        Knowledge::Nothing => all(),
        Knowledge::Skips => nothing(),
        // Only a conditional write answers rows that were not told of when it was prepared, and each
        // time perhaps others: the client must not remember them (CASSANDRA-13992).
        Knowledge::Columns { columns: [], .. } => all(),
        Knowledge::Columns {
            columns,
            id,
            named,
            skips,
        } => {
            let is_same = columns == actual;
            match named {
                None if skips && is_same => nothing(),
                None => all(),
                Some(named) => {
                    let current = match is_same {
                        true => *id,
                        false => metadata_id(&specs(actual)),
                    };
                    match (named == current, skips) {
                        (true, true) => nothing(),
                        (true, false) => all(),
                        (false, _) => RowsMetadata {
                            new_id: Some(Cow::Owned(current.to_vec())),
                            ..all()
                        },
                    }
                }
            }
        }
    }
}

/// A change of the schema as the protocol tells it.
pub(crate) fn schema_change(change: &SchemaChange) -> response::SchemaChange<'_> {
    let name = || Cow::Borrowed(change.name.as_str());
    response::SchemaChange {
        change: match change.change {
            Change::Created => response::Change::Created,
            Change::Updated => response::Change::Updated,
            Change::Dropped => response::Change::Dropped,
        },
        keyspace: Cow::Borrowed(&change.keyspace),
        target: match change.target {
            Target::Keyspace => SchemaTarget::Keyspace,
            Target::Table => SchemaTarget::Table(name()),
            Target::UserType => SchemaTarget::UserType(name()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stoa_types::DataType;

    #[test]
    fn a_client_hears_of_columns_that_it_does_not_know() {
        let old = [Column::new("a", DataType::Int)];
        let new = [Column::new("a", DataType::Text)];
        let id = metadata_id(&specs(&old));
        let heard = |actual, named, skips| {
            let knowledge = Knowledge::Columns {
                columns: &old,
                id: &id,
                named,
                skips,
            };
            let heard = metadata(actual, knowledge);
            (heard.columns.is_some(), heard.new_id.is_some())
        };
        assert_eq!(heard(&old, None, true), (false, false));
        assert_eq!(heard(&new, None, true), (true, false));
        assert_eq!(heard(&old, Some(&id), true), (false, false));
        assert_eq!(heard(&old, Some(&id), false), (true, false));
        assert_eq!(heard(&new, Some(&id), true), (true, true));
        assert_eq!(heard(&old, Some(&[1, 2]), true), (true, true));
    }
}
