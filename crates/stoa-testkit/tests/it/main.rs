//! Tests that start processes.

#[cfg(test)]
mod powercut;
