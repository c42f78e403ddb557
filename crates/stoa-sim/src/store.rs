//! What one replica keeps: tables of partitions of rows of cells, reconciled as in Cassandra.

pub(crate) mod cell;
pub(crate) mod partition;
pub(crate) mod replica;
pub(crate) mod row;
