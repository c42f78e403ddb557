//! The variables of a statement: one per bind marker, in the order of the text.

use std::sync::Arc;

use stoa_cql::ast::Marker;
use stoa_session::Column;
use stoa_types::DataType;

use super::Receiver;

/// The variables found so far.
#[derive(Debug, Clone)]
pub(crate) struct Variables {
    keyspace: Arc<str>,
    table: Arc<str>,
    columns: Vec<Option<Column>>,
    /// Variables that are, whole, a column of the partition key: which column, which variable.
    partition_key: Vec<(usize, usize)>,
}

impl Variables {
    /// None yet, of a statement about this table.
    pub(crate) fn new(keyspace: &str, table: &str) -> Self {
        Self {
            keyspace: Arc::from(keyspace),
            table: Arc::from(table),
            columns: Vec::new(),
            partition_key: Vec::new(),
        }
    }

    /// The table that the variables after this belong to.
    pub(crate) fn set_table(&mut self, keyspace: &str, table: &str) {
        self.keyspace = Arc::from(keyspace);
        self.table = Arc::from(table);
    }

    /// Notes what a marker is for.
    pub(crate) fn note(&mut self, marker: &Marker, receiver: &Receiver) {
        let name = match &marker.name {
            Some(name) => name.as_str(),
            None => &receiver.name,
        };
        let column = Column {
            keyspace: Arc::clone(&self.keyspace),
            table: Arc::clone(&self.table),
            name: name.to_owned(),
            data_type: receiver.data_type.clone().without_frozen(),
        };
        if self.columns.len() <= marker.index {
            self.columns.resize(marker.index + 1, None);
        }
        if let Some(place) = self.columns.get_mut(marker.index) {
            *place = Some(column);
        }
    }

    /// Notes that a column of the partition key is a variable.
    pub(crate) fn note_partition_key(&mut self, position: usize, variable: usize) {
        self.partition_key.push((position, variable));
    }

    /// The variables in order.
    pub(crate) fn columns(&self, count: usize) -> Vec<Column> {
        let unused = || Column::new("", DataType::Blob);
        let columns = (0..count).map(|at| self.columns.get(at).cloned().flatten());
        columns.map(|it| it.unwrap_or_else(unused)).collect()
    }

    /// The variables that make up the partition key, if they do.
    pub(crate) fn partition_key(&self, columns: usize) -> Vec<usize> {
        let of = |position| {
            let mut found = self.partition_key.iter();
            found.find(|(it, _)| *it == position).map(|(_, it)| *it)
        };
        let all: Option<Vec<usize>> = (0..columns).map(of).collect();
        all.unwrap_or_default()
    }
}
