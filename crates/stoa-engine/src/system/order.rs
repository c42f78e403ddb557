//! The order in which rows of a table of the system are read.
//!
//! Cassandra keeps most of them as ordinary tables, so partitions come in the order of their
//! tokens; virtual tables are kept by key.

use std::cmp::Ordering;

use stoa_types::compare::compare;
use stoa_types::{ClusteringOrder, Token, partition_key};

use super::Row;
use crate::catalog::{Column, KeyspaceKind, Table};

/// Sorts rows as they are read.
pub(super) fn sort(table: &Table, rows: &mut [Row]) {
    let by_key = KeyspaceKind::of(&table.keyspace) == KeyspaceKind::Virtual;
    let keys = table.partition_key().len();
    rows.sort_by(|left, right| {
        let tokens = match by_key {
            true => Ordering::Equal,
            false => token(left, keys).cmp(&token(right, keys)),
        };
        let columns = table.partition_key().iter().chain(table.clustering());
        let mut pairs = columns.zip(left.iter().zip(right));
        let by_values = pairs.find_map(|(column, (left, right))| {
            let order = compare_cells(column, left.as_deref(), right.as_deref());
            Some(order).filter(|it| it.is_ne())
        });
        tokens.then(by_values.unwrap_or(Ordering::Equal))
    });
}

fn token(row: &Row, keys: usize) -> Option<Token> {
    let values: Vec<_> = row
        .iter()
        .take(keys)
        .map(|it| it.as_deref().unwrap_or_default())
        .collect();
    let key = partition_key::join(&values).ok()?;
    Some(Token::of_partition_key(&key))
}

fn compare_cells(column: &Column, left: Option<&[u8]>, right: Option<&[u8]>) -> Ordering {
    let order = match (left, right) {
        (Some(left), Some(right)) => compare(&column.data_type, left, right),
        _ => left.is_some().cmp(&right.is_some()),
    };
    match column.order {
        ClusteringOrder::Ascending => order,
        ClusteringOrder::Descending => order.reverse(),
    }
}
