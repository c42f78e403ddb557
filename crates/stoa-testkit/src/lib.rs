//! Models, generators and checkers for tests.
#![doc = include_str!("../README.md")]

pub mod answer;
pub mod cassandra;
pub mod conformance;
pub mod corruptor;
pub mod cql_model;
pub mod facts;
pub mod history;
pub mod model;
pub mod nodes;
pub mod operations;
pub mod oracle;
pub mod planted;
pub mod powercut;
pub mod random;
pub mod rng;
pub mod run;
pub mod shrink;
mod text;
pub mod trial;
pub mod troubled;
pub mod turns;
pub mod workload;
