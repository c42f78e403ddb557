//! Tests that start processes, and the model of CQL on conformance scripts.

#[cfg(test)]
mod cql_model;
#[cfg(test)]
mod powercut;
