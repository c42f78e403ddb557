//! Which restrictions the indexes of a table answer.

use stoa_types::DataType;

use super::{ElementTest, Restriction, Test};
use crate::catalog::{Column, Index, IndexTarget, Table};

/// Whether one index, or all storage-attached ones together, answer all restrictions.
pub(crate) fn is_group_enough(restrictions: &[&Restriction], table: &Table) -> bool {
    let attached: Vec<&Index> = table
        .indexes
        .iter()
        .map(|it| &**it)
        .filter(|it| it.is_storage_attached())
        .collect();
    let by_attached = |restriction: &&Restriction| answers_whole(&attached, restriction, table);
    if !attached.is_empty() && restrictions.iter().all(by_attached) {
        return true;
    }
    let legacy = table.indexes.iter().filter(|it| !it.is_storage_attached());
    legacy.into_iter().any(|index| match restrictions {
        [only] => answers_whole(&[&**index], only, table),
        _ => false,
    })
}

/// Whether indexes answer every part of a restriction.
fn answers_whole(indexes: &[&Index], restriction: &Restriction, table: &Table) -> bool {
    let Test::Elements(tests) = &restriction.test else {
        return indexes.iter().any(|it| supports(it, restriction, table));
    };
    let is_single = tests.len() == 1 || indexes.iter().all(|it| it.is_storage_attached());
    is_single
        && tests.iter().all(|test| {
            let part = Restriction {
                columns: restriction.columns.clone(),
                is_multi: false,
                test: Test::Elements(vec![test.clone()]),
            };
            indexes.iter().any(|it| supports(it, &part, table))
        })
}

/// Whether an index of the table can find the rows of a restriction.
pub(crate) fn is_supported(restriction: &Restriction, table: &Table) -> bool {
    table
        .indexes
        .iter()
        .any(|index| supports(index, restriction, table))
}

/// Whether an index can find the rows of a restriction.
pub(crate) fn supports(index: &Index, restriction: &Restriction, table: &Table) -> bool {
    let [at] = restriction.columns.as_slice() else {
        return false;
    };
    let Some(column) = table.columns.get(*at) else {
        return false;
    };
    if column.name != index.column {
        return false;
    }
    match &restriction.test {
        Test::Equal(_) => matches!(index.target, IndexTarget::Simple | IndexTarget::Full),
        Test::Slice(..) => index.is_storage_attached() && has_ranges(index, column),
        Test::Elements(tests) => tests.iter().any(|test| match test {
            ElementTest::Contains(_) => index.target == IndexTarget::Values,
            ElementTest::ContainsKey(_) => index.target == IndexTarget::Keys,
            ElementTest::Entry(..) => index.target == IndexTarget::Entries,
        }),
        Test::In(_) | Test::NotNull | Test::Like => false,
    }
}

/// A storage-attached index on texts, truths and identifiers finds equal values only; Cassandra
/// does not recognize identifiers that are descending.
fn has_ranges(index: &Index, column: &Column) -> bool {
    if column.data_type == DataType::Uuid && column.is_descending() {
        return true;
    }
    index.target == IndexTarget::Simple
        && !matches!(
            column.data_type,
            DataType::Ascii
                | DataType::Text
                | DataType::Boolean
                | DataType::Blob
                | DataType::Uuid
                | DataType::List { .. }
                | DataType::Set { .. }
                | DataType::Map { .. }
                | DataType::Tuple(_)
                | DataType::UserDefined(_)
                | DataType::Vector { .. }
        )
}
