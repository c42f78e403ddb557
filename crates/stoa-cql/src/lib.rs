//! The CQL language of Apache Cassandra 5.0: text to tree and back.
#![forbid(unsafe_code)]

pub mod ast;
