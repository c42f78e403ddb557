//! Models, generators and checkers for tests.

pub mod powercut;
